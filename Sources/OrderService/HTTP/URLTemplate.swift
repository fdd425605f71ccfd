/// An address with one place for a value: `https://shop.example/orders/{order_id}`.
struct URLTemplate: Sendable {
  /// The address up to the first `/`, without secrets: for messages.
  let origin: String
  /// Whether it is plain HTTP to another machine than this one.
  let isOpenToOthers: Bool

  private let parts: [Substring]

  /// Reads a template.
  ///
  /// - Parameters:
  ///   - text: The address; anything but `{variable}` is sent as it stands.
  ///   - variable: The name in braces; nil where the address has none. It may stand more than once.
  ///   - isRequired: Whether the address makes no sense without it.
  /// - Throws: ``HTTPOrderService/Fault`` about `part`.
  init(
    _ text: String, variable: String?, isRequired: Bool = true, part: HTTPOrderService.Part
  ) throws(HTTPOrderService.Fault) {
    func fault(_ message: String) -> HTTPOrderService.Fault {
      HTTPOrderService.Fault(part: part, message: message)
    }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("#"), !text.contains("\\") else {
      throw fault("has a space, #, \\ or a character beyond ASCII; percent-encode it")
    }
    guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
      throw fault("does not begin with https:// or http://")
    }
    let afterScheme = text[text.index(text.startIndex, offsetBy: text.hasPrefix("https") ? 8 : 7)...]
    let authority = afterScheme.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else {
      throw fault("has a user name or password in it; put it into the secret file instead")
    }
    guard !authority.isEmpty, !authority.contains("{") else { throw fault("has no fixed host") }
    origin = String(text[..<authority.endIndex])
    let isHere = ["127.", "localhost", "[::1]"].contains { authority.hasPrefix($0) }
    isOpenToOthers = text.hasPrefix("http://") && !isHere
    parts = variable.map { URLTemplate.split(text[...], at: "{\($0)}") } ?? [text[...]]
    guard !parts.contains(where: { $0.contains("{") || $0.contains("}") }) else {
      throw fault("has braces that are not \(variable.map { "{\($0)}" } ?? "expected here")")
    }
    guard !isRequired || variable == nil || parts.count > 1 else {
      throw fault("has no {\(variable ?? "")} in it; write it where the value goes")
    }
  }

  /// The address for a value.
  func url(_ value: String) -> String { parts.joined(separator: URLTemplate.encoded(value)) }

  /// The value with all but unreserved characters (RFC 3986, 2.3) percent-encoded.
  static func encoded(_ value: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var encoded = ""
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return encoded
  }

  private static func split(_ text: Substring, at mark: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = text
    while let found = rest.firstRange(of: mark) {
      parts.append(rest[..<found.lowerBound])
      rest = rest[found.upperBound...]
    }
    return parts + [rest]
  }
}
