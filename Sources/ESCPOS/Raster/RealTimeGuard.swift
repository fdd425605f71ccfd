/// Keeps real-time commands out of payloads: printers act on `DLE EOT`, `DLE ENQ` and `DLE DC4` as soon as
/// the bytes
/// arrive, in the middle of an image or a barcode too.
///
/// `DLE` (`10`) comes into a job in payloads only: text has no controls, and no command of ``Command`` has
/// the pairs.
/// The command behind a payload begins with none of `04`, `05` and `14`, so a pair cannot come about at a
/// join.
enum RealTimeGuard {
  /// Whether `bytes` hold the start of a real-time command: `10 04`, `10 05` or `10 14`.
  static func isHazardous(_ bytes: some Collection<UInt8>) -> Bool {
    var last: UInt8 = 0
    for byte in bytes {
      if last == 0x10, startsCommand(byte) { return true }
      last = byte
    }
    return false
  }

  /// Blackens one more dot, beside a black one, wherever raster bytes from `start` on would start a command.
  static func defuse(_ bytes: inout [UInt8], from start: Int) {
    bytes.withUnsafeMutableBufferPointer { bytes in
      guard bytes.count > start + 1 else { return }
      for index in start..<bytes.count - 1 where bytes[index] == 0x10 && startsCommand(bytes[index + 1]) {
        bytes[index] = 0x30
      }
    }
  }

  /// Whether the row count of a raster head would, with its own bytes, start a command.
  static func isHazardous(rows: Int) -> Bool {
    rows & 0xFF == 0x10 && startsCommand(UInt8(truncatingIfNeeded: rows >> 8))
  }

  private static func startsCommand(_ byte: UInt8) -> Bool { byte == 0x04 || byte == 0x05 || byte == 0x14 }
}
