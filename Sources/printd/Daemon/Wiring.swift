import ESCPOS
import OrderService
import PrintJobs
import PrintJournal
import WakeHandler

// The floors below have the shapes that the story's ports ask for.

extension Journal: JobPort {}
extension HTTPOrderService: OrderPort {}
extension DirectoryOrderService: OrderPort {}
extension PrinterConversation: ConversationPort {}

extension Configuration {
  /// The order service.
  ///
  /// - Throws: ``Failure`` when a secret cannot be read or a folder cannot be made.
  func orderService() throws(Failure) -> any OrderPort {
    switch orders {
    case .directory(let path):
      try Files.makeFolder(path)
      return DirectoryOrderService(folder: path)
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
        HTTPOrderService.Settings(
          fetch: http.fetch, report: http.report, pending: http.pending, tokenFile: http.tokenFile,
          header: http.header.map { (name: $0.name, valueFile: $0.valueFile) }, certificateFile: http.caFile))
    } catch {
      throw Failure(.configuration, "orders.http: \(error)")
    }
  }
}
