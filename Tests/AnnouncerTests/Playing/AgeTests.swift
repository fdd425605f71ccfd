import ESCPOS
import PrintJobs
import PrintTestKit
import Sound
import Testing

@testable import Announcer

/// What comes too late to be said, and the summary of it.
@Suite(.timeLimit(.minutes(3)))
struct AgeTests: HeldSpeaking {
  let clock = ManualClock()
  let output = HeldOutput()
  let records = Records()

  @Test("A stale amount is not said; a summary is, where one is wanted", arguments: [false, true])
  func stale(hasSummary: Bool) async throws {
    var options = AnnouncerOptions()
    if hasSummary { options.summary = { "\($0) more" } }
    let announcer = announcer(options)
    let first = begin("1", announcer, seconds: 60)
    await output.begun(1)
    let others = ["2", "3"].map { begin($0, announcer, seconds: 60) }
    try await DaemonRig.until { await announcer.waitingCount == 2 }
    clock.advance(by: .seconds(31))
    output.endSound()
    #expect(await first.value == .played)
    for other in others { #expect(await other.value == .expired) }
    if hasSummary {
      await output.begun(2)
      output.endSound()
    }
    await announcer.close()
    #expect(output.levels.count == (hasSummary ? 2 : 1))
    // What was not heard may be asked for again, but is as old as it was.
    let old = Announcement(id: "4", receivedAt: clock.now.advanced(by: .seconds(-31)))
    #expect(await announcer.announce(old, by: .later) != .played)
  }

  @Test(
    "Those that were too old when they came are in the summary, all in one, whether something is being said or not"
  )
  func staleOnArrival() async throws {
    let counts = Events()
    var options = AnnouncerOptions()
    options.summary = { count in
      counts.add("\(count)")
      return "\(count) more"
    }
    let announcer = announcer(options)
    func comesTooLate(_ id: String) async {
      let old = Announcement(id: id, receivedAt: clock.now.advanced(by: .seconds(-31)))
      #expect(await announcer.announce(old, by: clock.now.advanced(by: .seconds(10))) == .expired)
    }
    // At rest: they are waited for.
    for id in ["1", "2", "3"] { await comesTooLate(id) }
    #expect(counts.list.isEmpty && output.levels.isEmpty)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    await output.begun(1)
    #expect(counts.list == ["3"])
    // While the summary is said.
    await comesTooLate("4")
    output.endSound()
    await output.begun(2)
    #expect(counts.list == ["3", "1"])
    output.endSound()
    // While a payment is said.
    let payment = begin("5", announcer)
    await output.begun(3)
    await comesTooLate("6")
    output.endSound()
    await output.begun(4)
    output.endSound()
    #expect(await payment.value == .played)
    await announcer.close()
    #expect(counts.list == ["3", "1", "1"])
    #expect(output.levels.count == 4)
  }

  @Test("A stop is not held up by a summary")
  func closesWithoutSummary() async throws {
    var options = AnnouncerOptions()
    options.summary = { "\($0) more" }
    let announcer = announcer(options)
    let first = begin("1", announcer)
    await output.begun(1)
    let old = Announcement(id: "2", receivedAt: clock.now.advanced(by: .seconds(-31)))
    #expect(await announcer.announce(old, by: .later) == .expired)
    let closing = Task { await announcer.close() }
    try await DaemonRig.until { await announcer.isClosed }
    output.endSound()
    await closing.value
    #expect(await first.value == .played)
    #expect(output.levels.count == 1)
  }

  @Test("One that becomes stale while its voice is made is not said")
  func staleMeanwhile() async throws {
    let speaker = HangingSpeaker()
    var options = AnnouncerOptions()
    options.patience = .seconds(60)
    let announcer = announcer(options, speaker: speaker)
    let end = begin("1", announcer, seconds: 120)
    try await DaemonRig.until { speaker.isAsked }
    try await DaemonRig.until { await announcer.waitingCount == 0 }
    clock.advance(by: .seconds(31))
    speaker.letGo()
    #expect(await end.value == .expired)
    await announcer.close()
    #expect(output.levels.isEmpty)
  }

  @Test("An old announcement and a deadline that is over expire at once")
  func lateArrivals() async {
    let announcer = announcer()
    let old = Announcement(id: "1", receivedAt: clock.now.advanced(by: .seconds(-31)))
    #expect(await announcer.announce(old, by: clock.now.advanced(by: .seconds(10))) == .expired)
    #expect(await announcer.announce(.now("2", on: clock), by: clock.now) == .expired)
    #expect(output.levels.isEmpty)
  }
}
