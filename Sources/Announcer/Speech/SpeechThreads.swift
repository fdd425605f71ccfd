import Threads

extension WorkThreads {
  /// The files of sounds and the programs that speak. One that hangs must not keep the others from the chime.
  static let speech = WorkThreads()
}
