// Each reader gives the value when it is of that type, and nil when it is not; nothing is converted but a variant opened.
extension DBusValue {
  /// What a variant holds, however many variants are around it; any other value is itself.
  public var opened: DBusValue {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  /// A `y`.
  public var byte: UInt8? { if case .byte(let value) = opened { value } else { nil } }
  /// A `b`.
  public var boolean: Bool? { if case .boolean(let value) = opened { value } else { nil } }
  /// An `n`.
  public var int16: Int16? { if case .int16(let value) = opened { value } else { nil } }
  /// A `q`.
  public var uint16: UInt16? { if case .uint16(let value) = opened { value } else { nil } }
  /// An `i`.
  public var int32: Int32? { if case .int32(let value) = opened { value } else { nil } }
  /// A `u`.
  public var uint32: UInt32? { if case .uint32(let value) = opened { value } else { nil } }
  /// An `x`.
  public var int64: Int64? { if case .int64(let value) = opened { value } else { nil } }
  /// A `t`.
  public var uint64: UInt64? { if case .uint64(let value) = opened { value } else { nil } }
  /// A `d`.
  public var double: Double? { if case .double(let value) = opened { value } else { nil } }
  /// An `s`.
  public var string: String? { if case .string(let value) = opened { value } else { nil } }
  /// An `o`.
  public var objectPath: String? { if case .objectPath(let value) = opened { value } else { nil } }
  /// A `g`; named so since every value has a ``signature``.
  public var signatureText: String? { if case .signature(let value) = opened { value } else { nil } }
  /// An `h`.
  public var descriptor: DBusDescriptor? { if case .descriptor(let value) = opened { value } else { nil } }
  /// The members of a structure.
  public var structure: [DBusValue]? { if case .structure(let value) = opened { value } else { nil } }

  /// An `ay`.
  public var bytes: [UInt8]? {
    switch opened {
    case .bytes(let value): value
    case .array("y", let values): values.compactMap(\.byte)
    default: nil
    }
  }

  /// The elements of an array; of an `ay` too.
  public var array: [DBusValue]? {
    switch opened {
    case .array(_, let values): values
    case .bytes(let bytes): bytes.map { .byte($0) }
    default: nil
    }
  }

  /// An `as`.
  public var strings: [String]? {
    if case .array("s", let values) = opened { values.compactMap(\.string) } else { nil }
  }

  /// An `ao`.
  public var objectPaths: [String]? {
    if case .array("o", let values) = opened { values.compactMap(\.objectPath) } else { nil }
  }

  /// The entries of a dictionary of any types.
  public var dictionary: [DBusValue: DBusValue]? {
    if case .dictionary(_, _, let entries) = opened { entries } else { nil }
  }

  /// A dictionary whose keys are strings (`a{s…}`); variants among the values are opened.
  public var variantDictionary: [String: DBusValue]? {
    guard case .dictionary("s", _, let entries) = opened else { return nil }
    return Self.keyed(entries, \.string)
  }

  /// A dictionary whose keys are object paths (`a{o…}`); variants among the values are opened.
  public var objectDictionary: [String: DBusValue]? {
    guard case .dictionary("o", _, let entries) = opened else { return nil }
    return Self.keyed(entries, \.objectPath)
  }

  private static func keyed(
    _ entries: [DBusValue: DBusValue], _ text: (DBusValue) -> String?
  ) -> [String: DBusValue] {
    var values: [String: DBusValue] = [:]
    values.reserveCapacity(entries.count)
    for (key, value) in entries {
      if let key = text(key) { values[key] = value.opened }
    }
    return values
  }
}
