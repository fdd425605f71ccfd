/// A value of the D-Bus type system (D-Bus Specification, "Type System").
///
/// What D-Bus does not allow (a NUL in a string, an object path without a slash, an array of mixed types) can be written
/// here, but is refused with `.invalid` when it is to be sent.
public indirect enum DBusValue: Sendable, Hashable {
  /// `y`
  case byte(UInt8)
  /// `b`
  case boolean(Bool)
  /// `n`
  case int16(Int16)
  /// `q`
  case uint16(UInt16)
  /// `i`
  case int32(Int32)
  /// `u`
  case uint32(UInt32)
  /// `x`
  case int64(Int64)
  /// `t`
  case uint64(UInt64)
  /// `d`
  case double(Double)
  /// `s`
  case string(String)
  /// `o`
  case objectPath(String)
  /// `g`
  case signature(String)
  /// `h`
  case descriptor(DBusDescriptor)
  /// `ay`; an array of bytes that was received is always this.
  case bytes([UInt8])
  /// An array; `of` is the signature of its elements.
  case array(of: String, [DBusValue])
  /// An array of dictionary entries, with the signatures of keys and values. Of a key sent twice the last value stays.
  case dictionary(key: String, value: String, [DBusValue: DBusValue])
  /// A structure of at least one member.
  case structure([DBusValue])
  /// `v`: a value that carries its own signature.
  case variant(DBusValue)
}

extension DBusValue {
  /// An `a{sv}`: each value is put into a variant.
  public static func variants(_ values: [String: DBusValue]) -> DBusValue {
    var entries: [DBusValue: DBusValue] = [:]
    for (name, value) in values { entries[.string(name)] = .variant(value) }
    return .dictionary(key: "s", value: "v", entries)
  }

  /// An `as`.
  public static func strings(_ values: [String]) -> DBusValue { .array(of: "s", values.map { .string($0) }) }

  /// An `ao`.
  public static func objectPaths(_ values: [String]) -> DBusValue {
    .array(of: "o", values.map { .objectPath($0) })
  }

  /// The signature, `a{sv}`; of an invalid value it may be none that D-Bus knows.
  public var signature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .array(let element, _): "a" + element
    case .dictionary(let key, let value, _): "a{\(key)\(value)}"
    case .structure(let members): "(\(members.map(\.signature).joined()))"
    case .variant: "v"
    }
  }
}
