import Glibc

/// A wake that came over a channel and is believed.
public struct WakeRequest: Sendable {
  /// The wake's JSON, byte for byte as it came.
  public var body: [UInt8]
  /// The sender's id of the delivery (`webhook-id`), or nil where the channel has none. A known one is a replay.
  public var deliveryID: String?
  /// Whether the sender wants its answer as soon as the wake is durable (`Prefer: respond-async`, RFC 7240), not at
  /// the completion.
  public var respondsAsync: Bool
  /// When it came, in nanoseconds of `CLOCK_BOOTTIME`; the budget starts here.
  public var acceptedAt: Int64
  /// The sender's address, or `unix`.
  public var peer: String

  /// Creates a wake.
  public init(
    body: [UInt8], deliveryID: String?, respondsAsync: Bool = false, acceptedAt: Int64, peer: String = "unix"
  ) {
    self.body = body
    self.deliveryID = deliveryID
    self.respondsAsync = respondsAsync
    self.acceptedAt = acceptedAt
    self.peer = peer
  }

  /// Creates a wake from a request whose sender is trusted already, as on the control socket.
  public init(_ request: HTTPServer.Request, deliveryID: String? = nil) {
    let preferences = request.fields.values("Prefer").flatMap { $0.split(separator: ",") }
    self.init(
      body: request.body, deliveryID: deliveryID,
      respondsAsync: preferences.contains { preference in
        let word = preference.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        return word.lowercased() == "respond-async"
      },
      acceptedAt: request.acceptedAt, peer: request.peer)
  }
}

/// The webhook `POST /v1/wakes`: signed wakes in, the answer of the wake's handler out.
///
/// What the body is called (`Content-Type`) does not matter. A delivery that is not believed is answered here, with
/// 401 or 503 and the reason; the handler sees believed ones only. Replays are the handler's to refuse, by the
/// delivery's id, since only the journal remembers them for long enough.
public struct Webhook: Sendable {
  private let keys: @Sendable () -> [WebhookKey]
  private let clock: @Sendable () -> Double
  private let refused: @Sendable (WebhookFault, HTTPServer.Request) -> Void
  private let handle: @Sendable (WakeRequest) async -> HTTPServer.Response

  /// Creates a webhook.
  ///
  /// - Parameters:
  ///   - keys: The keys that count now; asked for each delivery, so that a reload takes effect at once.
  ///   - clock: Seconds since 1970.
  ///   - refused: Learns of each delivery that is not believed, for the log and the metrics.
  ///   - handle: Answers a believed wake.
  public init(
    keys: @escaping @Sendable () -> [WebhookKey], clock: @escaping @Sendable () -> Double = { Webhook.now() },
    refused: @escaping @Sendable (WebhookFault, HTTPServer.Request) -> Void = { _, _ in },
    handle: @escaping @Sendable (WakeRequest) async -> HTTPServer.Response
  ) {
    self.keys = keys
    self.clock = clock
    self.refused = refused
    self.handle = handle
  }

  /// The route, to be added to a ``Router``.
  public var routes: Router {
    var router = Router()
    router.on(.post, "/v1/wakes") { request in await answer(request) }
    return router
  }

  /// The system's clock, seconds since 1970.
  public static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private func answer(_ request: HTTPServer.Request) async -> HTTPServer.Response {
    let id: String
    do throws(WebhookFault) {
      id = try WebhookSignature.verify(request.fields, body: request.body, keys: keys(), now: clock())
    } catch {
      refused(error, request)
      var response = HTTPServer.Response.error(error.status, error.description, remedy: error.remedy)
      if error == .clockNotSet { response.fields.append("Retry-After", "60") }
      return response
    }
    return await handle(WakeRequest(request, deliveryID: id))
  }
}
