import Glibc
import Threads

/// A real dbus-daemon with a configuration of its own; it ends with its last holder.
public final class PrivateBus: Sendable {
  /// The folder with configuration, socket and log.
  public let folder: TemporaryFolder
  /// Where it listens, as D-Bus writes it.
  public let address: String
  private let daemon: Locked<ChildProcess>

  /// Starts the daemon, with more elements for its configuration; returns when it listens.
  public init(_ more: String = "") async throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>custom</type>
        <listen>unix:path=\(folder.path("bus"))</listen>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
        <limit name="max_replies_per_connection">128</limit>
        \(more)
      </busconfig>
      """, to: "bus.conf")
    address = "unix:path=\(folder.path("bus"))"
    daemon = Locked(try Self.start(folder))
    try await listening()
  }

  private static func start(_ folder: TemporaryFolder) throws -> ChildProcess {
    unlink(folder.path("bus"))
    return try ChildProcess(
      "dbus-daemon",
      ["--config-file=\(folder.path("bus.conf"))", "--print-address", "--nofork", "--nopidfile"],
      output: folder.path("bus.log"))
  }

  /// The daemon prints its address once it listens.
  private func listening() async throws {
    try await DaemonRig.until {
      ((try? Fixtures.text(ofFile: self.folder.path("bus.log"))) ?? "").contains("unix:path=")
    }
  }

  /// Ends the daemon without warning; returns when it is gone.
  public func kill() async {
    let daemon = daemon.withLock { $0 }
    daemon.send(SIGKILL)
    _ = await daemon.end
  }

  /// Stops the daemon where it stands, so that nothing is answered.
  public func freeze() { daemon.withLock { $0.send(SIGSTOP) } }

  /// Starts it anew, at the same address.
  public func restart() async throws {
    await kill()
    let next = try Self.start(folder)
    daemon.withLock { $0 = next }
    try await listening()
  }

  deinit { daemon.withLock { $0.send(SIGKILL) } }
}
