/// One question on its way to a sound server. Held by the wire until its end, which comes once; used on the wire's thread alone.
final class PulseCall {
  /// A server that lists without end is not listened to for ever.
  private static let mostFacts = 4096

  /// What can be cancelled, while it is on its way.
  var operation: PulseOperation?
  private var facts: [PulseFact] = []
  private var tell: ((Result<[PulseFact], SoundError>) -> Void)?

  init(_ tell: @escaping (Result<[PulseFact], SoundError>) -> Void) { self.tell = tell }

  /// The server's answer is not listened to any more.
  func cancel() { operation?.cancel() }

  func end(_ result: Result<[PulseFact], SoundError>) {
    let tell = self.tell
    self.tell = nil
    tell?(result)
  }

  /// Takes an item, or the end of a list: `end` is 0 before it, positive at it, negative for a fault.
  func take(_ end: Int32, fault: () -> SoundError, _ fact: () -> PulseFact?) {
    if end == 0, facts.count < Self.mostFacts, let fact = fact() { facts.append(fact) }
    if end > 0 { self.end(.success(facts)) }
    if end < 0 { self.end(.failure(fault())) }
  }
}
