import Dispatch
import Glibc

/// The signals that the daemon listens to, as a sequence.
enum Signals {
  /// What a signal asks for.
  enum Request: Sendable {
    /// SIGTERM, SIGINT: finish the receipt in hand and go.
    case stop
    /// SIGHUP: read printers and secrets again.
    case reload
  }

  /// From this call on the signals no longer end the process but come out of the sequence.
  static func requests() -> AsyncStream<Request> {
    AsyncStream { continuation in
      let queue = DispatchQueue(label: "printd.signals")
      let sources = [(SIGTERM, Request.stop), (SIGINT, .stop), (SIGHUP, .reload)].map { number, request in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { continuation.yield(request) }
        source.activate()
        return Uncancelled(source: source)
      }
      continuation.onTermination = { _ in
        for kept in sources { kept.source.cancel() }
      }
    }
  }

  /// Keeps a source alive.
  ///
  /// `@unchecked Sendable`: a dispatch source's methods may be called from any thread (dispatch_source_create(3)).
  private struct Uncancelled: @unchecked Sendable {
    let source: any DispatchSourceSignal
  }
}
