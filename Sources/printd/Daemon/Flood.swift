import ESCPOS
import Synchronization

/// Lets the first lines of every minute into the log and counts the rest, so that nobody outside can fill the journal.
final class Flood: Sendable {
  private struct Minute: Sendable {
    var start: BootInstant
    var count = 0
  }

  private let limit: Int
  private let minute: Mutex<Minute>

  /// Creates a limit of `limit` lines a minute, from `now` on.
  init(limit: Int = 20, now: BootInstant) {
    self.limit = limit
    minute = Mutex(Minute(start: now))
  }

  /// Whether a line is to be written at `now`, and how many were not since the last one that was.
  func admit(at now: BootInstant) -> (isWritten: Bool, unwritten: Int) {
    minute.withLock { minute in
      guard now < minute.start.advanced(by: .seconds(60)) else {
        let unwritten = max(0, minute.count - limit)
        minute = Minute(start: now, count: 1)
        return (true, unwritten)
      }
      minute.count += 1
      return (minute.count <= limit, 0)
    }
  }

  /// Writes a warning unless too many have been written.
  func warning(_ event: String, _ fields: [(String, Any)], at now: BootInstant) {
    let (isWritten, unwritten) = admit(at: now)
    guard isWritten else { return }
    Log.warning(event, fields + (unwritten > 0 ? [("unwritten", unwritten)] : []))
  }
}
