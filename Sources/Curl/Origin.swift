/// Scheme, host and port of an address: what a request may not leave, and all that an error says of it (RFC 6454).
struct Origin: Equatable, CustomStringConvertible {
  let scheme: String
  let host: String
  let port: Int

  /// Reads the origin of an `http` or `https` address.
  ///
  /// - Throws: ``HTTPClientError`` with `.invalidRequest`, which does not repeat the address.
  init(_ url: String) throws(HTTPClientError) {
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw HTTPClientError(
        .invalidRequest, "the address has spaces or characters beyond ASCII; percent-encode them")
    }
    guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else {
      throw HTTPClientError(.invalidRequest, "the address does not begin with https:// or http://")
    }
    scheme = url[..<colon].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw HTTPClientError(.invalidRequest, "\(scheme):// is not supported; use https:// or http://")
    }
    guard !url.contains("#"), !url.contains("\\") else {
      throw HTTPClientError(.invalidRequest, "the address has a # or \\ in it; percent-encode it")
    }
    let authority = url[colon...].dropFirst(3).prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else {
      throw HTTPClientError(
        .invalidRequest, "the address has a user name or password in it; put it into a secret file instead")
    }
    let (host, port) = Origin.split(authority)
    guard !host.isEmpty, let port = port.isEmpty ? (scheme == "https" ? 443 : 80) : UInt16(port).map(Int.init)
    else {
      throw HTTPClientError(.invalidRequest, "the address has no host, or its port is not 1 through 65535")
    }
    self.host = host.lowercased()
    self.port = port
  }

  /// `https://shop.example`, with the port where it is not the scheme's own.
  var description: String {
    let isUsual = port == (scheme == "https" ? 443 : 80)
    return isUsual ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
  }

  /// Host and port of an authority; an IPv6 address keeps its brackets.
  private static func split(_ authority: Substring) -> (host: Substring, port: Substring) {
    let from = authority.lastIndex(of: "]") ?? authority.startIndex
    guard let colon = authority[from...].firstIndex(of: ":") else { return (authority, "") }
    return (authority[..<colon], authority[colon...].dropFirst())
  }
}
