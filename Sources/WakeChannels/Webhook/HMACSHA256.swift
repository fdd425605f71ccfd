import CCrypto

/// HMAC with SHA-256 (RFC 2104), by OpenSSL. The only file that knows the library.
enum HMACSHA256 {
  /// Bytes of a code.
  static let length = 32

  /// The code of `message`; nil when the library fails.
  static func code(of message: [UInt8], key: [UInt8]) -> [UInt8]? {
    var code = [UInt8](repeating: 0, count: length)
    var count: UInt32 = 0
    guard HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, &count) != nil,
      count == length
    else { return nil }
    return code
  }

  /// Compares in a time that does not depend on where the codes differ.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
