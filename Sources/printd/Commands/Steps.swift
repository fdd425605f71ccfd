/// Steps that take a while: each is shown while it goes on, where there is a terminal, and what came of it stays.
struct Steps: Sendable {
  private let live = LiveText()

  /// What is being done now.
  func begin(_ text: String) { live.show(["… \(text.printable)"]) }

  /// What came of it.
  func done(_ text: String) { live.end([text.printable]) }

  /// Takes away what was begun, before something else is shown.
  func clear() { live.show([]) }
}
