import ESCPOS
import PrintJobs
import PrintTestKit
import Synchronization
import WakeHandler

/// A voice that ends as told.
final class VoiceDouble: AnnouncerPort, Sendable {
  /// What it does with one announcement; the last one stays.
  enum Manner: Sendable {
    case ends(VoiceEnd)
    /// Says nothing until ``VoiceDouble/go()``.
    case waits(VoiceEnd)
    /// Ends some time after the wake's budget.
    case outlasts(Duration, VoiceEnd)
    case hangs
  }

  private struct State {
    var manners: [Manner] = []
    var asked: [(text: String, payment: PaymentKey?, knownSince: BootInstant)] = []
  }

  let log = EventLog()
  private let clock: ManualClock
  private let state = Mutex(State())
  private let gate = EventLog()

  init(clock: ManualClock, _ manners: Manner...) {
    self.clock = clock
    state.withLock { $0.manners = manners }
  }

  /// What it was asked to say: the amounts.
  var asked: [String] { state.withLock { $0.asked.map(\.text) } }
  /// The keys that it was asked to say them by.
  var payments: [PaymentKey?] { state.withLock { $0.asked.map(\.payment) } }
  var knownSince: [BootInstant] { state.withLock { $0.asked.map(\.knownSince) } }

  func go() { gate.say("go") }

  func announce(
    _ wake: Wake, payment: PaymentKey?, knownSince: BootInstant, by deadline: BootInstant
  ) async -> VoiceEnd {
    let text = wake.amount?.description ?? "nothing"
    let manner = state.withLock { state -> Manner in
      state.asked.append((text, payment, knownSince))
      let manner = state.manners.first ?? .ends(.played)
      if state.manners.count > 1 { state.manners.removeFirst() }
      return manner
    }
    log.say(text)
    switch manner {
    case .ends(let end): return end
    case .waits(let end):
      await gate.until("go")
      return end
    case .outlasts(let time, let end):
      try? await clock.sleep(until: deadline.advanced(by: time), tolerance: nil)
      return end
    case .hangs:
      try? await clock.sleep(until: BootInstant(nanoseconds: .max), tolerance: nil)
      return .failed("hung")
    }
  }
}

/// Tests of a shop with a voice.
protocol Speaking {}

extension Speaking {
  /// A shop with a voice; the voice has the shop's clock.
  func scene(
    _ manner: VoiceDouble.Manner..., policies: (inout Policies) -> Void = { _ in }
  ) throws -> (Scene, VoiceDouble) {
    let clock = ManualClock()
    let voice: VoiceDouble
    switch manner.count {
    case 0: voice = VoiceDouble(clock: clock)
    case 1: voice = VoiceDouble(clock: clock, manner[0])
    default: voice = VoiceDouble(clock: clock, manner[0], manner[1])
    }
    return (try Scene(announcer: voice, clock: clock, policies: policies), voice)
  }

  func wake(
    _ scene: Scene, _ orderID: String?, id: String? = nil, prints: Bool = true, speaks: Bool = true,
    amount: String = "3.00", more: String = ""
  ) async throws -> Completion {
    let order = orderID.map { ",\"order_id\":\"\($0)\"" } ?? ""
    let body = """
      {"aps":{"content-available":\(prints ? 1 : 0),"mutable-content":\(speaks ? 1 : 0),"sound":"x"},
       "amount":"\(amount)"\(order)\(more)}
      """
    switch await scene.handler.accept(WakeDelivery(body: Array(body.utf8), id: id, channel: "test")) {
    case .accepted(let completion): return completion
    case .refused(let refusal): throw refusal
    }
  }
}
