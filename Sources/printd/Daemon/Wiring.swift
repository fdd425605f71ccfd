import ESCPOS
public import OrderService
import PrintJobs
public import PrintJournal
public import WakeHandler

// The floors below have the shapes that the story's ports ask for.

extension Journal: JobPort {}
extension HTTPOrderService: OrderPort {}
extension DirectoryOrderService: OrderPort {}

extension Configuration {
  /// The order service.
  ///
  /// - Throws: ``Failure`` when a secret cannot be read or a folder cannot be made.
  func orderService() throws(Failure) -> any OrderPort {
    switch orders {
    case .directory(let path):
      try Files.makeFolder(path)
      return DirectoryOrderService(orders: path, reports: path + "/reports.jsonl")
    case .http(let http):
      return try Self.httpOrderService(http)
    case nil:
      throw Failure(.configuration, "orders: is missing: say where orders come from")
    }
  }

  /// The order service over HTTP.
  ///
  /// - Throws: ``Failure`` when a secret or an address cannot be used.
  static func httpOrderService(_ http: HTTPOrders) throws(Failure) -> HTTPOrderService {
    do {
      return try HTTPOrderService(
        HTTPOrderService.Configuration(
          orderURL: http.fetch, reportURL: http.report, pendingURL: http.pending, secret: http.secret,
          certificateFile: http.caFile))
    } catch {
      throw Failure(.configuration, "orders.http: \(error)")
    }
  }
}

extension Configuration {
  /// The keys that are read at the start only and are not the same in `other`.
  func keysOfStart(otherIn other: Configuration) -> [String] {
    var keys: [String] = []
    if other.stateDirectory != stateDirectory { keys.append("state_directory") }
    if other.images != images { keys.append("images") }
    if other.budget != budget { keys.append("budget") }
    if other.jobs != jobs { keys.append("jobs") }
    if other.orders != orders { keys.append("orders") }
    if other.wakes != wakes { keys.append("wakes") }
    if other.webhook?.listen != webhook?.listen || other.webhook?.connections != webhook?.connections {
      keys.append("webhook")
    }
    if other.voice != voice { keys.append("voice") }
    if other.control != control { keys.append("control") }
    return keys
  }
}

extension Configuration.HTTPOrders {
  fileprivate var secret: SecretHeader? {
    if let tokenFile { return SecretHeader(file: tokenFile) }
    return header.map { SecretHeader(name: $0.name, prefix: "", file: $0.valueFile) }
  }
}
