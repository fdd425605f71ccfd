public import Curl
import ESCPOS
import Glibc

/// `printd run` as a process of its own, with a folder of its own, and a shop where one is wanted.
public final class DaemonRig: Sendable {
  /// A daemon that did not come up.
  public struct NotReady: Error, CustomStringConvertible {
    /// The end and the log.
    public let description: String
  }

  /// The folder with configuration, state, paper and logs.
  public let folder: TemporaryFolder
  /// What the daemon says to systemd.
  public let notifications: NotifySocket
  /// The shop's address (`http://127.0.0.1:12345`), or nil without one.
  public let shop: String?
  /// The daemon.
  public let daemon: ChildProcess
  private let shopProcess: ChildProcess?
  private let control: HTTPClient
  private let network = HTTPClient()

  /// The signing secret of the webhook.
  public static let secret = "whsec_cHJpbnRkLXRlc3Qtc2VjcmV0LTAxMjM0NTY3ODk="

  /// Starts a shop (when `orders` names a folder) and a daemon, and returns when the daemon is ready.
  ///
  /// - Parameters:
  ///   - folder: A folder that a daemon has used before, or a new one.
  ///   - orders: The shop's folder of orders, or nil for the daemon's own directory service.
  ///   - printers: The configuration's `printers`.
  ///   - hasPendingList: Whether the shop's list of pending orders is configured.
  ///   - more: More keys of the configuration, with a comma behind each.
  ///   - environment: More variables for the daemon.
  public init(
    in folder: TemporaryFolder? = nil, orders: String?,
    printers: String = #"[{name: "counter", link: "virtual", profile: "generic-80", address: "paper"}]"#,
    hasPendingList: Bool = true, more: String = "", environment: [String: String] = [:]
  ) async throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    var service = #"{directory: "orders"}"#
    if let orders {
      unlink(folder.path("shop.port"))
      shopProcess = try ChildProcess(
        Programs.path("sample-shop"),
        [
          "--listen", "127.0.0.1:0", "--orders", orders, "--reports", folder.path("reports.jsonl"),
          "--port-file", folder.path("shop.port"),
        ], output: folder.path("shop.log"))
      let port = try await Self.portFile(folder.path("shop.port"), of: shopProcess)
      let address = "http://127.0.0.1:\(port)"
      shop = address
      service =
        #"{http: {fetch: "\#(address)/orders/{order_id}", report: "\#(address)/reports""#
        + (hasPendingList ? #", pending: "\#(address)/orders?after={cursor}"}}"# : "}}")
    } else {
      shop = nil
      shopProcess = nil
    }
    try folder.write(Self.secret, to: "webhook.secret")
    let configuration = try folder.write(
      """
      {
        state_directory: "state", \(more)
        printers: \(printers),
        orders: \(service),
        webhook: {listen: "127.0.0.1:0", secret_files: ["webhook.secret"]},
        control: {socket: "\(folder.path("control.sock"))"},
      }
      """, to: "printd.json5")
    unlink(folder.path("notify.sock"))
    let notifications = try NotifySocket(path: folder.path("notify.sock"))
    self.notifications = notifications
    var environment = environment
    environment["NOTIFY_SOCKET"] = notifications.path
    let daemon = try ChildProcess(
      Programs.path("printd"), ["run", "--config", configuration], environment: environment,
      output: folder.path("printd.log"))
    self.daemon = daemon
    control = HTTPClient(HTTPClient.Options(unixSocket: folder.path("control.sock")))
    Task {
      _ = await daemon.end
      notifications.end()
    }
    guard await notifications.heard("READY=1") else {
      throw NotReady(description: "\(await daemon.end): \(log)")
    }
    if hasPendingList { try await Self.until { self.log.contains("asked for pending orders") } }
  }

  /// The port that the shop has written down.
  private static func portFile(_ path: String, of shop: ChildProcess?) async throws -> String {
    var text = ""
    try await until {
      text = (try? Fixtures.text(ofFile: path)) ?? ""
      return !text.isEmpty
    }
    return text.filter(\.isNumber)
  }

  /// Looks again and again, forty seconds at most unless it is said, since a file tells nobody that it has changed.
  public static func until(
    within limit: Duration = .seconds(40), line: Int = #line, file: String = #fileID,
    _ condition: () async throws -> Bool
  ) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while clock.now < end {
      if try await condition() { return }
      try await clock.sleep(for: .milliseconds(5))
    }
    throw NotReady(description: "waited in vain at \(file):\(line)")
  }

  /// The daemon's log so far.
  public var log: String { (try? Fixtures.text(ofFile: folder.path("printd.log"))) ?? "" }

  /// The webhook's address.
  public var webhook: String {
    let line = log.split(separator: "\n").last { $0.contains("webhook listening") } ?? ""
    return "http://\(line.split(separator: "address=").last.map(String.init) ?? "")/v1/wakes"
  }

  /// Asks the daemon over its control socket.
  public func ask(
    _ method: HTTPClient.Method, _ path: String, _ body: String? = nil,
    headers: [(name: String, value: String)] = []
  ) async throws -> HTTPClient.Response {
    try await control.send(
      .init(
        method, "http://printd\(path)", headers: headers, body: body.map { Array($0.utf8) },
        responseLimit: 64 << 20),
      by: BootClock().now.advanced(by: .seconds(60)))
  }

  /// Sends a request over the network.
  public func send(_ request: HTTPClient.Request) async throws -> HTTPClient.Response {
    try await network.send(request, by: BootClock().now.advanced(by: .seconds(60)))
  }

  /// Runs a command of `printd` with the daemon's configuration: its end and its output.
  public func run(_ words: String...) async throws -> (end: ChildProcess.End, output: String) {
    let output = folder.path(
      "command-\(words.joined(separator: "-").filter { $0.isLetter || $0.isNumber }).log")
    let child = try ChildProcess(
      Programs.path("printd"), words + ["--config", folder.path("printd.json5")], output: output)
    let end = await child.end
    return (end, try Fixtures.text(ofFile: output))
  }

  /// Ends the shop without warning; returns when it is gone.
  public func stopShop() async {
    shopProcess?.send(SIGKILL)
    _ = await shopProcess?.end
  }

  /// Ends the daemon without warning, as a power cut does, and the shop with it; returns when both are gone.
  public func kill() async {
    daemon.send(SIGKILL)
    _ = await daemon.end
    await stopShop()
  }

  // A test that fails half way leaves no daemon behind.
  deinit {
    daemon.send(SIGKILL)
    shopProcess?.send(SIGKILL)
  }

  /// Stops the daemon and the shop by SIGTERM and says how the daemon ended; returns when both are gone, for the shop takes
  /// its port file with it, which may be another's by then.
  @discardableResult
  public func stop() async -> ChildProcess.End {
    daemon.send(SIGTERM)
    let end = await daemon.end
    shopProcess?.send(SIGTERM)
    _ = await shopProcess?.end
    return end
  }
}
