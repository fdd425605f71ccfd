import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

/// The voice beside the print: neither waits for the other, the completion waits for both.
@Suite(.timeLimit(.minutes(1)))
struct VoiceTests: Speaking {
  private static let ends: [VoiceEnd] = [
    .played, .muted, .expired, .noDevice, .failed("no such clip"), .silent,
  ]

  @Test("the voice begins beside the print, and the wake ends after both")
  func both() async throws {
    let (scene, voice) = try scene(.waits(.played))
    let completion = try await wake(scene, "bread")
    await voice.log.until("3.00")
    await scene.log.until("printed 1")
    #expect(completion.current == nil, "it is still speaking")
    voice.go()
    let value = await completion.value
    #expect(value.outcome == .printed(.fence) && value.result == .newData && value.voice == .played)
    #expect(scene.orders.reports.map(\.voice) == [.ended(.played)])
    #expect(scene.journal.voices == [PaymentKey(orderID: "bread"): .ended(.played)])
    #expect(await scene.handler.status().counts.announcements == ["played": 1])
  }

  @Test("however the voice ends, a printed wake is a good one, and says how", arguments: ends)
  func printed(end: VoiceEnd) async throws {
    let (scene, _) = try scene(.ends(end))
    let value = try await wake(scene, "bread").value
    #expect(value.outcome == .printed(.fence) && value.result == .newData && value.voice == end)
    await scene.log.until("\(end.word) order:bread")
    await scene.log.until("reported 1")
    #expect(scene.orders.reports.map(\.voice) == [.ended(end)])
    #expect(scene.journal.all.map(\.voice) == [.ended(end)])
    #expect(await scene.handler.status().counts.announcements == [end.word: 1])
  }

  @Test(
    "a wake for the voice alone completes with it",
    arguments: zip(
      ends, [WakeResult.newData, .noData, .failed, .failed, .failed, .noData]))
  func voiceAlone(end: VoiceEnd, result: WakeResult) async throws {
    let (scene, voice) = try scene(.waits(end))
    let completion = try await wake(scene, "bread", prints: false)
    await voice.log.until("3.00")
    #expect(completion.current == nil)
    voice.go()
    let value = await completion.value
    #expect(value.result == result && value.voice == end && value.outcome.word == "ignored")
    #expect(scene.states == [] && scene.orders.reports.isEmpty)
    #expect(try scene.front.accepted.isEmpty)
  }

  @Test(
    "a voice that hangs costs the print nothing: at the budget's end it has expired, and the print is told right"
  )
  func hangs() async throws {
    let (scene, voice) = try scene(.hangs)
    let completion = try await wake(scene, "bread")
    await voice.log.until("3.00")
    await scene.log.until("printed 1")
    // The alarms of the wake and of the announcement, the voice, the report that waits for it.
    await scene.clock.sleepers(atLeast: 4)
    scene.clock.advance(by: .milliseconds(8700))
    await scene.log.until("reported 1")
    #expect(completion.current == nil)
    scene.clock.advance(by: .milliseconds(1000))
    let value = await completion.value
    #expect(value.outcome == .printed(.fence) && value.result == .newData && value.voice == .expired)
    #expect(value.timeline.completed == 9700)
    await scene.log.until("expired order:bread")
    #expect(scene.orders.reports.map(\.voice) == [.pending], "not ended when it was reported")
    #expect(await scene.handler.status().counts.announcements == ["expired": 1])
  }

