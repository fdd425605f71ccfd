/// An image as `GS v 0` commands: bands of limited height, each only as wide as its ink.
///
/// White rows become bands one or two bytes wide, because `ESC J` is ignored by some clones (NT-5890K,
/// measured by
/// escpost). A cut is made only where it saves more than ``bandCost`` bytes, since each band costs the
/// printer time.
struct RasterBands: Equatable, Sendable {
  /// The commands.
  private(set) var bytes: [UInt8] = []
  /// Where each command ends in the bytes.
  private(set) var ends: [Int] = []
  /// The width of the whole image in bytes.
  private(set) var byteWidth = 0
  /// Whether white was cut off, so that the bands keep their place only under the alignment they were made
  /// for.
  private(set) var isTrimmed = false

  /// What a band must save: the eight bytes of its head, and the hesitation of the paper feed.
  static let bandCost = 64

  /// - Parameters:
  ///   - image: The dots; at least one row and one column.
  ///   - align: The alignment under which the bands are printed. White is cut off on the far side only, and
  ///     on both
  ///     sides alike when they are centred, so every band keeps its place.
  ///   - maximumRows: The most rows of a band.
  init(_ image: DotImage, align: Receipt.Alignment, maximumRows: Int) {
    guard image.width > 0, image.height > 0 else { return }
    byteWidth = image.stride
    let margins = (0..<image.height).map { Self.margin(of: image, row: $0, align: align) }
    let widest = align == .center ? (image.stride - 1) / 2 : image.stride - 1
    for band in Self.bands(margins: margins, image: image, align: align, maximumRows: max(1, maximumRows)) {
      let margin = min(widest, margins[band].min() ?? 0)
      if margin > 0 { isTrimmed = true }
      let left = align == .left ? 0 : margin
      let bandWidth = image.stride - (align == .center ? 2 * margin : margin)
      let start = bytes.count
      bytes += Command.raster(byteWidth: bandWidth, rows: band.count)
      for row in band {
        let first = row * image.stride + left
        bytes += image.rows[first..<first + bandWidth]
      }
      RealTimeGuard.defuse(&bytes, from: start)
      ends.append(bytes.count)
    }
  }

  /// The white bytes that may be cut off a row.
  private static func margin(of image: DotImage, row: Int, align: Receipt.Alignment) -> Int {
    let bytes = image.rows[row * image.stride..<(row + 1) * image.stride]
    guard let first = bytes.firstIndex(where: { $0 != 0 }), let last = bytes.lastIndex(where: { $0 != 0 })
    else {
      return image.stride
    }
    let left = first - bytes.startIndex
    let right = bytes.endIndex - 1 - last
    return switch align {
    case .left: right
    case .center: min(left, right)
    case .right: left
    }
  }

  /// The cheapest cut into bands, found by the cheapest way to each row.
  private static func bands(
    margins: [Int], image: DotImage, align: Receipt.Alignment, maximumRows: Int
  ) -> [Range<Int>] {
    let sides = align == .center ? 2 : 1
    let widest = align == .center ? (image.stride - 1) / 2 : image.stride - 1
    var cost = [Int](repeating: .max, count: image.height + 1)
    var from = [Int](repeating: 0, count: image.height + 1)
    cost[0] = 0
    for end in 1...image.height {
      var margin = widest
      for start in stride(from: end - 1, through: max(0, end - maximumRows), by: -1) {
        margin = min(margin, margins[start])
        if RealTimeGuard.isHazardous(rows: end - start) { continue }
        let total = cost[start] + bandCost + (end - start) * (image.stride - sides * margin)
        if total < cost[end] { (cost[end], from[end]) = (total, start) }
      }
    }
    var bands: [Range<Int>] = []
    var end = image.height
    while end > 0 {
      bands.append(from[end]..<end)
      end = from[end]
    }
    return bands.reversed()
  }
}
