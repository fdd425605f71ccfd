import Documents
import ESCPOS
import PrintTestKit

/// Any JSON.
indirect enum JSONValue: Codable, Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let list = try? value.decode([JSONValue].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .number(let number):
      if let whole = Int(exactly: number) {
        try container.encode(whole)
      } else {
        try container.encode(number)
      }
    case .string(let string): try container.encode(string)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }

  subscript(key: String) -> JSONValue? {
    guard case .object(let object) = self else { return nil }
    return object[key]
  }

  static func read(_ bytes: [UInt8]) throws -> JSONValue {
    try DocumentReader.read(JSONValue.self, from: bytes)
  }
}

/// A JSON Schema of draft 2020-12, as far as the schemas in `Docs/schema` use it. A keyword that it does not know is a
/// failure, so that none of them can be passed over.
struct JSONSchema {
  struct Unknown: Error, CustomStringConvertible {
    let description: String
  }

  private static let remarks: Set<String> = [
    "$schema", "$id", "$defs", "title", "description", "default", "format",
  ]
  let root: JSONValue
  private let documents: [String: JSONValue]

  /// Reads `Docs/schema/NAME.schema.json` and those beside it.
  init(_ name: String) throws {
    var documents: [String: JSONValue] = [:]
    for name in ["receipt", "order", "report", "wake"] {
      documents["\(name).schema.json"] = try .read(Fixtures.bytes("../Docs/schema/\(name).schema.json"))
    }
    guard let root = documents["\(name).schema.json"] else { throw Unknown(description: name) }
    self.root = root
    self.documents = documents
  }

  /// Whether the document is valid.
  func allows(_ value: JSONValue) throws -> Bool { try allows(value, root, root) }

  private func allows(_ value: JSONValue, _ schema: JSONValue, _ root: JSONValue) throws -> Bool {
    guard case .object(let keywords) = schema else { throw Unknown(description: "\(schema)") }
    for (keyword, argument) in keywords where !Self.remarks.contains(keyword) {
      guard try holds(keyword, argument, of: value, keywords, root) else { return false }
    }
    return true
  }

  private func holds(
    _ keyword: String, _ argument: JSONValue, of value: JSONValue, _ keywords: [String: JSONValue],
    _ root: JSONValue
  ) throws -> Bool {
    switch (keyword, argument) {
    case ("$ref", .string(let reference)):
      if let document = documents[reference] { return try allows(value, document, document) }
      guard reference.hasPrefix("#/$defs/"), let target = root["$defs"]?[String(reference.dropFirst(8))]
      else {
        throw Unknown(description: reference)
      }
      return try allows(value, target, root)
    case ("type", .string(let type)): return conforms(value, type)
    case ("type", .list(let types)):
      return types.contains { if case .string(let type) = $0 { conforms(value, type) } else { false } }
    case ("enum", .list(let words)): return words.contains(value)
    case ("const", _): return value == argument
    case ("oneOf", .list(let schemas)): return try schemas.count { try allows(value, $0, root) } == 1
    case ("anyOf", .list(let schemas)): return try schemas.contains { try allows(value, $0, root) }
    default: break
    }
    switch (keyword, argument, value) {
    case ("minimum", .number(let limit), .number(let number)): return number >= limit
    case ("maximum", .number(let limit), .number(let number)): return number <= limit
    case ("minLength", .number(let limit), .string(let text)):
      return Double(text.unicodeScalars.count) >= limit
    case ("maxLength", .number(let limit), .string(let text)):
      return Double(text.unicodeScalars.count) <= limit
    case ("pattern", .string(let pattern), .string(let text)):
      return try text.contains(Regex(pattern).matchingSemantics(.unicodeScalar))
    case ("minItems", .number(let limit), .list(let list)): return Double(list.count) >= limit
    case ("maxItems", .number(let limit), .list(let list)): return Double(list.count) <= limit
    case ("items", _, .list(let list)): return try list.allSatisfy { try allows($0, argument, root) }
    case ("required", .list(let names), .object(let object)):
      return names.allSatisfy { if case .string(let name) = $0 { object[name] != nil } else { false } }
    case ("properties", .object(let properties), .object(let object)):
      return try object.allSatisfy { name, value in
        try properties[name].map { try allows(value, $0, root) } ?? true
      }
    case ("additionalProperties", .bool(let allowed), .object(let object)):
      guard case .object(let properties) = keywords["properties"] else { return allowed }
      return allowed || object.keys.allSatisfy { properties[$0] != nil }
    case ("minimum", _, _), ("maximum", _, _), ("minLength", _, _), ("maxLength", _, _), ("pattern", _, _),
      ("minItems", _, _), ("maxItems", _, _), ("items", _, _), ("required", _, _), ("properties", _, _),
      ("additionalProperties", _, _):
      return true
    default: throw Unknown(description: keyword)
    }
  }

  private func conforms(_ value: JSONValue, _ type: String) -> Bool {
    switch (type, value) {
    case ("null", .null), ("boolean", .bool), ("number", .number), ("string", .string), ("array", .list),
      ("object", .object):
      true
    case ("integer", .number(let number)): number == number.rounded()
    default: false
    }
  }
}
