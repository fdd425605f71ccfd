import Glibc
import Threads

/// What a signal asks of the daemon.
enum DaemonRequest: Sendable {
  /// SIGTERM, SIGINT: finish the receipt in hand and go.
  case stop
  /// SIGHUP: read printers and secrets again.
  case reload

  private init(_ signal: Int32) { self = signal == SIGHUP ? .reload : .stop }

  /// From this call on the signals no longer end the process but come out of the sequence.
  static func all() -> some AsyncSequence<DaemonRequest, Never> & Sendable {
    Signals.arrivals(of: [SIGTERM, SIGINT, SIGHUP]).map { DaemonRequest($0) }
  }
}
