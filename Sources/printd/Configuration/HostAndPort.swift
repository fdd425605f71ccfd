/// An address as people write it: `host:port`, `[::1]:port`, `host`.
struct HostAndPort: Equatable, Sendable, CustomStringConvertible {
  /// A name or a number, without brackets.
  var host: String
  /// 0 through 65535.
  var port: UInt16

  /// Reads an address; nil when it is none.
  init?(_ text: String, defaultPort: UInt16) {
    var host = text[...]
    var port = defaultPort
    if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]"),
      text.hasPrefix("[") || text.firstIndex(of: ":") == colon
    {
      guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
      port = number
      host = text[..<colon]
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, !host.contains(where: { $0 == "[" || $0 == "]" || $0 == " " || $0 == "/" }) else {
      return nil
    }
    self.host = String(host)
    self.port = port
  }

  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
