import Threads

extension WorkThreads {
  /// Work on many files, one piece after the other.
  static let files = WorkThreads(atMost: 1)
}
