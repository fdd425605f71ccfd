public import ESCPOS
import Synchronization

/// By when each part of the story must have made its next step; the watchdog is fed only while none is late.
public final class Progress: Sendable {
  private let due = Mutex<[String: BootInstant]>([:])
  private let slack = Duration.seconds(30)

  init() {}

  /// The parts that should have moved on by `now` and have not; empty when all is well.
  public func overdue(at now: BootInstant) -> [String] {
    due.withLock { due in due.filter { $0.value < now }.map(\.key).sorted() }
  }

  /// `part` takes a step that ends by `deadline`; nil while it waits for something to do.
  func expect(_ part: String, by deadline: BootInstant?) {
    due.withLock { $0[part] = deadline?.advanced(by: slack) }
  }
}
