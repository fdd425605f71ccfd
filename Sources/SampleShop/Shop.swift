import FoundationEssentials
import WakeChannels

/// The backend of a shop that has only orders and takes reports.
struct Shop: Sendable {
  private let orders: String
  private let token: String?
  private let files = ShopFiles()
  private let faults = Faults()
  private let reports: Reports

  private struct Pending: Encodable {
    var orders: [String]
    var cursor: String
  }

  private struct AnyObject: Decodable {
    enum CodingKeys: CodingKey {}
    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: CodingKeys.self) }
  }

  /// Opens the shop; reads the reports of earlier runs.
  init(_ arguments: ShopArguments) async {
    orders = arguments.orders
    token = arguments.token
    reports = Reports(path: arguments.reports, files: files)
    await reports.load()
  }

  /// Answers a request, with the faults that are on.
  func answer(_ request: HTTPServer.Request) async -> HTTPServer.Response {
    if let token, request.fields.values("Authorization") != ["Bearer \(token)"] {
      return .error(401, "the token is missing or wrong", remedy: "send Authorization: Bearer …")
    }
    guard request.path != "/faults", let fault = await faults.take(for: request.path) else {
      return await router.answer(request)
    }
    return await fault.answer { await router.answer(request) }
  }

  private var router: Router {
    var router = Router()
    router.on(.get, "/orders/{id}") { await order($0.parameters["id"] ?? "") }
    router.on(.get, "/orders") { await pending(after: $0.query("after") ?? "") }
    router.on(.post, "/reports") { await take($0) }
    router.on(.get, "/reports") { _ in .json(text: await reports.all) }
    router.on(.post, "/faults") { await misbehave($0.body) }
    router.on(.delete, "/faults") { _ in
      await faults.removeAll()
      return .json(["faults": 0])
    }
    return router
  }

  private func order(_ id: String) async -> HTTPServer.Response {
    guard !id.contains("/"), !id.hasPrefix("."), let order = await files.contents("\(orders)/\(id).json")
    else {
      return .error(404, "there is no such order")
    }
    return .json(text: order)
  }

  private func pending(after cursor: String) async -> HTTPServer.Response {
    let ids = await files.orderIDs(in: orders).filter { $0 > cursor }.prefix(100)
    return .json(Pending(orders: Array(ids), cursor: ids.last ?? cursor))
  }

  private func take(_ request: HTTPServer.Request) async -> HTTPServer.Response {
    guard let key = request.fields["Idempotency-Key"], !key.isEmpty else {
      return .error(400, "the header Idempotency-Key is missing")
    }
    guard (try? JSONDecoder().decode(AnyObject.self, from: Data(request.body))) != nil else {
      return .error(400, "the report is not a JSON object")
    }
    return switch await reports.take(request.body, key: key) {
    case .new: .json(["accepted": true, "known": false])
    case .known: .json(["accepted": true, "known": true])
    case .failed: .error(507, "the report could not be written down", remedy: "send it again later")
    }
  }

  private func misbehave(_ body: [UInt8]) async -> HTTPServer.Response {
    do {
      await faults.add(try JSONDecoder().decode(Fault.self, from: Data(body)))
      return .json(["accepted": true])
    } catch {
      return .error(
        400, "not a fault: \(error)", remedy: #"send {"path": "/orders", "status": 500, "times": 1}"#)
    }
  }
}
