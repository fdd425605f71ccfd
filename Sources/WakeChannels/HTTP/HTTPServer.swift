import Synchronization

/// An HTTP/1.1 server whose requests wait without a thread.
///
/// One thread of libmicrohttpd reads and writes; a request that is whole is handed to a task, its connection is
/// suspended, and goes on when the task has its answer, after milliseconds or after half a minute. A client that goes
/// away does not end the task. Requests beyond the limits, broken ones and slow ones are refused or cut off; the
/// handler sees only whole requests within ``Limits``.
public final class HTTPServer: Sendable {
  /// Where to listen.
  public enum Listen: Sendable, Equatable {
    /// A numeric IP address or `localhost`; port 0 takes a free one, see ``HTTPServer/port``.
    case tcp(host: String, port: UInt16)
    /// A socket in the file system with these permissions (`0o660`); a stale one is replaced.
    case unix(path: String, mode: UInt32)
    /// A listening socket that systemd has handed over; it is closed at the end and never shut down.
    case descriptor(Int32)
  }

  /// What a client may ask of the server.
  public struct Limits: Sendable {
    /// The longest body; a longer one is answered with 413.
    public var bodyBytes: Int
    /// The longest request line and header together; longer ones are answered with 431.
    public var headerBytes: Int
    /// Connections at a time, those that wait for an answer included.
    public var connections: UInt32
    /// Connections at a time from one IP address; 0 for no limit. Unix sockets have none.
    public var connectionsPerAddress: UInt32
    /// From the connection, or the end of the last reply, to the last byte of the request; the connection is closed after it.
    public var receive: Duration
    /// From the first byte of the reply to the last one; the connection is closed after it.
    public var reply: Duration

    /// Creates limits; by default those of the wake channel.
    public init(
      bodyBytes: Int = 65536, headerBytes: Int = 16384, connections: UInt32 = 256,
      connectionsPerAddress: UInt32 = 128, receive: Duration = .seconds(15), reply: Duration = .seconds(15)
    ) {
      self.bodyBytes = bodyBytes
      self.headerBytes = headerBytes
      self.connections = connections
      self.connectionsPerAddress = connectionsPerAddress
      self.receive = receive
      self.reply = reply
    }
  }

  /// The port that is listened on; nil for unix sockets.
  public let port: UInt16?
  private let daemon: MicroHTTPD
  private let ending = Mutex<Task<Void, Never>?>(nil)

  /// Binds, listens and serves.
  ///
  /// - Parameters:
  ///   - listen: Where to listen.
  ///   - limits: What a client may ask for.
  ///   - log: Gets the library's own complaints, one line each; called on the server's thread.
  ///   - handle: Answers a request; runs on the cooperative pool, any number at a time.
  /// - Throws: ``HTTPServerError``; nothing listens then.
  public init(
    listen: Listen, limits: Limits = Limits(), log: @escaping @Sendable (String) -> Void = { _ in },
    handle: @escaping @Sendable (Request) async -> Response
  ) throws(HTTPServerError) {
    let socket = try ListeningSocket(listen)
    port = socket.port
    daemon = try MicroHTTPD(socket: socket, limits: limits, log: log, handle: handle)
  }

  /// Stops accepting, lets the requests in hand get their answers, and closes.
  ///
  /// Requests that come meanwhile on open connections are answered with 503. Returns when all is closed; a second call waits for the
  /// first. It has no time limit of its own: it lasts as long as the longest handler, plus ``Limits/reply``.
  public func stop() async {
    let task = ending.withLock { ending in
      let task = ending ?? Task { [daemon] in await daemon.stop() }
      ending = task
      return task
    }
    await task.value
  }

  deinit {
    guard ending.withLock({ $0 == nil }) else { return }
    Task { [daemon] in await daemon.stop() }
  }
}
