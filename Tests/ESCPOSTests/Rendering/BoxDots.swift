import ESCPOS
import Synchronization

/// Draws a black box for each character and remembers what it was asked to draw.
final class BoxDots: DotSource {
  private let drawn = Mutex<[String]>([])
  private let decoded = Mutex(0)
  private let picture: GrayImage?
  private let textFails: Bool

  init(picture: GrayImage? = nil, textFails: Bool = false) {
    self.picture = picture
    self.textFails = textFails
  }

  /// The texts that were drawn, in order.
  var texts: [String] { drawn.withLock { $0 } }
  /// How often a picture was decoded.
  var decodings: Int { decoded.withLock { $0 } }

  func dots(
    text: String, columns: Int, cell: CellSize, style: Receipt.Style, align: Receipt.Alignment
  ) throws(RenderError) -> DotImage {
    if textFails { throw RenderError(.text, "no font") }
    drawn.withLock { $0.append(text) }
    return Self.striped(width: columns * cell.width * style.width, height: cell.height * style.height)
  }

  func dots(barcode: Receipt.Barcode, maximumWidth: Int) throws(RenderError) -> DotImage {
    drawn.withLock { $0.append(barcode.data) }
    return Self.striped(width: maximumWidth, height: barcode.height)
  }

  func dots(qr: Receipt.QRCode, maximumWidth: Int) throws(RenderError) -> DotImage {
    drawn.withLock { $0.append(qr.data) }
    return Self.striped(width: min(maximumWidth, 200), height: 200)
  }

  func gray(image: Receipt.Image.Source, width: Int?, maximumWidth: Int) throws(RenderError) -> GrayImage {
    decoded.withLock { $0 += 1 }
    guard let picture else { throw RenderError(.image, "there is no such picture") }
    return picture
  }

  /// Dots whose bytes are as often as not the start of real-time commands.
  private static func striped(width: Int, height: Int) -> DotImage {
    var image = DotImage(width: width, height: height)
    for index in image.rows.indices {
      image.rows[index] = [0x10, 0x04, 0x10, 0x14, 0x01, 0x10, 0x05][index % 7]
    }
    let rest = width & 7
    guard rest > 0 else { return image }
    for y in 0..<height { image.rows[(y + 1) * image.stride - 1] &= ~(0xFF >> UInt8(rest)) }
    return image
  }
}
