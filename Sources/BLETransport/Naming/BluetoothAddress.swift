/// The address of a Bluetooth device or adapter: six bytes, the same on both bearers of a dual-mode printer.
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
  /// The bytes as they are written, the first in the highest place.
  private let value: UInt64

  /// Reads `AA:BB:CC:DD:EE:FF`, in any case, with colons, dashes or underscores; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let octets = text.utf8.split(omittingEmptySubsequences: false) { [0x3A, 0x2D, 0x5F].contains($0) }
    guard octets.count == 6 else { return nil }
    var value: UInt64 = 0
    for octet in octets {
      guard octet.count == 2 else { return nil }
      for digit in octet {
        guard let nibble = digit.hexDigit else { return nil }
        value = value << 4 | UInt64(nibble)
      }
    }
    self.value = value
  }

  /// `AA:BB:CC:DD:EE:FF`, as BlueZ writes it.
  public var description: String { octets.joined(separator: ":") }

  /// The last element of the device's object path below its adapter: `dev_AA_BB_CC_DD_EE_FF`.
  var pathElement: String { "dev_" + octets.joined(separator: "_") }

  private var octets: [String] {
    (0..<6).reversed().map { place in
      let octet = UInt8(truncatingIfNeeded: value >> (8 * UInt64(place)))
      return (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
    }
  }
}

extension UInt8 {
  /// The value of an ASCII hexadecimal digit.
  var hexDigit: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }
}
