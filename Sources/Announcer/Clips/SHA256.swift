import CCrypto

/// SHA-256 (FIPS 180-4), by OpenSSL. The only file that knows the library.
enum SHA256 {
  /// The digest in hexadecimal digits; nil when the library fails.
  static func hex(_ bytes: [UInt8]) -> String? {
    var digest = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil) == 1, count == 32 else {
      return nil
    }
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
