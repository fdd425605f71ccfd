import Documents
import ESCPOS
import FoundationEssentials

/// JSON from outside, read with the place of every fault.
enum WakeJSON {
  /// Reads a `T`; faults stand at `path` and below.
  static func read<T: Decodable>(
    _ type: T.Type, from bytes: [UInt8], at path: String
  ) throws(DocumentFault) -> T {
    do {
      return try DocumentReader.read(type, from: bytes)
    } catch {
      guard !path.isEmpty else { throw error }
      throw DocumentFault(path: error.path.isEmpty ? path : "\(path).\(error.path)", message: error.message)
    }
  }
}

/// An order inside a wake. Its bytes are written anew, for the decoder does not give away those it read; strings stay
/// as they are, and numbers keep their value.
struct RawOrder: Decodable {
  var id: RawWord?
  var value: JSONValue

  enum CodingKeys: CodingKey { case id }

  init(from decoder: any Decoder) throws {
    value = try JSONValue(from: decoder)
    if case .object(let members) = value {
      switch members["id"] {
      case .string, .number:
        id = try decoder.container(keyedBy: CodingKeys.self).decode(RawWord.self, forKey: .id)
      default: id = nil
      }
    } else {
      throw DecodingError.typeMismatch(
        [String: JSONValue].self,
        .init(codingPath: decoder.codingPath, debugDescription: "expected an object"))
    }
  }

  /// The order as JSON.
  func bytes() throws(DocumentFault) -> [UInt8] {
    do {
      return Array(try JSONEncoder().encode(value))
    } catch {
      throw DocumentFault(path: "order", message: "cannot be read")
    }
  }
}

extension RawWake {
  /// The order in the wake, or nil.
  func inlineOrder() throws(DocumentFault) -> RawOrder? {
    do throws(DecodingError) {
      return try order?.get()
    } catch {
      throw DocumentFault(error)
    }
  }
}

/// Any JSON value.
enum JSONValue: Codable, Equatable {
  case null
  case bool(Bool)
  case number(Decimal)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let truth = try? container.decode(Bool.self) {
      self = .bool(truth)
    } else if let number = try? container.decode(Decimal.self) {
      self = .number(number)
    } else if let members = try? container.decode([String: JSONValue].self) {
      self = .object(members)
    } else {
      self = .array(try container.decode([JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let truth): try container.encode(truth)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let elements): try container.encode(elements)
    case .object(let members): try container.encode(members)
    }
  }
}
