import FoundationEssentials

/// Signatures by Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`.
///
/// Source: Standard Webhooks specification, "Signature scheme", symmetric.
public enum WebhookSignature {
  /// How far the time of signing may be away, in seconds, in either direction.
  public static let tolerance: Int64 = 300
  /// A clock before this time (2025-01-01) has not been set since power came on, seconds since 1970.
  public static let earliestClock: Double = 1_735_689_600

  /// Checks a delivery and returns its id.
  ///
  /// All keys and all signatures are tried, in constant time each. The signature is checked before the time, so that only a
  /// sender with a key learns about our clock.
  ///
  /// - Parameters:
  ///   - fields: The request's header fields.
  ///   - body: The request's body, byte for byte.
  ///   - keys: The keys that count now; several while they are rotated.
  ///   - now: Seconds since 1970.
  /// - Throws: ``WebhookFault``.
  public static func verify(
    _ fields: HTTPFields, body: [UInt8], keys: [WebhookKey], now: Double
  ) throws(WebhookFault) -> String {
    let id = try single("webhook-id", fields)
    let timestamp = try single("webhook-timestamp", fields)
    let signatures = try single("webhook-signature", fields)
    guard now >= earliestClock else { throw .clockNotSet }
    guard isID(id) else { throw .malformedID }
    guard timestamp.utf8.count <= 12, timestamp.utf8.allSatisfy(isDigit), let signedAt = Int64(timestamp)
    else {
      throw .malformedTimestamp
    }
    let candidates = try codes(in: signatures)
    let message = message(id, timestamp, body)
    var fits = false
    for key in keys {
      guard let code = HMACSHA256.code(of: message, key: key.bytes) else { continue }
      for candidate in candidates where HMACSHA256.areEqual(candidate, code) { fits = true }
    }
    guard fits else { throw .badSignature }
    let age = Int64(now) - signedAt
    guard age.magnitude <= tolerance.magnitude else { throw .stale(seconds: age) }
    return id
  }

  /// The three header fields of a delivery, as a sender makes them; one signature for each key.
  public static func sign(_ body: [UInt8], id: String, timestamp: Int64, keys: [WebhookKey]) -> HTTPFields {
    let message = message(id, String(timestamp), body)
    let signatures = keys.compactMap { HMACSHA256.code(of: message, key: $0.bytes) }.map {
      "v1,\(Data($0).base64EncodedString())"
    }
    return [
      "webhook-id": id, "webhook-timestamp": String(timestamp),
      "webhook-signature": signatures.joined(separator: " "),
    ]
  }

  private static func message(_ id: String, _ timestamp: String, _ body: [UInt8]) -> [UInt8] {
    Array("\(id).\(timestamp).".utf8) + body
  }

  /// A field that has to be there once: of two, nobody could say which one was signed.
  private static func single(_ name: String, _ fields: HTTPFields) throws(WebhookFault) -> String {
    let values = fields.values(name)
    guard values.count == 1, let value = values.first, !value.isEmpty else {
      throw .header(name: name, count: values.count > 1 ? values.count : 0)
    }
    return value
  }

  /// Without a full stop, which would let the same signature stand for another id and time.
  private static func isID(_ id: String) -> Bool {
    id.utf8.count <= 256 && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ".") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// The codes of the `v1` signatures; other versions (`v1a`) are skipped, as the specification wants.
  private static func codes(in list: String) throws(WebhookFault) -> [[UInt8]] {
    let entries = list.split(separator: " ")
    guard entries.count <= 16 else { throw .malformedSignature }
    let ours = entries.filter { $0.hasPrefix("v1,") }
    guard !ours.isEmpty else { throw .malformedSignature }
    return ours.compactMap { entry in
      Data(base64Encoded: String(entry.dropFirst(3))).map { [UInt8]($0) }
    }
  }
}
