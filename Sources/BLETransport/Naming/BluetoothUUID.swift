/// The identifier of a service or characteristic, always held in full (128 bits).
///
/// Short identifiers are on the Bluetooth base `0000xxxx-0000-1000-8000-00805F9B34FB` (Core specification, volume 3,
/// part B, 2.5.1).
public struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
  private static let base: (high: UInt64, low: UInt64) = (0x0000_0000_0000_1000, 0x8000_0080_5F9B_34FB)

  private let high: UInt64
  private let low: UInt64

  /// An identifier by its halves, as they are written from left to right.
  init(_ high: UInt64, _ low: UInt64) {
    self.high = high
    self.low = low
  }

  /// An identifier of 16 or 32 bits on the Bluetooth base.
  public init(_ short: UInt32) {
    self.init(UInt64(short) << 32 | Self.base.high, Self.base.low)
  }

  /// Reads `18f0`, `0x18F0`, `000018f0` or the full form with dashes, in any case; nil for anything else.
  public init?(_ text: String) {
    var digits = Substring(text)
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits = digits.dropFirst(2) }
    switch digits.utf8.count {
    case 4, 8:
      guard let short = Self.number(digits) else { return nil }
      self.init(UInt32(truncatingIfNeeded: short))
    case 36:
      let parts = digits.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
      guard let high = Self.number(parts[0...2].joined()), let low = Self.number(parts[3...4].joined()) else {
        return nil
      }
      self.init(high, low)
    default:
      return nil
    }
  }

  private static func number(_ digits: some StringProtocol) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits.utf8 {
      guard let nibble = digit.hexDigit else { return nil }
      number = number << 4 | UInt64(nibble)
    }
    return number
  }

  /// The short form, where the identifier is on the Bluetooth base and fits 16 bits.
  public var short: UInt16? {
    guard low == Self.base.low, high & 0xFFFF_FFFF == Self.base.high else { return nil }
    return UInt16(exactly: high >> 32)
  }

  /// Four digits where that is enough, else the full form as BlueZ writes it.
  public var description: String {
    if let short { return Self.digits(UInt64(short), 4) }
    return full
  }

  /// The form that BlueZ writes: `000018f0-0000-1000-8000-00805f9b34fb`.
  public var full: String {
    let (h, l) = (Self.digits(high, 16), Self.digits(low, 16))
    return "\(h.prefix(8))-\(h.dropFirst(8).prefix(4))-\(h.dropFirst(12))-\(l.prefix(4))-\(l.dropFirst(4))"
  }

  private static func digits(_ number: UInt64, _ count: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

extension BluetoothUUID {
  /// Serial Port, the service of Classic printers.
  public static let serialPort = BluetoothUUID(0x1101)
  /// Server Supported Features: a peer that has it may open several ATT bearers (EATT).
  static let serverSupportedFeatures = BluetoothUUID(0x2B3A)
}
