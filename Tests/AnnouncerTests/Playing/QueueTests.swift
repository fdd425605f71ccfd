import ESCPOS
import PrintJobs
import PrintTestKit
import Sound
import Synchronization
import Testing

@testable import Announcer

@Suite(.timeLimit(.minutes(3)))
struct QueueTests: HeldSpeaking {
  let clock = ManualClock()
  let output = HeldOutput()
  let records = Records()

  @Test("Fifty in a burst are said one at a time, in their order, over one connection")
  func burst() async throws {
    let announcer = announcer()
    let first = begin("0", announcer)
    await output.begun(1)
    var tasks: [Task<VoiceEnd, Never>] = []
    for number in 1..<50 {
      tasks.append(begin("\(number)", announcer))
      try await DaemonRig.until { await announcer.waitingCount == number }
    }
    for number in 1...50 {
      await output.begun(number)
      output.endSound()
    }
    #expect(await first.value == .played)
    for task in tasks { #expect(await task.value == .played) }
    #expect(output.levels == (0..<50).map { LevelSpeaker.level("\($0)") })
    #expect(!output.hasOverlapped)
    await announcer.close()
    #expect(output.openings == 1)
    #expect(output.closings == 1)
    #expect(records.list.map(\.id) == (0..<50).map(String.init))
  }

  @Test("At its deadline the caller is told, and the phrase in the air is said to its end")
  func expiresWhileSpeaking() async throws {
    let announcer = announcer()
    let end = begin("1", announcer)
    await output.begun(1)
    clock.advance(by: .seconds(10))
    #expect(await end.value == .expired)
    #expect(records.list.isEmpty)
    output.endSound()
    await announcer.close()
    let record = try #require(records.list.first)
    #expect(record.end == .played)
    #expect(record.isLate)
    // It has been heard: it is not said again.
    #expect(records.list.count == 1)
  }

  @Test("One that still waits at its deadline keeps its turn while it is young enough")
  func waitsBeyondItsDeadline() async throws {
    let announcer = announcer()
    let first = begin("1", announcer, seconds: 60)
    await output.begun(1)
    let second = begin("2", announcer, seconds: 10)
    try await DaemonRig.until { await announcer.waitingCount == 1 }
    clock.advance(by: .seconds(10))
    #expect(await second.value == .expired)
    output.endSound()
    await output.begun(2)
    output.endSound()
    #expect(await first.value == .played)
    await announcer.close()
    #expect(records.list.map(\.end) == [.played, .played])
    #expect(records.list.map(\.isLate) == [false, true])
  }

  @Test("A caller who keeps the time himself is told the real end, however late")
  func endsLate() async throws {
    let announcer = announcer()
    let deadline = clock.now.advanced(by: .seconds(10))
    func begin(_ id: String) -> Task<VoiceEnd, Never> {
      Task { [clock] in await announcer.announceToItsEnd(.now(id, on: clock), askedBy: deadline) }
    }
    let first = begin("1")
    await output.begun(1)
    let second = begin("2")
    try await DaemonRig.until { await announcer.waitingCount == 1 }
    clock.advance(by: .seconds(12))
    #expect(await announcer.announceToItsEnd(.now("3", on: clock), askedBy: deadline) == .expired)
    output.endSound()
    #expect(await first.value == .played)
    await output.begun(2)
    clock.advance(by: .seconds(30))
    output.endSound()
    #expect(await second.value == .played)
    await announcer.close()
    #expect(records.list.filter { $0.id != "3" }.map(\.isLate) == [true, true])
  }

  @Test("A speaker that hangs while the daemon stops keeps nobody waiting for it")
  func hangsAtTheEnd() async throws {
    let announcer = announcer()
    let deadline = clock.now.advanced(by: .seconds(10))
    let end = Task { [clock] in
      await announcer.announceToItsEnd(.now("1", on: clock), askedBy: deadline)
    }
    await output.begun(1)
    let closing = Task { await announcer.close(by: deadline) }
    try await DaemonRig.until { await announcer.isClosed }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(12))
    await closing.value
    #expect(await end.value == .failed("the speaker did not come to an end before printd stopped"))
    output.endSound()
  }

