import Synchronization

/// One request and its answer, from the last header line to the last byte of the reply.
///
/// Pure bookkeeping: what may still come, and what to answer when it may not.
final class Exchange: @unchecked Sendable {
  // The server's thread alone touches `request`, `isTooLong`, `dropped` and `isInHand`; `answer` has its lock.

  /// What has come so far.
  private(set) var request: HTTPServer.Request
  /// Why the request is refused as soon as its header is there, or nil.
  let refusal: HTTPServer.Response?
  /// The handler's answer, once it is there.
  let answer = Mutex<HTTPServer.Response?>(nil)
  /// Whether a handler has been started for it.
  var isInHand = false

  private let limit: Int
  private var isTooLong = false
  private var dropped = 0

  /// Begins an exchange with what stands before the body.
  init(head: RequestHead, limits: HTTPServer.Limits) {
    limit = limits.bodyBytes
    refusal = head.refusal(limits)
    let query = head.query ?? []
    request = HTTPServer.Request(
      HTTPServer.Method(rawValue: head.method) ?? .get, head.path, query: query, fields: head.fields,
      peer: head.peer, acceptedAt: head.acceptedAt)
  }

  /// Takes a piece of the body. A body that grows too long is dropped, so that its sender still gets the answer.
  ///
  /// - Returns: False when even that has gone on for too long and the connection is to be cut.
  func take(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
    if !isTooLong, request.body.count + piece.count <= limit {
      request.body += piece
      return true
    }
    isTooLong = true
    request.body = []
    dropped += piece.count
    return dropped <= 16 * max(limit, 65536)
  }

  /// Why the whole request is refused, or nil.
  var lateRefusal: HTTPServer.Response? {
    isTooLong ? RequestHead.bodyTooLong(limit) : nil
  }
}

/// What stands before the body of a request.
struct RequestHead {
  /// The method as it was written.
  var method: String
  /// The path, still encoded.
  var path: String
  /// The query, decoded; nil when it cannot be.
  var query: [(name: String, value: String)]?
  /// The header fields.
  var fields: HTTPFields
  /// The client.
  var peer: String
  /// When it was complete, nanoseconds of `CLOCK_BOOTTIME`.
  var acceptedAt: Int64

  /// The answer to a body beyond the limit (RFC 9110, 15.5.14).
  static func bodyTooLong(_ limit: Int) -> HTTPServer.Response {
    .error(
      413, "the body is longer than \(limit) bytes",
      remedy: "send the order's id; the order itself is fetched")
  }

  /// Why the request is refused before its body is read, or nil.
  func refusal(_ limits: HTTPServer.Limits) -> HTTPServer.Response? {
    guard HTTPServer.Method(rawValue: method) != nil else {
      let known = HTTPServer.Method.allCases.map(\.rawValue).joined(separator: ", ")
      var response = HTTPServer.Response.error(405, "the method is not served", remedy: "use \(known)")
      response.fields.append("Allow", known)
      return response
    }
    let headerBytes = fields.entries.reduce(path.utf8.count) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
    guard headerBytes <= limits.headerBytes else {
      return .error(431, "the header is longer than \(limits.headerBytes) bytes")
    }
    guard query != nil else {
      return .error(400, "the query is not percent-encoded UTF-8", remedy: "encode it as in RFC 3986")
    }
    if let refusal = framingRefusal { return refusal }
    // A length that is no number has been refused by libmicrohttpd; one that does not fit is too long too.
    if let length = fields["Content-Length"], Int(length) ?? .max > limits.bodyBytes {
      return RequestHead.bodyTooLong(limits.bodyBytes)
    }
    return nil
  }

  /// The answer to a body whose end is not sure: libmicrohttpd takes an unknown coding for a body up to the end of the
  /// connection, and of two lengths another server on the way may have believed the other one (RFC 9112, 6.1 and 6.3).
  private var framingRefusal: HTTPServer.Response? {
    let codings = fields.values("Transfer-Encoding")
    let lengths = fields.values("Content-Length")
    guard codings.allSatisfy({ $0.lowercased() == "chunked" }) else {
      return .error(
        501, "the transfer coding is not known", remedy: "send the body with Content-Length, or chunked")
    }
    guard codings.count + lengths.count <= 1 else {
      return .error(
        400, "the body's length is given twice", remedy: "send either Content-Length or chunked, once")
    }
    return nil
  }
}
