/// The last payments that were taken, by their ids; the oldest are forgotten.
struct RememberedPayments {
  /// How many there may be.
  let limit: Int
  private var ids: Set<String> = []
  private var inOrder: [String] = []

  /// Creates an empty memory.
  init(limit: Int) { self.limit = limit }

  /// Whether a payment is among them.
  func contains(_ id: String) -> Bool { ids.contains(id) }

  /// Adds a payment; one without an id is none.
  mutating func remember(_ id: String) {
    guard !id.isEmpty, ids.insert(id).inserted else { return }
    inOrder.append(id)
    if inOrder.count > limit { ids.remove(inOrder.removeFirst()) }
  }

  /// Takes a payment out again: it was not heard.
  mutating func forget(_ id: String) {
    guard ids.remove(id) != nil, let index = inOrder.lastIndex(of: id) else { return }
    inOrder.remove(at: index)
  }
}
