import ESCPOS

/// Bytes of a job, command by command.
struct Job {
  var bytes: [UInt8] = []

  mutating func add(_ more: UInt8...) { bytes += more }
  mutating func text(_ text: String) { bytes += Array(text.utf8) }
  mutating func line(_ text: String) { bytes += Array(text.utf8) + [0x0A] }
  mutating func initialize() { add(0x1B, 0x40) }
  mutating func align(_ n: UInt8) { add(0x1B, 0x61, n) }
  mutating func size(_ width: UInt8, _ height: UInt8) { add(0x1D, 0x21, (width - 1) << 4 | (height - 1)) }
  mutating func bold(_ on: Bool) { add(0x1B, 0x45, on ? 1 : 0) }
  mutating func cut() { add(0x1D, 0x56, 66, 0) }
  mutating func barcode(_ m: UInt8, _ data: String) {
    bytes += [0x1D, 0x6B, m, UInt8(data.utf8.count)] + Array(data.utf8)
  }

  mutating func raster(_ image: DotImage, mode: UInt8 = 0) {
    let (x, y) = (image.stride, image.height)
    bytes +=
      [0x1D, 0x76, 0x30, mode, UInt8(x & 255), UInt8(x >> 8), UInt8(y & 255), UInt8(y >> 8)] + image.rows
  }

  mutating func function(_ letter: Character, _ body: [UInt8]) {
    bytes += [0x1D, 0x28, letter.asciiValue ?? 0, UInt8(body.count & 255), UInt8(body.count >> 8)] + body
  }

  mutating func qr(_ data: String, module: UInt8 = 5) {
    function("k", [0x31, 65, 50, 0])
    function("k", [0x31, 67, module])
    function("k", [0x31, 69, 49])
    function("k", [0x31, 80, 48] + Array(data.utf8))
    function("k", [0x31, 81, 48])
  }

  mutating func pdf417(_ data: String) {
    function("k", [0x30, 80, 48] + Array(data.utf8))
    function("k", [0x30, 81, 48])
  }

  /// Dots with a border and a diagonal.
  static func frame(_ width: Int, _ height: Int) -> DotImage {
    var image = DotImage(width: width, height: height)
    for x in 0..<width {
      image[x, 0] = true
      image[x, height - 1] = true
    }
    for y in 0..<height {
      image[0, y] = true
      image[width - 1, y] = true
      image[y * (width - 1) / max(1, height - 1), y] = true
    }
    return image
  }
}
