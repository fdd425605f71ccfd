public import ESCPOS

extension DBusConnection {
  /// Sends a run of calls, in order, of which only the last is answered: the others say that they want no answer
  /// (`NO_REPLY_EXPECTED`), which spares both sides and the bus half of the messages.
  ///
  /// The callee has handled all of them when it answers the last; whether it refused one of the others nobody learns.
  ///
  /// - Returns: The last call, or nil for an empty run.
  /// - Throws: `.invalid` when one of them cannot be sent; none is then.
  public func begin(run calls: [DBusCall], by deadline: BootInstant) throws(DBusError) -> DBusPendingCall? {
    guard let last = calls.last else { return nil }
    for call in calls { try Validation.check(call) }
    let answer = Answer(to: "\(last.interface).\(last.member)", mailbox)
    if !mailbox.post({ $0.run(calls.dropLast(), then: last, answer) }) {
      answer.settle(.failure(.disconnected))
    }
    deadlines.add(answer, deadline)
    return DBusPendingCall(answer, deadlines)
  }
}

extension BusLoop {
  /// Sends calls that want no answer, and one that does behind them.
  func run(_ calls: ArraySlice<DBusCall>, then last: DBusCall, _ answer: Answer) {
    guard !answer.isSettled else { return }
    for call in calls {
      // Behind others that wait for their turn, each takes its own, as a call whose answer nobody reads.
      guard !mustWait(call) else {
        self.call(call, Answer(to: call.member, mailbox))
        continue
      }
      do throws(DBusError) {
        try sendUnanswered(call)
      } catch {
        return answer.settle(.failure(error))
      }
    }
    call(last, answer)
  }
}
