extension HTTPClient {
  /// What is asked of the server.
  public enum Method: String, Sendable {
    /// Reads.
    case get = "GET"
    /// Adds or acts.
    case post = "POST"
    /// Takes away.
    case delete = "DELETE"
  }

  /// One request.
  public struct Request: Sendable {
    /// What is asked for.
    public var method: Method
    /// The address: `http` or `https`, already percent-encoded, without user name, password or fragment.
    public var url: String
    /// Header fields; a name or value that could break out of its line is refused.
    public var headers: [(name: String, value: String)]
    /// The body, or nil for none.
    public var body: [UInt8]?
    /// The longest answer that is taken, in bytes.
    public var responseLimit: Int

    /// Creates a request.
    public init(
      _ method: Method = .get, _ url: String, headers: [(name: String, value: String)] = [],
      body: [UInt8]? = nil,
      responseLimit: Int = 1 << 20
    ) {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
      self.responseLimit = responseLimit
    }

    /// What is wrong with the request, or nil.
    var fault: String? {
      for header in headers {
        guard !header.name.isEmpty, header.name.utf8.allSatisfy(Request.isToken) else {
          return "a header's name has a character that a name cannot have"
        }
        guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
          return "the value of the header \(header.name) has a line break or another control character"
        }
      }
      return nil
    }

    /// RFC 9110, 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "a")...UInt8(ascii: "z"): true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
  }

  /// One answer, whole.
  public struct Response: Sendable {
    /// The status, 200 through 599; redirections that were followed are not seen.
    public var status: Int
    /// The header fields in the order they came.
    public var headers: [(name: String, value: String)]
    /// The body, byte for byte.
    public var body: [UInt8]

    /// Creates an answer.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
      self.status = status
      self.headers = headers
      self.body = body
    }

    /// The first value of a header field, its name compared without regard to case, or nil.
    public func header(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }
}
