import Glibc
import Threads

/// An open file descriptor that came with a message, or that goes with one.
///
/// It is closed with its last holder, unless somebody has taken it. Two are equal when they are the same object.
public final class DBusDescriptor: Sendable, Hashable {
  /// The number, or nil once taken.
  private let number: Locked<Int32?>

  /// Takes over an open descriptor.
  public init(owning number: Int32) {
    self.number = Locked(number)
  }

  /// Hands the descriptor over; the receiver closes it. Nil when it has been taken before.
  public func take() -> Int32? {
    number.withLock { number in
      defer { number = nil }
      return number
    }
  }

  /// Calls `body` with the number while nobody can take or close it; nil when it has been taken.
  func borrow<Result>(_ body: (Int32) -> Result) -> Result? {
    number.withLock { $0.map(body) }
  }

  deinit {
    if let number = take() { _ = close(number) }
  }

  /// Whether both are the same object.
  public static func == (left: DBusDescriptor, right: DBusDescriptor) -> Bool { left === right }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
