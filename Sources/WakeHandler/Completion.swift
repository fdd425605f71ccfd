import PrintJobs
import Threads

/// The end of a wake, called exactly once, for as many as wait for it.
///
/// Success, failure and expiry race for the ``Writer``; the first one's word stands, the others learn that they
/// came late. When every writer is gone without a word, the wake completes as failed: nobody waits for ever.
public final class Completion: Sendable {
  private struct State {
    var value: WakeCompletion?
    var waiters: [CheckedContinuation<WakeCompletion, Never>] = []
  }

  private let state = Locked(State())

  private init() {}

  /// Makes a completion and the one who calls it.
  public static func pair() -> (completion: Completion, writer: Writer) {
    let completion = Completion()
    return (completion, Writer(completion))
  }

  /// A completion that has been called already.
  public static func ended(_ value: WakeCompletion) -> Completion {
    let completion = Completion()
    completion.write(value)
    return completion
  }

  /// How the wake ended; waits for it.
  public var value: WakeCompletion {
    get async {
      await withCheckedContinuation { waiter in
        let value = state.withLock { state -> WakeCompletion? in
          if state.value == nil { state.waiters.append(waiter) }
          return state.value
        }
        if let value { waiter.resume(returning: value) }
      }
    }
  }

  /// How the wake ended, or nil while it has not.
  public var current: WakeCompletion? { state.withLock { $0.value } }

  @discardableResult
  private func write(_ value: WakeCompletion) -> Bool {
    let waiters = state.withLock { state -> [CheckedContinuation<WakeCompletion, Never>]? in
      guard state.value == nil else { return nil }
      state.value = value
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { return false }
    for waiter in waiters { waiter.resume(returning: value) }
    return true
  }

  /// The side of a completion that calls it.
  public final class Writer: Sendable {
    private let completion: Completion

    fileprivate init(_ completion: Completion) {
      self.completion = completion
    }

    /// Completes the wake, if nobody has yet.
    ///
    /// - Returns: Whether this call did it.
    @discardableResult
    public func complete(_ value: WakeCompletion) -> Bool {
      completion.write(value)
    }

    deinit {
      completion.write(WakeCompletion(outcome: .unknown("the wake was dropped without a word"), jobs: []))
    }
  }
}