  @Test(
    "a voice that ends after the budget is noted as it ended, and completes nothing twice",
    arguments: [VoiceEnd.played, .failed("the server is gone")])
  func late(end: VoiceEnd) async throws {
    let (scene, voice) = try scene(.outlasts(.seconds(2), end))
    let completion = try await wake(scene, "bread")
    await voice.log.until("3.00")
    await scene.log.until("printed 1")
    await scene.clock.sleepers(atLeast: 4)
    scene.clock.advance(by: .milliseconds(9700))
    #expect(await completion.value.voice == .expired)
    await scene.log.until("expired order:bread")
    scene.clock.advance(by: .seconds(2))
    await scene.log.until("\(end.word) order:bread")
    #expect(await completion.value.voice == .expired)
    let counts = await scene.handler.status().counts
    #expect(counts.announcements == ["expired": 1])
    #expect(counts.completions.values.reduce(0, +) == 1)
  }

  @Test("a print that takes longer than the budget does not hold the voice up, nor what it was")
  func printHangs() async throws {
    let (scene, voice) = try scene(.ends(.played))
    try scene.front.script { $0.fences = [.late(PrinterStatus())] }
    let completion = try await wake(scene, "bread")
    await voice.log.until("3.00")
    await scene.log.until("fence front")
    await scene.log.until("played order:bread")
    scene.clock.advance(by: .milliseconds(9700))
    let value = await completion.value
    #expect(value.result == .failed && value.voice == .played)
    try scene.front.confirm()
    await scene.log.until("reported 1")
    #expect(scene.orders.reports.map(\.voice) == [.ended(.played)])
  }

  @Test("without a voice, and for a wake that asks for none, nothing is said of it")
  func absent() async throws {
    let deaf = try Scene()
    let value = try await wake(deaf, "bread").value
    #expect(value.outcome == .printed(.fence) && value.voice == nil)
    #expect(deaf.orders.reports.map(\.voice) == [nil])
    #expect(try await wake(deaf, "milk", prints: false).value.result == .noData)
    let (scene, voice) = try scene()
    #expect(try await wake(scene, "bread", speaks: false).value.voice == nil)
    #expect(voice.asked.isEmpty)
  }

  @Test("a duplicate whose voice fails is still nothing to do")
  func duplicateThatFails() async throws {
    let (scene, _) = try scene(.ends(.noDevice))
    _ = try await wake(scene, "bread", speaks: false).value
    let value = try await wake(scene, "bread").value
    #expect(value.outcome == .duplicate && value.result == .noData && value.voice == .noDevice)
  }

  @Test("a shop without printers still has a voice")
  func noPrinter() async throws {
    let clock = ManualClock()
    let voice = VoiceDouble(clock: clock)
    let scene = try Scene(printers: [], announcer: voice, clock: clock)
    let value = try await wake(scene, "bread").value
    #expect(value.outcome.word == "notPrinted" && value.result == .failed && value.voice == .played)
  }

