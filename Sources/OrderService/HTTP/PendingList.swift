import FoundationEssentials
import PrintJobs

/// The orders that wait, as a service lists them: `{"orders": ["id", {"order_id": "id"}], "cursor": "…"}`.
///
/// Both forms of an order may be mixed; what else an object or the list has in it is not read.
struct PendingList: Decodable {
  /// The most orders that one answer may list.
  static let limit = 10_000

  /// The ids in the order of the list, each once.
  var orderIDs: [String] = []
  /// What to ask with next; nil where the service names none.
  var cursor: String?

  private enum CodingKeys: String, CodingKey {
    case orders, cursor
    case orderID = "order_id"
  }

  /// Reads an answer's body.
  ///
  /// - Throws: ``OrderServiceError`` with `.refused` and the path of the fault.
  static func read(_ body: [UInt8]) throws(OrderServiceError) -> PendingList {
    do {
      return try JSONDecoder().decode(PendingList.self, from: Data(body))
    } catch let error as OrderServiceError {
      throw error
    } catch {
      throw refusal("", "expected an object such as {\"orders\": [\"20261130-000187\"], \"cursor\": \"187\"}")
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard var list = try? container.nestedUnkeyedContainer(forKey: .orders) else {
      throw PendingList.refusal("orders", "expected an array of order ids")
    }
    var known: Set<String> = []
    while !list.isAtEnd {
      let index = list.currentIndex
      guard index < PendingList.limit else {
        throw PendingList.refusal("orders", "has more than \(PendingList.limit) entries; list them in pages")
      }
      let id = try PendingList.id(&list, at: index)
      if let fault = OrderDocument.fault(ofID: id) { throw PendingList.refusal("orders[\(index)]", fault) }
      if known.insert(id).inserted { orderIDs.append(id) }
    }
    do {
      cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
    } catch {
      throw PendingList.refusal("cursor", "expected a string")
    }
    guard cursor.map({ $0.utf8.count <= 1024 }) ?? true else {
      throw PendingList.refusal("cursor", "has more than 1024 bytes")
    }
  }

  private static func id(_ list: inout any UnkeyedDecodingContainer, at index: Int) throws -> String {
    if let id = try? list.decode(String.self) { return id }
    if let object = try? list.nestedContainer(keyedBy: CodingKeys.self) {
      if let id = try? object.decode(String.self, forKey: .orderID) { return id }
      throw refusal("orders[\(index)].order_id", "expected a string such as \"20261130-000187\"")
    }
    throw refusal("orders[\(index)]", "expected an order id, a string such as \"20261130-000187\"")
  }

  private static func refusal(_ path: String, _ message: String) -> OrderServiceError {
    OrderServiceError(.refused, "the list of pending orders: \(path.isEmpty ? "" : "\(path): ")\(message)")
  }
}
