import Curl
public import ESCPOS
public import PrintJobs
import Synchronization

/// A shop's backend over HTTP: orders, what is pending, and reports.
public final class HTTPOrderService: Sendable {
  /// Where the backend is and how it is spoken to.
  public struct Configuration: Sendable {
    /// The address of an order, with `{order_id}` in it.
    public var orderURL: String
    /// Where reports are posted; `{order_id}` may stand in it. Nil where the backend takes none.
    public var reportURL: String?
    /// The list of pending orders, with `{cursor}` in it (empty at the first time). Nil where the backend has none.
    public var pendingURL: String?
    /// The secret that each request carries, or nil.
    public var secret: SecretHeader?
    /// A file of PEM certificates to trust instead of the system's, or nil.
    public var certificateFile: String?
    /// Whether `https_proxy` and its like count.
    public var usesProxyOfEnvironment: Bool
    /// The longest time for connecting, inside the deadline.
    public var connect: Duration

    /// Creates a configuration.
    public init(
      orderURL: String, reportURL: String? = nil, pendingURL: String? = nil, secret: SecretHeader? = nil,
      certificateFile: String? = nil, usesProxyOfEnvironment: Bool = false, connect: Duration = .seconds(3)
    ) {
      self.orderURL = orderURL
      self.reportURL = reportURL
      self.pendingURL = pendingURL
      self.secret = secret
      self.certificateFile = certificateFile
      self.usesProxyOfEnvironment = usesProxyOfEnvironment
      self.connect = connect
    }
  }

  /// A part of the configuration.
  public enum Part: String, Sendable {
    /// ``Configuration/orderURL``.
    case order
    /// ``Configuration/reportURL``.
    case report
    /// ``Configuration/pendingURL``.
    case pending
    /// ``Configuration/secret``.
    case secret
  }

  /// What is wrong with the configuration; no secrets.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where.
    public var part: Part
    /// What, as the rest of a sentence about the part, and what to do.
    public var message: String
    /// The part and the message.
    public var description: String { "\(part.rawValue): \(message)" }
  }

  private let order: URLTemplate
  private let report: URLTemplate?
  private let pending: URLTemplate?
  private let secret: SecretHeader?
  private let token = Mutex<(value: String?, warnings: [String])>((nil, []))
  let client: HTTPClient

  /// Creates a service; no connection is made yet. Reads the secret file.
  ///
  /// - Throws: ``Fault``.
  public init(_ configuration: Configuration) throws(Fault) {
    order = try URLTemplate(configuration.orderURL, variable: "order_id", part: .order)
    report =
      if let url = configuration.reportURL {
        try URLTemplate(url, variable: "order_id", isRequired: false, part: .report)
      } else { nil }
    pending =
      if let url = configuration.pendingURL {
        try URLTemplate(url, variable: "cursor", part: .pending)
      } else { nil }
    secret = configuration.secret
    client = HTTPClient(
      HTTPClient.Options(
        certificateFile: configuration.certificateFile,
        usesProxyOfEnvironment: configuration.usesProxyOfEnvironment, connect: configuration.connect))
    try reload()
  }

  /// Reads the secret file again. After a fault the secret is what it was.
  ///
  /// - Throws: ``Fault`` about ``Part/secret``.
  public func reload() throws(Fault) {
    guard let secret else { return }
    let (value, warning) = try secret.read()
    var warnings = warning.map { [$0] } ?? []
    for template in [order, report, pending].compactMap({ $0 }) where template.isOpenToOthers {
      warnings.append("the secret goes to \(template.origin) in the clear; use https://")
      break
    }
    token.withLock { $0 = (value, warnings) }
  }

  /// What a person should know about the secret, one line each.
  public var warnings: [String] { token.withLock { $0.warnings } }

  /// Fetches one order, whole and checked to be a JSON object of at most 1 MiB.
  ///
  /// A failed connection, a 5xx answer and half a body are tried once more inside the deadline.
  ///
  /// - Throws: ``OrderServiceError``.
  public func order(_ id: String, by deadline: BootInstant) async throws(OrderServiceError) -> [UInt8] {
    if let fault = OrderDocument.fault(ofID: id) { throw OrderServiceError(.refused, fault) }
    let request = HTTPClient.Request(
      .get, order.url(id), headers: headers(accepting: true), responseLimit: OrderDocument.limit)
    return try await exchange(request, at: order.origin, by: deadline) { response throws(OrderServiceError) in
      if OrderDocument.isObject(response.body) { return response.body }
      // Without a length nobody can tell an answer that broke off from one that is wrong.
      let isFramed = response.header("Content-Length") != nil || response.header("Transfer-Encoding") != nil
      throw OrderServiceError(
        isFramed ? .refused : .unavailable,
        "\(order.origin) answered with something that is not a JSON object; check the order URL")
    }
  }

  /// Orders that wait after `cursor`, and the cursor to ask with next (the same one where the service names none).
  ///
  /// - Throws: ``OrderServiceError``; `.unsupported` without a URL for it, or when the service answers 404.
  public func pending(
    after cursor: String?, by deadline: BootInstant
  ) async throws(OrderServiceError) -> (orderIDs: [String], cursor: String?) {
    guard let pending else {
      throw OrderServiceError(.unsupported, "no URL for the list of pending orders is configured")
    }
    let request = HTTPClient.Request(.get, pending.url(cursor ?? ""), headers: headers(accepting: true))
    do throws(OrderServiceError) {
      return try await exchange(request, at: pending.origin, by: deadline) {
        response throws(OrderServiceError) in
        if response.status == 204 { return ([], cursor) }
        let list = try PendingList.read(response.body)
        return (list.orderIDs, list.cursor ?? cursor)
      }
    } catch {
      guard error.code == .notFound else { throw error }
      throw OrderServiceError(
        .unsupported, "\(pending.origin) has no list of pending orders (404); check its URL")
    }
  }

  /// Reports an outcome; returns once the backend has answered 2xx.
  ///
  /// The `Idempotency-Key` makes a report that is sent twice count once.
  ///
  /// - Throws: ``OrderServiceError``; `.unsupported` without a URL for reports.
  public func report(_ report: Report, by deadline: BootInstant) async throws(OrderServiceError) {
    guard let template = self.report else {
      throw OrderServiceError(.unsupported, "no URL for reports is configured")
    }
    if let fault = OrderDocument.fault(ofID: report.orderID) { throw OrderServiceError(.refused, fault) }
    let key =
      report.idempotencyKey.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      ? report.idempotencyKey : URLTemplate.encoded(report.idempotencyKey)
    let request = HTTPClient.Request(
      .post, template.url(report.orderID),
      headers: headers(accepting: false) + [("Content-Type", "application/json"), ("Idempotency-Key", key)],
      body: try OrderDocument.encoded(report, withKey: false))
    try await exchange(request, at: template.origin, by: deadline) { _ throws(OrderServiceError) in }
  }

  private func headers(accepting: Bool) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = accepting ? [("Accept", "application/json")] : []
    if let secret, let value = token.withLock({ $0.value }) { headers.append((secret.name, value)) }
    return headers
  }
}
