public import ESCPOS

extension DBusConnection {
  /// Sends a run of calls, in order, of which only the last is answered: the others say that they want no answer
  /// (`NO_REPLY_EXPECTED`), which spares both sides and the bus half of the messages.
  ///
  /// The run goes out whole: while 128 calls are unanswered it waits, and is dropped when its deadline passes before its
  /// turn. The callee has handled all of them when it answers the last; whether it refused one of the others nobody learns.
  ///
  /// - Returns: The last call, or nil for an empty run.
  /// - Throws: `.invalid` when one of them cannot be sent; none is then. All should have the same destination.
  public func begin(run calls: [DBusCall], by deadline: BootInstant) throws(DBusError) -> DBusPendingCall? {
    guard let last = calls.last else { return nil }
    for call in calls { try Validation.check(call) }
    let answer = Answer(to: "\(last.interface).\(last.member)", mailbox)
    deadlines.add(answer, deadline)
    if !mailbox.post({ $0.send(calls, answer) }) { answer.settle(.failure(.disconnected)) }
    return DBusPendingCall(answer, deadlines)
  }
}