  @Test("The same payment is silent while it waits, while it sounds and after it was heard")
  func dedupes() async throws {
    let announcer = announcer()
    let first = begin("7", announcer)
    await output.begun(1)
    #expect(await begin("7", announcer).value == .silent)
    let second = begin("8", announcer)
    try await DaemonRig.until { await announcer.waitingCount == 1 }
    #expect(await begin("8", announcer).value == .silent)
    output.endSound()
    await output.begun(2)
    output.endSound()
    #expect(await first.value == .played)
    #expect(await second.value == .played)
    #expect(await begin("7", announcer).value == .silent)
    await announcer.close()
    #expect(output.levels.count == 2)
  }

  @Test("One more than the queue holds is turned away, and those that wait keep their turn")
  func overflow() async throws {
    var options = AnnouncerOptions()
    options.queueLimit = 2
    let announcer = announcer(options)
    let first = begin("1", announcer)
    await output.begun(1)
    let second = begin("2", announcer)
    try await DaemonRig.until { await announcer.waitingCount == 1 }
    let third = begin("3", announcer)
    try await DaemonRig.until { await announcer.waitingCount == 2 }
    #expect(await begin("4", announcer).value == .queueFull)
    for count in 1...3 {
      await output.begun(count)
      output.endSound()
    }
    #expect(await [first.value, second.value, third.value] == [.played, .played, .played])
    // It was not heard, so that it may be asked for again.
    let again = begin("4", announcer)
    await output.begun(4)
    output.endSound()
    #expect(await again.value == .played)
    await announcer.close()
  }

  @Test("A voice that hangs fails its own announcement and no other")
  func hangingVoice() async throws {
    let speaker = HangingSpeaker()
    let announcer = announcer(speaker: speaker)
    let end = begin("1", announcer, seconds: 20)
    try await DaemonRig.until { speaker.isAsked }
    clock.advance(by: .seconds(6))
    #expect(await end.value == .failed("the voice did not answer"))
    speaker.letGo()
    await announcer.close()
    #expect(output.levels.isEmpty)
  }

  @Test("Stopping lets the phrase in the air end, and answers those that wait")
  func closes() async throws {
    let announcer = announcer()
    let first = begin("1", announcer)
    await output.begun(1)
    let second = begin("2", announcer)
    try await DaemonRig.until { await announcer.waitingCount == 1 }
    let closing = Task { await announcer.close() }
    #expect(await second.value == .failed("printd is stopping"))
    output.endSound()
    await closing.value
    #expect(await first.value == .played)
    #expect(await begin("3", announcer).value == .failed("printd is stopping"))
  }

  @Test("Scans are held until nothing is left to be said")
  func scans() async throws {
    let events = Events()
    var options = AnnouncerOptions()
    options.holdScans = {
      events.add("held")
      return { events.add("released") }
    }
    let announcer = announcer(options)
    let first = begin("1", announcer)
    await output.begun(1)
    let second = begin("2", announcer)
    try await DaemonRig.until { await announcer.waitingCount == 1 }
    output.endSound()
    await output.begun(2)
    #expect(events.list == ["held"])
    output.endSound()
    #expect(await [first.value, second.value] == [.played, .played])
    await announcer.close()
    #expect(events.list == ["held", "released"])
  }

  @Test("A scan that does not stop does not hold up the voice for ever, and is let go when it does")
  func stubbornScan() async throws {
    let events = Events()
    var options = AnnouncerOptions()
    options.holdScans = {
      await events.heard("go on")
      return { events.add("released") }
    }
    let announcer = announcer(options)
    let end = begin("1", announcer)
    try await DaemonRig.until { events.isAwaited }
    clock.advance(by: .seconds(5))
    await output.begun(1)
    output.endSound()
    #expect(await end.value == .played)
    events.add("go on")
    await events.heard("released")
    await announcer.close()
    #expect(events.list == ["go on", "released"])
  }
}
