import Glibc

/// The C library's character tables, as a witness beside the renderer's own.
enum Iconv {
  /// The characters that `bytes` stand for, or nil when they stand for nothing.
  static func decode(_ bytes: [UInt8], from encoding: String) -> String? {
    if encoding == "KATAKANA" {
      guard bytes.count == 1, (0xA1...0xDF).contains(bytes[0]) else { return nil }
      return Unicode.Scalar(0xFF61 + UInt32(bytes[0]) - 0xA1).map { String(Character($0)) }
    }
    guard let handle = iconv_open("UTF-8", encoding), handle != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(handle) }
    var input = bytes.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: 64)
    var inputLeft = input.count
    var outputLeft = output.count
    let result = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        var source = input.baseAddress
        var target = output.baseAddress
        let count = iconv(handle, &source, &inputLeft, &target, &outputLeft)
        if count == 0 { _ = iconv(handle, nil, nil, &target, &outputLeft) }
        return count
      }
    }
    guard result == 0, inputLeft == 0 else { return nil }
    return String(decoding: output.prefix(64 - outputLeft).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
