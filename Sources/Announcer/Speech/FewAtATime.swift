import Threads

/// Work that nobody waits for, of which a disk that hangs holds only so much: what is more is not done.
final class FewAtATime: Sendable {
  static let most = 4
  private let count = Locked(0)

  /// Starts the work; false when as much of it is under way as may be.
  @discardableResult
  func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    let isFree = count.withLock { count in
      guard count < Self.most else { return false }
      count += 1
      return true
    }
    guard isFree else { return false }
    WorkThreads.speech.start {
      work()
      self.count.withLock { $0 -= 1 }
    }
    return true
  }
}
