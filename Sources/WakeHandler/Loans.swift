import ESCPOS

/// Who has a printer on loan, by the tokens that the borrowers have chosen: it is lent as long as anybody has it.
///
/// A token that was given back lends nothing any more for a while, since a request of the same borrower may still be under way.
struct Loans {
  /// How long a token that was given back is remembered: longer than any request for a loan takes.
  private static let memory = Duration.seconds(120)
  /// How many tokens that were given back are remembered at most; the oldest are forgotten.
  private static let mostRemembered = 64

  private var ends: [String: BootInstant] = [:]
  private var givenBack: [String: BootInstant] = [:]

  /// When the last loan ends that has not ended by `now`; nil when there is none.
  func end(after now: BootInstant) -> BootInstant? { ends.values.filter { $0 > now }.max() }

  /// Whether this borrower has it.
  func has(_ token: String, at now: BootInstant) -> Bool { ends[token].map { $0 > now } ?? false }

  /// Lends it, or sets the loan's end anew.
  ///
  /// - Returns: Whether it is lent now; it is not when this loan was given back.
  mutating func lend(to token: String, until end: BootInstant, at now: BootInstant) -> Bool {
    forget(at: now)
    guard givenBack[token] == nil else { return false }
    ends[token] = end
    return true
  }

  /// Ends a loan for good.
  mutating func giveBack(_ token: String, at now: BootInstant) {
    forget(at: now)
    ends[token] = nil
    givenBack[token] = now
    guard givenBack.count > Self.mostRemembered else { return }
    if let oldest = givenBack.min(by: { $0.value < $1.value }) { givenBack[oldest.key] = nil }
  }

  /// Ends a loan that has not come about; the borrower may ask again.
  mutating func withdraw(_ token: String) { ends[token] = nil }

  /// Ends all loans; the borrowers may ask again.
  mutating func withdrawAll() { ends = [:] }

  private mutating func forget(at now: BootInstant) {
    ends = ends.filter { $0.value > now }
    givenBack = givenBack.filter { $0.value.advanced(by: Self.memory) > now }
  }
}
