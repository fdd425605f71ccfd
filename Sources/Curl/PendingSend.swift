import ESCPOS
import Synchronization

/// A request on its way, shared by the task that waits and the thread that sends. The first result counts.
final class PendingSend: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Result<HTTPClient.Response, HTTPClientError>, Never>)
    case finished(Result<HTTPClient.Response, HTTPClientError>)
  }

  let request: HTTPClient.Request
  let origin: Origin
  let deadline: BootInstant
  private let state = Mutex(State.new)

  init(request: HTTPClient.Request, origin: Origin, deadline: BootInstant) {
    self.request = request
    self.origin = origin
    self.deadline = deadline
  }

  /// Whether nobody waits for a result any more.
  var isFinished: Bool {
    state.withLock { if case .finished = $0 { true } else { false } }
  }

  /// The first result; to be awaited once.
  var result: Result<HTTPClient.Response, HTTPClientError> {
    get async {
      await withCheckedContinuation { continuation in
        let early = state.withLock { state -> Result<HTTPClient.Response, HTTPClientError>? in
          if case .finished(let result) = state { return result }
          state = .waiting(continuation)
          return nil
        }
        if let early { continuation.resume(returning: early) }
      }
    }
  }

  /// Gives the result, unless there is one.
  func finish(_ result: Result<HTTPClient.Response, HTTPClientError>) {
    let waiting = state.withLock {
      state -> CheckedContinuation<Result<HTTPClient.Response, HTTPClientError>, Never>? in
      guard case .waiting(let continuation) = state else {
        if case .new = state { state = .finished(result) }
        return nil
      }
      state = .finished(result)
      return continuation
    }
    waiting?.resume(returning: result)
  }
}
