/// One line of a doctor: what was looked at, how it is, and what to do.
struct Finding: Sendable {
  enum Verdict: String, Sendable {
    case good = "ok"
    case odd = "warning"
    case bad = "wrong"
  }

  var verdict: Verdict
  var subject: String
  var message: String
  var remedy: String?

  init(_ verdict: Verdict, _ subject: String, _ message: String, remedy: String? = nil) {
    self.verdict = verdict
    self.subject = subject
    self.message = message
    self.remedy = remedy
  }

  var isGood: Bool { verdict != .bad }

  /// `ok       journal: …`
  var text: String {
    let line = "\(verdict.rawValue.padded(to: 9))\(subject): \(message)".printable
    guard let remedy else { return line }
    return "\(line)\n         try: \(remedy)"
  }
}
