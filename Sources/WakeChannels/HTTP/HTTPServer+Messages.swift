import FoundationEssentials

/// Header fields in the order they came; names compare without regard to case (RFC 9110, 5.1).
public struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
  /// The fields, each name as it was written.
  public private(set) var entries: [(name: String, value: String)] = []

  /// Creates fields from pairs.
  public init(_ entries: [(name: String, value: String)] = []) {
    self.entries = entries
  }

  /// Creates fields from a literal, in its order.
  public init(dictionaryLiteral elements: (String, String)...) {
    entries = elements.map { (name: $0.0, value: $0.1) }
  }

  /// All values of a field.
  public func values(_ name: String) -> [String] {
    entries.filter { $0.name.utf8.elementsEqual(name.utf8, by: HTTPFields.sameLetter) }.map(\.value)
  }

  /// The first value of a field, or nil.
  public subscript(name: String) -> String? { values(name).first }

  /// Adds a field after the others.
  public mutating func append(_ name: String, _ value: String) {
    entries.append((name, value))
  }

  private static func sameLetter(_ left: UInt8, _ right: UInt8) -> Bool {
    lower(left) == lower(right)
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

extension HTTPServer {
  /// The methods that are served; any other is answered with 405.
  public enum Method: String, Sendable, CaseIterable {
    /// Reads.
    case get = "GET"
    /// Adds or acts.
    case post = "POST"
    /// Takes away.
    case delete = "DELETE"
  }

  /// One request, whole.
  public struct Request: Sendable {
    /// What is asked for.
    public var method: Method
    /// The path as it came, still percent-encoded, without the query.
    public var path: String
    /// The query's names and values, decoded, in order.
    public var query: [(name: String, value: String)]
    /// The header fields.
    public var fields: HTTPFields
    /// The body, byte for byte; never more than the server's limit.
    public var body: [UInt8]
    /// The client's address (`192.168.1.7`), or `unix`.
    public var peer: String
    /// When the header was complete, in nanoseconds of `CLOCK_BOOTTIME`; the budget of a wake starts here.
    public var acceptedAt: Int64
    /// What the ``Router`` found in the path for each `{name}` of the pattern, decoded.
    public var parameters: [String: String]

    /// Creates a request, as a test does.
    public init(
      _ method: Method, _ path: String, query: [(name: String, value: String)] = [], fields: HTTPFields = [:],
      body: [UInt8] = [], peer: String = "unix", acceptedAt: Int64 = 0, parameters: [String: String] = [:]
    ) {
      self.method = method
      self.path = path
      self.query = query
      self.fields = fields
      self.body = body
      self.peer = peer
      self.acceptedAt = acceptedAt
      self.parameters = parameters
    }

    /// The first value of a name in the query, or nil.
    public func query(_ name: String) -> String? {
      query.first { $0.name == name }?.value
    }
  }

  /// One answer.
  public struct Response: Sendable {
    /// The status, 200 through 599.
    public var status: Int
    /// The header fields; a field with a line break in it is left out.
    public var fields: HTTPFields
    /// The body.
    public var body: [UInt8]
    /// Sends only the first half of the body and cuts the connection, as a server that dies does: for trying out clients.
    package var breaksOff = false

    /// Creates an answer.
    public init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
      self.status = status
      self.fields = fields
      self.body = body
    }

    /// An answer of ready-made JSON.
    public static func json(text body: [UInt8], status: Int = 200, fields: HTTPFields = [:]) -> Response {
      var response = Response(status: status, fields: fields, body: body)
      response.fields.append("Content-Type", "application/json")
      return response
    }

    /// An answer that encodes `value` as JSON with sorted keys; 500 where it cannot be encoded.
    public static func json(_ value: some Encodable, status: Int = 200) -> Response {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      guard let body = try? encoder.encode(value) else {
        return .error(500, "the answer could not be written as JSON")
      }
      return .json(text: [UInt8](body) + [UInt8(ascii: "\n")], status: status)
    }

    /// A refusal: `{"error": …, "remedy": …}`.
    public static func error(_ status: Int, _ message: String, remedy: String? = nil) -> Response {
      .json(ErrorBody(error: message, remedy: remedy), status: status)
    }

    private struct ErrorBody: Encodable {
      var error: String
      var remedy: String?
    }
  }
}
