extension WireWriter {
  /// Appends a value that has been found valid.
  ///
  /// - Throws: `.invalid` when a descriptor has been taken meanwhile, `.unavailable` when there is no memory or no
  ///   descriptor left.
  mutating func append(_ value: DBusValue) throws(DBusError) {
    switch value {
    case .byte(let value): try number("y", value)
    case .boolean(let value): try boolean(value)
    case .int16(let value): try number("n", value)
    case .uint16(let value): try number("q", value)
    case .int32(let value): try number("i", value)
    case .uint32(let value): try number("u", value)
    case .int64(let value): try number("x", value)
    case .uint64(let value): try number("t", value)
    case .double(let value): try number("d", value)
    case .string(let value): try text("s", value)
    case .objectPath(let value): try text("o", value)
    case .signature(let value): try text("g", value)
    case .descriptor(let value):
      guard let isAppended = value.borrow({ descriptor($0) }) else {
        throw .invalid("the descriptor has been taken")
      }
      guard isAppended else { throw DBusError(.unavailable, "the descriptor cannot be duplicated") }
    case .bytes(let value):
      try container("a", "y") { (inner) throws(DBusError) in try inner.bytes(value) }
    case .array(let element, let values):
      try container("a", element) { (inner) throws(DBusError) in
        for value in values { try inner.append(value) }
      }
    case .dictionary(let key, let element, let entries):
      try container("a", "{\(key)\(element)}") { (inner) throws(DBusError) in
        for (key, value) in entries {
          try inner.container("e", nil) { (entry) throws(DBusError) in
            try entry.append(key)
            try entry.append(value)
          }
        }
      }
    case .structure(let members):
      try container("r", nil) { (inner) throws(DBusError) in
        for member in members { try inner.append(member) }
      }
    case .variant(let value):
      try container("v", value.signature) { (inner) throws(DBusError) in try inner.append(value) }
    }
  }
}

extension WireReader {
  /// The values from the reader's place to the end of its container. libdbus has checked the form of the whole message,
  /// and its depth, when it was received.
  mutating func all() throws(DBusError) -> [DBusValue] {
    var values: [DBusValue] = []
    while let type {
      values.append(try value(type))
      next()
    }
    return values
  }

  private mutating func value(_ type: Unicode.Scalar) throws(DBusError) -> DBusValue {
    switch type {
    case "a": return try array()
    case "r":
      var inner = inner()
      return .structure(try inner.all())
    case "v":
      var inner = inner()
      guard let value = try inner.all().first else { throw DBusError(.malformed, "an empty variant") }
      return .variant(value)
    default: return try basic(type)
    }
  }

  private mutating func array() throws(DBusError) -> DBusValue {
    let element = try signature().dropFirst()
    var inner = inner()
    if element == "y" { return .bytes(inner.bytes()) }
    guard element.first == "{" else { return .array(of: String(element), try inner.all()) }
    var entries: [DBusValue: DBusValue] = [:]
    while inner.type == "e" {
      var entry = inner.inner()
      let pair = try entry.all()
      guard pair.count == 2 else { throw DBusError(.malformed, "a dictionary entry that is no pair") }
      entries[pair[0]] = pair[1]
      inner.next()
    }
    return .dictionary(
      key: String(element.dropFirst().prefix(1)), value: String(element.dropFirst(2).dropLast()), entries)
  }
}
