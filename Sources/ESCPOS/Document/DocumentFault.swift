/// What is wrong in a document from outside, where, and what would be right.
public struct DocumentFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The place as a path: `items[3].amount`; empty for the whole document.
  public var path: String
  /// What was expected there, with an example where that helps.
  public var message: String

  /// Creates a fault at `path`.
  public init(path: String, message: String) {
    self.path = path
    self.message = message
  }

  /// The path and the message: `items[3].amount: expected a decimal string such as "12.50"`.
  public var description: String { path.isEmpty ? message : "\(path): \(message)" }

  /// Writes coding keys as a path with dots and indices.
  public static func path(_ keys: [any CodingKey]) -> String {
    var path = ""
    for key in keys {
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return path
  }

  /// The fault that a decoder's error stands for, in words for a person.
  public init(_ error: DecodingError) {
    switch error {
    case .typeMismatch(let type, let context):
      self.init(
        path: Self.path(context.codingPath), message: "expected \(Self.jsonName(of: type))")
    case .valueNotFound(let type, let context):
      self.init(
        path: Self.path(context.codingPath), message: "expected \(Self.jsonName(of: type)), found null")
    case .keyNotFound(let key, let context):
      self.init(path: Self.path(context.codingPath + [key]), message: "is missing")
    case .dataCorrupted(let context):
      self.init(path: Self.path(context.codingPath), message: context.debugDescription)
    @unknown default:
      self.init(path: "", message: "cannot be read")
    }
  }

  private static func jsonName(of type: any Any.Type) -> String {
    let name = "\(type)"
    return switch name {
    case "String": "a string"
    case "Bool": "true or false"
    case _ where name.hasPrefix("Int") || name.hasPrefix("UInt"): "a whole number"
    case "Double", "Float": "a number"
    case _ where name.hasPrefix("Array"): "a list"
    case _ where name.hasPrefix("Dictionary"): "an object"
    default: "an object"
    }
  }
}

/// A key of any name, to see what a document really carries.
public struct AnyKey: CodingKey {
  /// The key's name.
  public let stringValue: String
  /// The index, for a list.
  public let intValue: Int?

  /// Creates a key with a name.
  public init(stringValue: String) {
    self.stringValue = stringValue
    self.intValue = nil
  }

  /// Creates a key with an index.
  public init(intValue: Int) {
    self.stringValue = "\(intValue)"
    self.intValue = intValue
  }

  /// Creates a key with a name.
  public init(_ name: String) {
    self.init(stringValue: name)
  }
}

extension Decoder {
  /// Refuses keys that our own documents do not have, naming the nearest right one.
  ///
  /// - Throws: `DecodingError.dataCorrupted` at the unknown key.
  public func refuseUnknownKeys(known: [String]) throws {
    let container = try self.container(keyedBy: AnyKey.self)
    let unknown = container.allKeys.map(\.stringValue).filter { !known.contains($0) }.sorted()
    guard let key = unknown.first else { return }
    var message = "unknown key"
    if let nearest = nearestWord(to: key, among: known) {
      message += "; did you mean \"\(nearest)\"?"
    } else {
      message += "; known here: \(known.sorted().joined(separator: ", "))"
    }
    throw DecodingError.dataCorrupted(
      .init(codingPath: codingPath + [AnyKey(key)], debugDescription: message))
  }
}

/// The word of `words` that is nearest to `word` by edits, when it is near enough to be meant.
public func nearestWord(to word: String, among words: [String]) -> String? {
  let limit = max(2, word.count / 3)
  return words.map { (word: $0, distance: editDistance(Array(word.lowercased().utf8), Array($0.utf8))) }
    .filter { $0.distance <= limit }
    .min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
}

private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var row = Array(0...right.count)
  for (i, a) in left.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, b) in right.enumerated() {
      let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1))
      diagonal = row[j + 1]
      row[j + 1] = next
    }
  }
  return row[right.count]
}
