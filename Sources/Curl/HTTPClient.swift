public import ESCPOS

/// An HTTP client on libcurl, for any number of requests at a time on one thread of its own.
///
/// The thread starts with the first request and sleeps without waking while there is nothing to do. Connections are
/// kept and used again. TLS certificates are verified, always. A redirection is followed within the same scheme, host and
/// port, at most five times, and refused elsewhere, so that no header reaches another server. Proxies of the environment
/// are ignored unless asked for.
public final class HTTPClient: Sendable {
  /// What all requests of a client have in common.
  public struct Options: Sendable {
    /// A file of PEM certificates to trust instead of the system's, or nil.
    public var certificateFile: String?
    /// A Unix socket to connect to, whatever host the address names, or nil.
    public var unixSocket: String?
    /// Whether `https_proxy` and its like count.
    public var usesProxyOfEnvironment: Bool
    /// The longest time for finding the host, connecting and TLS; never beyond the request's deadline.
    public var connect: Duration
    /// How long a server may leave sent bytes unacknowledged before the connection counts as dead.
    public var silence: Duration
    /// Connections to one server at a time; more requests wait for a free one.
    public var connectionsPerHost: Int
    /// The `User-Agent`.
    public var userAgent: String

    /// Creates options; by default for a server on the internet.
    public init(
      certificateFile: String? = nil, unixSocket: String? = nil, usesProxyOfEnvironment: Bool = false,
      connect: Duration = .seconds(3), silence: Duration = .seconds(3), connectionsPerHost: Int = 8,
      userAgent: String = "printd"
    ) {
      self.certificateFile = certificateFile
      self.unixSocket = unixSocket
      self.usesProxyOfEnvironment = usesProxyOfEnvironment
      self.connect = connect
      self.silence = silence
      self.connectionsPerHost = connectionsPerHost
      self.userAgent = userAgent
    }
  }

  private let thread: CurlThread

  /// Creates a client; nothing is opened or started before the first request.
  public init(_ options: Options = Options()) {
    thread = CurlThread(options)
  }

  /// Sends a request and returns the whole answer, whatever its status.
  ///
  /// - Parameters:
  ///   - request: The request; at most `request.responseLimit` bytes of answer are taken.
  ///   - deadline: The call returns by then, with or without an answer.
  /// - Throws: ``HTTPClientError``; its code says whether the request may have arrived. Cancelling the task aborts the
  ///   transfer at once.
  public func send(
    _ request: Request, by deadline: BootInstant
  ) async throws(HTTPClientError) -> Response {
    if let fault = request.fault { throw HTTPClientError(.invalidRequest, fault) }
    let pending = PendingSend(request: request, origin: try Origin(request.url), deadline: deadline)
    thread.add(pending)
    let result = await withTaskCancellationHandler {
      await pending.result
    } onCancel: {
      pending.finish(.failure(HTTPClientError(.cancelled, "the request to \(pending.origin) was cancelled")))
      thread.wake()
    }
    return try result.get()
  }

  deinit { thread.stop() }
}
