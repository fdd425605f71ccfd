import ESCPOS
import PrintJobs
import Synchronization

/// The wakes whose completion has not been called, and what is true of their jobs at this moment.
///
/// A wake ends when nothing holds it any longer (a question for pending orders, the voice) and each of its jobs is
/// settled, or when its budget is over, whichever is first.
final class OpenWakes: Sendable {
  private struct OpenWake {
    var writer: Completion.Writer
    var budget: Budget
    var jobs: [JobOutcome] = []
    var unsettled: Set<Int64> = []
    var holds = 1
    var fallback: Outcome
    var asksForPrint: Bool
    var voice: Voice?
    var received: Double
    var alarm: Task<Void, any Error>?
  }

  private struct State {
    var next = 0
    var wakes: [Int: OpenWake] = [:]
    var watched: [Int64: [Int]] = [:]
  }

  private let clock: any BootTimeClock
  private let state = Mutex(State())
  private let ended: @Sendable (WakeCompletion) -> Void

  init(clock: any BootTimeClock, ended: @escaping @Sendable (WakeCompletion) -> Void) {
    self.clock = clock
    self.ended = ended
  }

  /// Wakes that are open.
  var count: Int { state.withLock(\.wakes.count) }

  /// Opens a wake with one hold on it.
  ///
  /// - Parameters:
  ///   - fallback: The outcome for as long as it has no job.
  ///   - asksForPrint: Whether it asks for more than the voice.
  ///   - settled: Jobs of it that are not waited for.
  ///   - awaited: Jobs of it that are; adding them again does nothing. Its budget may be over before that.
  func open(
    _ budget: Budget, fallback: Outcome, asksForPrint: Bool = true, settled: [JobOutcome] = [],
    awaited: [JobOutcome] = []
  ) -> (number: Int, completion: Completion) {
    let (completion, writer) = Completion.pair()
    let received = budget.acceptedAt.duration(to: clock.now).milliseconds
    let number = state.withLock { state in
      state.next += 1
      state.wakes[state.next] = OpenWake(
        writer: writer, budget: budget, fallback: fallback, asksForPrint: asksForPrint, received: received)
      for job in settled { Self.add(job, to: state.next, settled: true, &state) }
      for job in awaited { Self.add(job, to: state.next, settled: false, &state) }
      return state.next
    }
    let alarm = Task { [clock] in
      try await clock.sleep(until: budget.completion, tolerance: nil)
      end(number, evenIfUnsettled: true)
    }
    let over = state.withLock { state in
      state.wakes[number]?.alarm = alarm
      return state.wakes[number] == nil
    }
    if over { alarm.cancel() }
    return (number, completion)
  }

  /// Adds a job to a wake that is open; a settled one is not waited for.
  func add(_ job: JobOutcome, to number: Int, settled: Bool) {
    state.withLock { Self.add(job, to: number, settled: settled, &$0) }
  }

  private static func add(_ job: JobOutcome, to number: Int, settled: Bool, _ state: inout State) {
    guard let wake = state.wakes[number], !wake.jobs.contains(where: { $0.id == job.id }) else { return }
    state.wakes[number]?.jobs.append(job)
    guard !settled else { return }
    state.wakes[number]?.unsettled.insert(job.id)
    state.watched[job.id, default: []].append(number)
  }

  /// Holds a wake open once more.
  func hold(_ number: Int) {
    state.withLock { $0.wakes[number]?.holds += 1 }
  }

  /// Takes one hold off a wake, with the outcome to give when it has no job, or nil to leave that.
  func release(_ number: Int, fallback: Outcome? = nil) {
    state.withLock { state in
      state.wakes[number]?.holds -= 1
      if let fallback { state.wakes[number]?.fallback = fallback }
    }
    end(number, evenIfUnsettled: false)
  }

  /// Holds a wake open for its announcement.
  func speak(_ number: Int) {
    state.withLock { state in
      state.wakes[number]?.holds += 1
      state.wakes[number]?.voice = .pending
    }
  }

  /// Says how a wake's announcement ended, which does not hold it any more.
  func note(_ number: Int, voice end: VoiceEnd) {
    state.withLock { $0.wakes[number]?.voice = .ended(end) }
    release(number)
  }

  /// Says what is true of a wake that has no job yet.
  func note(_ number: Int, _ fallback: Outcome) {
    state.withLock { $0.wakes[number]?.fallback = fallback }
  }

  /// Whether some open wake waits for the job.
  func watches(_ id: Int64) -> Bool {
    state.withLock { $0.watched[id] != nil }
  }

  /// Says what is true of a job; `settled` when its print and its report have ended.
  func note(_ id: Int64, _ outcome: Outcome, _ timeline: Timeline, settled: Bool = false) {
    let numbers = state.withLock { state -> [Int] in
      guard let numbers = state.watched[id] else { return [] }
      for number in numbers {
        guard let place = state.wakes[number]?.jobs.firstIndex(where: { $0.id == id }) else { continue }
        state.wakes[number]?.jobs[place].outcome = outcome
        state.wakes[number]?.jobs[place].timeline = timeline
        if settled { state.wakes[number]?.unsettled.remove(id) }
      }
      if settled { state.watched[id] = nil }
      return settled ? numbers : []
    }
    for number in numbers { end(number, evenIfUnsettled: false) }
  }

  /// Ends every wake with what is true now; `unsaid` is the end of announcements that have none.
  func endAll(unsaid: VoiceEnd) {
    for number in state.withLock({ Array($0.wakes.keys) }) {
      end(number, evenIfUnsettled: true, unsaid: unsaid)
    }
  }

  private func end(_ number: Int, evenIfUnsettled: Bool, unsaid: VoiceEnd = .expired) {
    let wake = state.withLock { state -> OpenWake? in
      guard let wake = state.wakes[number] else { return nil }
      guard evenIfUnsettled || (wake.holds <= 0 && wake.unsettled.isEmpty) else { return nil }
      state.wakes[number] = nil
      for id in wake.unsettled {
        state.watched[id]?.removeAll { $0 == number }
        if state.watched[id]?.isEmpty == true { state.watched[id] = nil }
      }
      return wake
    }
    guard let wake else { return }
    wake.alarm?.cancel()
    var timeline = Timeline(lastOf: wake.jobs.map(\.timeline))
    timeline.received = wake.received
    timeline.completed = wake.budget.acceptedAt.duration(to: clock.now).milliseconds
    let outcome = wake.jobs.map(\.outcome).max { $0.weight < $1.weight } ?? wake.fallback
    let voice = wake.voice.map { voice in if case .ended(let end) = voice { end } else { unsaid } }
    let completion = WakeCompletion(
      outcome: outcome, jobs: wake.jobs, timeline: timeline, voice: voice, asksForPrint: wake.asksForPrint)
    if wake.writer.complete(completion) { ended(completion) }
  }
}

extension Timeline {
  /// When the last of several jobs ended each step; a step that one of them has not reached is open.
  init(lastOf timelines: [Timeline]) {
    func last(_ step: KeyPath<Timeline, Double?>) -> Double? {
      let times = timelines.map { $0[keyPath: step] }
      return times.contains(nil) ? nil : times.compactMap(\.self).max()
    }
    self.init()
    fetched = last(\.fetched)
    connected = last(\.connected)
    firstByte = last(\.firstByte)
    fence = last(\.fence)
    reported = last(\.reported)
  }
}
