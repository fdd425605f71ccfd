/// EAN-13 (GS1 General Specifications, section 5.2): thirteen digits, the last of them a check digit.
enum EAN13 {
  /// The modules of a symbol with its quiet zones, 11 on the left and 7 on the right.
  static let modules = 95 + 18

  /// The thirteen digits for `data`, which has them all or lacks the check digit.
  ///
  /// - Throws: ``RenderError`` with `.barcode` when there are other characters or another number of digits,
  ///   or when
  ///   the check digit is wrong.
  static func digits(_ data: String) throws(RenderError) -> [UInt8] {
    var digits = Array(data.utf8)
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw RenderError(.barcode, "EAN-13 takes digits only")
    }
    guard digits.count == 12 || digits.count == 13 else {
      throw RenderError(
        .barcode, "EAN-13 takes 12 digits, or 13 with the check digit; there are \(digits.count)")
    }
    let check = checkDigit(digits[..<12])
    if digits.count == 12 {
      digits.append(check)
    } else if digits[12] != check {
      throw RenderError(
        .barcode, "the EAN-13 check digit should be \(check - 0x30), or leave it out and it is computed")
    }
    return digits
  }

  /// The check digit of twelve digits, as ASCII.
  static func checkDigit(_ digits: ArraySlice<UInt8>) -> UInt8 {
    var sum = 0
    for (index, digit) in digits.enumerated() { sum += Int(digit &- 0x30) * (index & 1 == 0 ? 1 : 3) }
    return UInt8((10 - sum % 10) % 10) + 0x30
  }
}
