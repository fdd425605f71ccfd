import Announcer
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import Testing
import WakeHandler

/// The story with the announcer itself, which knows what is too old and what still sounds.
@Suite(.timeLimit(.minutes(1)))
struct RealVoiceTests: Speaking {
  private let folder: TemporaryFolder
  private let clock = ManualClock()
  private let gate = EventLog()

  init() throws { folder = try TemporaryFolder() }

  private func scene(held: Bool) throws -> Scene {
    let file = FileOutput(path: folder.path("said.wav"))
    let output: any SoundOutput = held ? HeldOutput(output: file, gate: gate) : file
    let announcer = Announcer(speaker: FourSeconds(), output: output, clock: clock)
    return try Scene(announcer: RealVoice(announcer: announcer), clock: clock)
  }

  enum Earlier: CaseIterable { case otherType, withoutSound, pending }

  @Test(
    "a payment of an order that was printed long ago is said when it is asked for",
    arguments: Earlier.allCases
  )
  func printedEarlier(_ earlier: Earlier) async throws {
    let scene = try scene(held: false)
    switch earlier {
    case .otherType: _ = try await wake(scene, "bread", more: #","type":1"#).value
    case .withoutSound: _ = try await wake(scene, "bread", speaks: false).value
    case .pending:
      scene.orders.list((ids: ["bread"], cursor: "1"))
      _ = try await scene.wake(nil).value
    }
    unlink(folder.path("said.wav"))
    clock.advance(by: .seconds(300))
    let value = try await wake(scene, "bread", more: #","type":2"#).value
    #expect(value.outcome == .duplicate && value.voice == .played && value.result == .newData)
    #expect(access(folder.path("said.wav"), F_OK) == 0)
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("phrases that outlast the budgets of a burst are noted as they ended, each of them")
  func burst() async throws {
    let scene = try scene(held: true)
    var completions: [Completion] = []
    for number in 1...4 {
      completions.append(try await wake(scene, "order \(number)", amount: "\(number).00"))
      await scene.log.until("printed \(number)")
    }
    await gate.until("sounds")
    // Two alarms of each wake, and the reports that wait.
    await clock.sleepers(atLeast: 12)
    clock.advance(by: .milliseconds(8700))
    for number in 1...4 { await scene.log.until("reported \(number)") }
    clock.advance(by: .milliseconds(1000))
    for (number, completion) in completions.enumerated() {
      let value = await completion.value
      #expect(value.voice == .expired && value.outcome == .printed(.fence))
      await scene.log.until("expired order:order \(number + 1)")
    }
    gate.say("go")
    for number in 1...4 { await scene.log.until("played order:order \(number)") }
    #expect(Set(scene.journal.voices.values.map(\.word)) == ["played"])
    #expect(gate.count(of: "sounds") == 4)
    #expect(scene.journal.all.map(\.voice) == [Voice](repeating: .ended(.played), count: 4))
  }
}

/// The daemon's way to the announcer, in short.
private struct RealVoice: AnnouncerPort {
  let announcer: Announcer

  func announce(
    _ wake: Wake, payment: PaymentKey?, knownSince: BootInstant, by deadline: BootInstant
  ) async -> VoiceEnd {
    guard wake.isPayment else { return .silent }
    let announcement = Announcement(
      id: payment?.text ?? "", amount: wake.amount, receivedAt: knownSince, isRefund: wake.isRefund)
    return await announcer.announceToItsEnd(announcement, askedBy: deadline)
  }
}

private struct FourSeconds: Speaker {
  func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech {
    Speech(pcm: PCM(samples: [Int16](repeating: 900, count: 32_000), rate: 8000), text: "", source: .clips)
  }
}

/// An output whose sounds last until the test says `go`.
private struct HeldOutput: SoundOutput, SoundSession {
  let output: FileOutput
  let gate: EventLog

  func open(by deadline: BootInstant) async throws(SoundError) -> any SoundSession { self }

  func sink(by deadline: BootInstant) async throws(SoundError) -> Sink {
    try await output.open(by: deadline).sink(by: deadline)
  }

  func play(
    _ pcm: PCM, on sink: Sink, gain: Double, overridesMute: Bool, by deadline: BootInstant
  ) async throws(SoundError) -> Playback {
    gate.say("sounds")
    await gate.until("go")
    return try await output.open(by: deadline).play(
      pcm, on: sink, gain: gain, overridesMute: overridesMute, by: deadline)
  }

  func close() async {}
}
