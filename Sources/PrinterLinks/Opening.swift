import ESCPOS
import Threads

extension WorkThreads {
  /// Where what may block for long is done: name look-ups, the opening of devices.
  static let opening = WorkThreads()
}

extension BootTimeClock {
  /// Waits for a deadline, and returns the error for it; the one of a cancelled task as soon as it is.
  func end(of deadline: BootInstant, _ message: String) async -> LinkError {
    do { try await sleep(until: deadline, tolerance: nil) } catch {
      return LinkError(.cancelled, "the task was cancelled")
    }
    return LinkError(.deadline, message)
  }
}
