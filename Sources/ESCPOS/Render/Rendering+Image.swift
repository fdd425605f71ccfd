extension Rendering {
  /// The widest raster image, in whole bytes.
  var rasterWidth: Int { profile.widthDots / 8 * 8 }

  /// A picture, from the cache when it has been printed before.
  mutating func image(_ image: Receipt.Image) throws(RenderError) {
    guard let raster = profile.raster else {
      throw RenderError(.unsupported, "the printer has no raster images; leave the picture out")
    }
    guard let dots = renderer.dots else {
      throw RenderError(.unsupported, "nothing here decodes pictures; leave the picture out")
    }
    let key = RasterCache.Key(
      source: image.source, width: image.width, dither: image.dither, align: image.align)
    if let bands = renderer.cache.bands(for: key) { return stream.raster(bands, align: image.align) }
    let gray = try dots.gray(image: image.source, width: image.width, maximumWidth: rasterWidth)
    guard gray.width <= rasterWidth, gray.width > 0, gray.height > 0 else {
      throw RenderError(
        .image, "the picture is \(gray.width) × \(gray.height) dots; the paper takes \(rasterWidth)")
    }
    let bands = RasterBands(
      gray.dithered(image.dither), align: image.align, maximumRows: raster.maximumRows)
    renderer.cache.keep(bands, for: key)
    stream.raster(bands, align: image.align)
  }

  /// Prints dots that were drawn for a block.
  mutating func print(_ image: DotImage, align: Receipt.Alignment) throws(RenderError) {
    guard let raster = profile.raster else { return }
    guard image.width <= rasterWidth, image.width > 0, image.height > 0 else {
      throw RenderError(
        .image, "the drawing is \(image.width) × \(image.height) dots; the paper takes \(rasterWidth)")
    }
    stream.raster(RasterBands(image, align: align, maximumRows: raster.maximumRows), align: align)
  }
}
