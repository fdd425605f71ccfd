import Threads

/// The answer to one request: what came, or why nothing will.
final class Answer: Sendable {
  private let slot = Slot<Result<[DBusValue], DBusError>>()
  private let request: String
  private let mailbox: Mailbox

  /// Creates an open answer; `request` says in messages what it is the answer to.
  init(to request: String, _ mailbox: Mailbox) {
    self.request = request
    self.mailbox = mailbox
  }

  /// Answers; only the first answer counts.
  func settle(_ result: Result<[DBusValue], DBusError>) { slot.settle(result) }

  /// Whether there is an answer.
  var isSettled: Bool { slot.isSettled }

  /// A reason for which nobody waits any longer.
  enum Reason {
    case deadline
    case cancelled
  }

  /// Gives up waiting; what has not been sent will not be.
  func fail(_ reason: Reason) {
    switch reason {
    case .deadline: settle(.failure(DBusError(.deadline, "\(request): no answer in time")))
    case .cancelled: settle(.failure(DBusError(.cancelled, "\(request): the task was cancelled")))
    }
    mailbox.post { $0.sweep() }
  }

  /// Waits for the answer; gives up when the task is cancelled.
  func values() async throws(DBusError) -> [DBusValue] {
    let result = await withTaskCancellationHandler {
      await slot.value
    } onCancel: {
      fail(.cancelled)
    }
    return try result.get()
  }
}
