import CSystemd
import Glibc

/// What the daemon tells systemd: sd_notify(3). Without systemd all of it does nothing.
enum ServiceNotify {
  /// `READY=1`: the journal is open and the channels listen.
  static func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

  /// One line for `systemctl status`.
  static func status(_ text: String) { send("STATUS=\(text)") }

  /// `RELOADING=1`, to be followed by ``ready(_:)``.
  static func reloading() { send("RELOADING=1") }

  /// `STOPPING=1`, with time for the receipt in hand.
  static func stopping(extendBy duration: Duration) {
    send("STOPPING=1\nEXTEND_TIMEOUT_USEC=\(duration.components.seconds * 1_000_000)")
  }

  /// `WATCHDOG=1`: every part has made progress.
  static func watchdog() { send("WATCHDOG=1") }

  /// How often systemd wants to hear ``watchdog()``, or nil when it does not watch.
  static var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }

  /// The sockets that systemd has opened for us, by the names of the unit's `FileDescriptorName=`.
  static func sockets() -> [String: Int32] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = sd_listen_fds_with_names(1, &names)
    guard count > 0, let names else { return [:] }
    var sockets: [String: Int32] = [:]
    for index in 0..<Int(count) {
      guard let name = names[index] else { continue }
      sockets[String(cString: name)] = 3 + Int32(index)
      free(name)
    }
    free(names)
    return sockets
  }

  private static func send(_ state: String) { sd_notify(0, state) }
}