  @Test("a disk that takes nothing refuses the wake, and nothing is said")
  func fullDisk() async throws {
    let (scene, voice) = try scene()
    for prints in [true, false] {
      scene.journal.fail("receive")
      await #expect(throws: Refusal(.storage, "disk full")) {
        try await wake(scene, "bread", id: "a", prints: prints)
      }
    }
    #expect(voice.asked.isEmpty)
    #expect(try await wake(scene, "bread", id: "a").value.voice == .played)
  }

  @Test("an end that the journal does not take changes nothing for the wake")
  func endNotNoted() async throws {
    let (scene, _) = try scene()
    scene.journal.fail("announced")
    let value = try await wake(scene, "bread").value
    #expect(value.outcome == .printed(.fence) && value.voice == .played)
  }

  @Test("a daemon that stops says so of what was not said, once")
  func stop() async throws {
    let (scene, voice) = try scene(.hangs)
    let completion = try await wake(scene, nil, prints: false)
    await voice.log.until("3.00")
    await scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    #expect(await completion.value.voice == .failed("printd is stopping"))
  }

  @Test("the end of the announcement in the air is in the journal before that is closed")
  func stopNotes() async throws {
    let (scene, voice) = try scene(.waits(.played))
    let completion = try await wake(scene, "bread", prints: false)
    await voice.log.until("3.00")
    await scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    #expect(await completion.value.voice == .failed("printd is stopping"))
    let closing = Task {
      await scene.handler.announcementsEnded(by: scene.clock.now.advanced(by: .seconds(5)))
    }
    await scene.clock.sleepers(atLeast: 1)
    voice.go()
    await closing.value
    #expect(scene.journal.voices == [PaymentKey(orderID: "bread"): .ended(.played)])
    // With nothing in the air there is nothing to wait for.
    await scene.handler.announcementsEnded(by: BootInstant(nanoseconds: .max))
  }

  @Test("a voice that never ends does not keep the journal open")
  func stopGivesUp() async throws {
    let (scene, voice) = try scene(.hangs)
    _ = try await wake(scene, "bread", prints: false)
    await voice.log.until("3.00")
    await scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    let deadline = scene.clock.now.advanced(by: .seconds(5))
    let closing = Task { await scene.handler.announcementsEnded(by: deadline) }
    // The voice, the announcement's alarm, and the wait.
    await scene.clock.sleepers(atLeast: 3)
    scene.clock.advance(by: .seconds(5))
    await closing.value
    #expect(scene.journal.voices == [PaymentKey(orderID: "bread"): .pending])
  }

  @Test("a daemon that stops does not wait for the voice to report what is printed")
  func stopReports() async throws {
    let (scene, voice) = try scene(.hangs)
    let completion = try await wake(scene, "bread")
    await voice.log.until("3.00")
    await scene.log.until("printed 1")
    await scene.clock.sleepers(atLeast: 4)
    await scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    #expect(scene.orders.reports.map(\.voice) == [.pending])
    let value = await completion.value
    #expect(value.outcome == .printed(.fence) && value.voice == .failed("printd is stopping"))
  }

  @Test(
    "50 wakes in a burst: each printed, reported and completed once, each payment said once, in their order")
  func burst() async throws {
    let (scene, voice) = try scene()
    let completions = try await withThrowingTaskGroup(of: Completion.self) { group in
      for number in 0..<50 {
        for channel in 0..<2 {
          group.addTask {
            try await wake(scene, "order \(number)", id: "\(number)/\(channel)", amount: "\(number + 1).00")
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    var voices: [String: Int] = [:]
    var outcomes: [String: Int] = [:]
    for completion in completions {
      let value = await completion.value
      voices[value.voice?.word ?? "nil", default: 0] += 1
      outcomes[value.outcome.word, default: 0] += 1
    }
    #expect(voices == ["played": 50, "silent": 50])
    #expect(outcomes == ["printed": 50, "duplicate": 50])
    #expect(Set(voice.asked).count == 50 && voice.asked.count == 50)
    #expect(try scene.front.paper.count == 50)
    #expect(scene.orders.reports.count == 50)
    #expect(await scene.handler.status().counts.completions == ["printed": 50])
  }

  @Test(
    "50 wakes whose voices hang are printed and reported, most of them without waiting for the last moment")
  func burstThatHangs() async throws {
    let (scene, voice) = try scene(.hangs)
    var completions: [Completion] = []
    for number in 0..<50 { completions.append(try await wake(scene, "order \(number)")) }
    // The first four wait for their voices, the others do not.
    for number in 5...50 { await scene.log.until("reported \(number)") }
    #expect(scene.orders.reports.count == 46)
    #expect(voice.asked.count == 50)
    // The reports that wait, and of each wake two alarms and the voice.
    await scene.clock.sleepers(atLeast: 4 + 3 * 50)
    scene.clock.advance(by: .milliseconds(8700))
    for number in 1...4 { await scene.log.until("reported \(number)") }
    scene.clock.advance(by: .milliseconds(1000))
    for completion in completions {
      let value = await completion.value
      #expect(value.outcome == .printed(.fence) && value.voice == .expired)
    }
    #expect(scene.orders.reports.allSatisfy { $0.voice == .pending })
  }
}
