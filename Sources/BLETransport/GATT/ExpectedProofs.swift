/// The questions in a job that the printer is to answer when it has taken what is before them, and has not yet.
struct ExpectedProofs: Equatable, Sendable {
  private struct Question: Equatable {
    /// The bytes before it, counted from the link's opening.
    var position: Int
    /// The same with it.
    var end: Int
  }

  private var questions: [Question] = []
  /// Whether an answer is worth waiting for: the last wait was not in vain, or one has come since.
  private(set) var areHopeful = true

  /// Whether an answer is still owed.
  var areOpen: Bool { !questions.isEmpty }

  /// A question will be sent that proves the first `position` bytes.
  mutating func expect(_ position: Int, askedBy end: Int) {
    questions.append(Question(position: position, end: end))
  }

  /// What was waited for has not come in time.
  mutating func disappoint() { areHopeful = false }

  /// The answer that proves the first `position` bytes has come.
  mutating func arrive(_ position: Int) {
    areHopeful = true
    questions.removeAll { $0.position <= position }
  }

  /// Whether an answer that may be waited for would make room.
  ///
  /// - Parameters:
  ///   - count: Bytes that want to go.
  ///   - accepted: Bytes that have gone.
  ///   - burst: The bytes that may go ahead of an answer.
  func makeRoom(for count: Int, behind accepted: Int, burst: Int) -> Bool {
    guard areHopeful, let asked = questions.last(where: { $0.end <= accepted }) else { return false }
    return accepted - asked.position + count <= burst
  }

  /// Whether a question is to come in what is still to be sent behind `accepted` bytes.
  func areDue(behind accepted: Int) -> Bool { questions.contains { $0.end > accepted } }
}
