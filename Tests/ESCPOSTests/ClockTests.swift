import ESCPOS
import Testing

@Suite("Instants since boot")
struct ClockTests {
  @Test("instants do not overflow")
  func saturation() {
    let late = BootInstant(nanoseconds: .max)
    let early = BootInstant(nanoseconds: .min)
    #expect(late.advanced(by: .seconds(1)) == late)
    #expect(early.advanced(by: .seconds(-1)) == early)
    #expect(early.duration(to: late) > .seconds(18_000_000_000))
    #expect(late.duration(to: early) < .zero)
    #expect(BootInstant(nanoseconds: 5).duration(to: BootInstant(nanoseconds: 2)) == .nanoseconds(-3))
  }

  @Test("durations are counted in whole nanoseconds, and saturate")
  func nanoseconds() {
    #expect(Duration.milliseconds(1_500).wholeNanoseconds == 1_500_000_000)
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
    #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
    #expect(Duration.microseconds(-2_500).milliseconds == -2.5)
  }

  @Test("a sleep towards a deadline that never comes ends when it is cancelled", .timeLimit(.minutes(1)))
  func farDeadline() async {
    let sleeping = Task { try await BootClock().sleep(until: BootInstant(nanoseconds: .max), tolerance: nil) }
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }

  @Test("a deadline in the past is no sleep", .timeLimit(.minutes(1)))
  func pastDeadline() async throws {
    try await BootClock().sleep(until: BootInstant(nanoseconds: 0), tolerance: nil)
  }
}
