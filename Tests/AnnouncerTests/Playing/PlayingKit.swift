import Announcer
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import Synchronization
import Testing

/// Gives every announcement a sound of its own: a constant level that a recording is searched for.
struct LevelSpeaker: Speaker {
  var rate = 22_050
  var duration = Duration.milliseconds(300)

  /// The level of an announcement: its id is a number.
  static func level(_ id: String) -> Int16 { Int16((Int(id) ?? 0) * 100 + 1000) }

  func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech {
    var pcm = PCM.silence(duration, rate: rate)
    pcm.samples = [Int16](repeating: Self.level(announcement.id), count: pcm.samples.count)
    return Speech(pcm: pcm, text: announcement.id, source: .clips)
  }
}

/// Never answers, until it is let go.
final class HangingSpeaker: Speaker {
  private let gate = Mutex<[CheckedContinuation<Void, Never>]>([])

  func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech {
    await withCheckedContinuation { waiter in gate.withLock { $0.append(waiter) } }
    return Speech(pcm: PCM(samples: [1], rate: 8000), text: "", source: .chime)
  }

  var isAsked: Bool { gate.withLock { !$0.isEmpty } }

  func letGo() {
    for waiter in gate.withLock({ gate in
      defer { gate = [] }
      return gate
    }) { waiter.resume() }
  }
}

/// The records of an announcer.
final class Records: Sendable {
  private let all = Mutex<[AnnouncementRecord]>([])

  func add(_ record: AnnouncementRecord) { all.withLock { $0.append(record) } }
  var list: [AnnouncementRecord] { all.withLock { $0 } }
}

/// An output whose sounds end when the test says so.
final class HeldOutput: SoundOutput, SoundSession {
  private struct State {
    var sounds: [PCM] = []
    var playing: CheckedContinuation<Void, Never>?
    var watchers: [(count: Int, tell: CheckedContinuation<Void, Never>)] = []
    var openings = 0
    var closings = 0
    var overlap = false
  }

  private let state = Mutex(State())

  func open(by deadline: BootInstant) async throws(SoundError) -> any SoundSession {
    state.withLock { $0.openings += 1 }
    return self
  }

  func close() async { state.withLock { $0.closings += 1 } }

  func sink(by deadline: BootInstant) async throws(SoundError) -> Sink {
    var sink = Sink(name: "held", description: "held")
    sink.isTimed = false
    return sink
  }

  func play(
    _ pcm: PCM, on sink: Sink, gain: Double, overridesMute: Bool, by deadline: BootInstant
  ) async throws(SoundError) -> Playback {
    await withCheckedContinuation { waiter in
      let told = state.withLock { state in
        if state.playing != nil { state.overlap = true }
        state.playing = waiter
        state.sounds.append(pcm)
        let told = state.watchers.filter { $0.count <= state.sounds.count }
        state.watchers.removeAll { $0.count <= state.sounds.count }
        return told
      }
      for watcher in told { watcher.tell.resume() }
    }
    return Playback(elapsed: .zero)
  }

  /// Waits until so many sounds have begun.
  func begun(_ count: Int) async {
    await withCheckedContinuation { tell in
      let isSo = state.withLock { state in
        if state.sounds.count >= count { return true }
        state.watchers.append((count, tell))
        return false
      }
      if isSo { tell.resume() }
    }
  }

  /// Ends the sound that plays.
  func endSound() {
    let waiter = state.withLock { state in
      defer { state.playing = nil }
      return state.playing
    }
    waiter?.resume()
  }

  var levels: [Int16] { state.withLock { $0.sounds.compactMap(\.samples.last) } }
  var openings: Int { state.withLock { $0.openings } }
  var closings: Int { state.withLock { $0.closings } }
  var hasOverlapped: Bool { state.withLock { $0.overlap } }
}

extension Announcement {
  /// An announcement that has just arrived.
  static func now(_ id: String, on clock: any BootTimeClock = BootClock()) -> Announcement {
    Announcement(id: id, amount: Money(minorUnits: 1250, decimals: 2), receivedAt: clock.now)
  }
}

extension AnnouncerOptions {
  /// For real servers, which a busy machine may keep waiting.
  static var unhurried: AnnouncerOptions {
    var options = AnnouncerOptions()
    options.patience = .seconds(60)
    options.maximumAge = .seconds(600)
    return options
  }
}

extension AnnouncerOptions {
  /// The same for a speaker that is raised to 70 %; what is changed is written down in a folder.
  static func raising(_ state: TemporaryFolder) -> AnnouncerOptions {
    var options = AnnouncerOptions.unhurried
    options.minimumVolume = 0.7
    options.stateDirectory = state.path
    return options
  }
}

extension SoundServer {
  /// An announcer that speaks here, each announcement with a level of its own.
  func announcer(
    _ options: AnnouncerOptions = .unhurried, _ records: Records = Records(), sink: String? = "spk",
    duration: Duration = .milliseconds(300)
  ) -> Announcer {
    Announcer(
      options: options, speaker: LevelSpeaker(rate: rate, duration: duration),
      output: PulseOutput(server: address, sink: sink), note: { records.add($0) })
  }
}

extension BootInstant {
  /// Long enough for any test.
  static var later: BootInstant { BootClock().now.advanced(by: .seconds(100)) }
}

/// Stretches of one level in a recording: level and length, silence left out.
func stretches(_ samples: [Int16]) -> [(level: Int16, count: Int)] {
  var found: [(level: Int16, count: Int)] = []
  var previous: Int16 = 0
  for sample in samples {
    if sample != 0, sample == previous, let last = found.indices.last {
      found[last].count += 1
    } else if sample != 0 {
      found.append((sample, 1))
    }
    previous = sample
  }
  return found
}

/// Announcements on the test's own clock, whose sounds end when it says so.
protocol HeldSpeaking {
  var clock: ManualClock { get }
  var output: HeldOutput { get }
  var records: Records { get }
}

extension HeldSpeaking {
  func announcer(
    _ options: AnnouncerOptions = AnnouncerOptions(), speaker: any Speaker = LevelSpeaker()
  ) -> Announcer {
    Announcer(
      options: options, speaker: speaker, output: output, clock: clock, note: { [records] in records.add($0) }
    )
  }

  func begin(_ id: String, _ announcer: Announcer, seconds: Int = 10) -> Task<VoiceEnd, Never> {
    let announcement = Announcement.now(id, on: clock)
    let deadline = clock.now.advanced(by: .seconds(seconds))
    return Task { await announcer.announce(announcement, by: deadline) }
  }
}

/// Words in the order in which they were said.
final class Events: Sendable {
  private struct State {
    var list: [String] = []
    var waiters: [(word: String, tell: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  func add(_ word: String) {
    let told = state.withLock { state in
      state.list.append(word)
      let told = state.waiters.filter { $0.word == word }
      state.waiters.removeAll { $0.word == word }
      return told
    }
    for waiter in told { waiter.tell.resume() }
  }

  func heard(_ word: String) async {
    await withCheckedContinuation { tell in
      let isSo = state.withLock { state in
        if state.list.contains(word) { return true }
        state.waiters.append((word, tell))
        return false
      }
      if isSo { tell.resume() }
    }
  }

  var list: [String] { state.withLock { $0.list } }
  var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty } }
}
