/// An amount of money as integer minor units with the number of decimals it was written with.
///
/// Read from a plain decimal string only: optional minus, digits without separators, optional point and digits.
/// No exponent, no sign of plus, no spaces, no currency sign, nothing but ASCII digits.
public struct Money: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// The amount in units of `10^-decimals`.
  public let minorUnits: Int64
  /// Digits after the point, 0 through 4.
  public let decimals: Int

  /// Creates an amount from minor units.
  public init(minorUnits: Int64, decimals: Int) {
    self.minorUnits = minorUnits
    self.decimals = decimals
  }

  /// Reads a plain decimal string of at most 13 digits before the point and 4 after it; nil for anything else.
  public init?(_ text: String) {
    var units: Int64 = 0
    var whole = 0
    var decimals = 0
    var sawPoint = false
    var negative = false
    for (index, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "-") where index == 0:
        negative = true
      case UInt8(ascii: ".") where !sawPoint && whole > 0:
        sawPoint = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if sawPoint { decimals += 1 } else { whole += 1 }
        guard whole <= 13, decimals <= 4 else { return nil }
        units = units * 10 + Int64(byte - UInt8(ascii: "0"))
      default:
        return nil
      }
    }
    guard whole > 0, !sawPoint || decimals > 0 else { return nil }
    self.init(minorUnits: negative ? -units : units, decimals: decimals)
  }

  /// The amount as it was written: `12.50`.
  public var description: String {
    let digits = String(minorUnits.magnitude)
    let sign = minorUnits < 0 ? "-" : ""
    guard decimals > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }
}
