import Synchronization

/// Pictures as raster commands, kept after the first rendering so that a logo is decoded and dithered once.
///
/// It holds at most ``limit`` bytes and drops the pictures that were not used for longest.
final class RasterCache: Sendable {
  /// What decides the bytes of a picture on one printer.
  struct Key: Hashable {
    var source: Receipt.Image.Source
    var width: Int?
    var dither: Receipt.Image.Dither
    var align: Receipt.Alignment
  }

  private struct Entry {
    var bands: RasterBands
    var lastUse: UInt64
  }

  private struct Contents {
    var entries: [Key: Entry] = [:]
    var byteCount = 0
    var uses: UInt64 = 0
  }

  /// The most bytes that are kept.
  let limit: Int
  private let contents = Mutex(Contents())

  init(limit: Int = 1 << 20) {
    self.limit = limit
  }

  /// The bytes kept now.
  var byteCount: Int { contents.withLock { $0.byteCount } }

  /// The commands of a picture, or nil when it must be made.
  func bands(for key: Key) -> RasterBands? {
    contents.withLock { contents in
      contents.uses += 1
      contents.entries[key]?.lastUse = contents.uses
      return contents.entries[key]?.bands
    }
  }

  /// Keeps the commands of a picture; one bigger than the whole limit is not kept.
  func keep(_ bands: RasterBands, for key: Key) {
    let size = Self.size(key, bands)
    guard size <= limit else { return }
    contents.withLock { contents in
      contents.uses += 1
      if let old = contents.entries.updateValue(Entry(bands: bands, lastUse: contents.uses), forKey: key) {
        contents.byteCount -= Self.size(key, old.bands)
      }
      contents.byteCount += size
      while contents.byteCount > limit,
        let oldest = contents.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        contents.entries[oldest.key] = nil
        contents.byteCount -= Self.size(oldest.key, oldest.value.bands)
      }
    }
  }

  private static func size(_ key: Key, _ bands: RasterBands) -> Int {
    guard case .data(let file) = key.source else { return bands.bytes.count }
    return bands.bytes.count + file.count
  }
}
