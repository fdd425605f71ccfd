import CPango
import ESCPOS

/// Text as dots through Pango and Cairo: one font map and what has been loaded into it.
///
/// Not thread-safe, as a Pango font map is not: its owner calls it, and lets go of its lines, under a lock.
/// Creating it reads the fontconfig caches.
final class Typesetter {
  private let fontMap: UnsafeMutableRawPointer
  private let context: OpaquePointer

  /// - Parameter language: A BCP 47 tag; it decides between the Chinese, Japanese and Korean forms of one character.
  /// - Throws: ``RenderError`` with `.text` when there is no font at all.
  init(language: String) throws(RenderError) {
    guard let map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT) else {
      throw RenderError(.text, "Cairo was built without FreeType")
    }
    var families: UnsafeMutablePointer<UnsafeMutablePointer<PangoFontFamily>?>?
    var count: Int32 = 0
    pango_font_map_list_families(map, &families, &count)
    g_free(families)
    guard count > 0, let context = pango_font_map_create_context(map) else {
      g_object_unref(map)
      throw RenderError(.text, "no font is installed; install fonts-dejavu-core")
    }
    // Black or white from the start: a grey edge would only be cut at a threshold later, and hinting for
    // one-bit dots keeps stems equally thick.
    let options = cairo_font_options_create()
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_NONE)
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_FULL)
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON)
    pango_cairo_context_set_font_options(context, options)
    cairo_font_options_destroy(options)
    pango_context_set_language(context, pango_language_from_string(language))
    fontMap = UnsafeMutableRawPointer(map)
    self.context = context
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(context))
    g_object_unref(fontMap)
  }

  /// How a line is set.
  struct Setting {
    /// A part of the text, in bytes of UTF-8, that is set in another font.
    struct Span {
      var range: Range<Int>
      var families: String
      var size: Double
    }

    /// Families in order of preference, separated by commas.
    var families: String
    /// Dots to the em.
    var size: Double
    var bold = false
    /// How much wider than high. Cairo stretches the outlines when it draws; Pango, told of it, gets the advances wrong.
    var stretch = 1.0
    var spans: [Span] = []
    /// Width of a column before the stretch: glyphs of scripts that stand in columns are spread to whole ones.
    var column: Double?
  }

  /// Shapes one line; line breaks in it must be gone.
  func line(_ text: String, _ setting: Setting) -> TypesetLine {
    let layout = pango_layout_new(context)
    let font = pango_font_description_new()
    pango_font_description_set_family(font, setting.families)
    pango_font_description_set_absolute_size(font, setting.size * Double(PANGO_SCALE))
    if setting.bold { pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD) }
    pango_layout_set_font_description(layout, font)
    pango_font_description_free(font)
    pango_layout_set_single_paragraph_mode(layout, 1)
    let attributes = pango_attr_list_new()
    for span in setting.spans {
      for attribute in [
        pango_attr_family_new(span.families),
        pango_attr_size_new_absolute(Int32(span.size * Double(PANGO_SCALE))),
      ] {
        attribute?.pointee.start_index = guint(span.range.lowerBound)
        attribute?.pointee.end_index = guint(span.range.upperBound)
        pango_attr_list_insert(attributes, attribute)
      }
    }
    pango_layout_set_attributes(layout, attributes)
    pango_attr_list_unref(attributes)
    let bytes = Array(text.utf8)
    bytes.withUnsafeBytes { pango_layout_set_text(layout, $0.baseAddress, Int32(bytes.count)) }
    return TypesetLine(layout, text: bytes, setting)
  }
}

/// One shaped line, in dots. Let go of it under the lock of its ``Typesetter``.
final class TypesetLine {
  /// What the glyphs cover, relative to the origin on the baseline; y grows downwards.
  let ink: (left: Double, top: Double, right: Double, bottom: Double)
  /// How far the pen moves.
  let advance: Double
  /// From the baseline to the top of the font.
  let ascent: Double
  /// From the baseline to the bottom of the font.
  let descent: Double
  /// Whether some character is in no font.
  let lacksGlyphs: Bool
  private let layout: OpaquePointer?
  private let line: UnsafeMutablePointer<PangoLayoutLine>?
  private let stretch: Double

  fileprivate init(_ layout: OpaquePointer?, text: [UInt8], _ setting: Typesetter.Setting) {
    self.layout = layout
    stretch = setting.stretch
    lacksGlyphs = pango_layout_get_unknown_glyphs_count(layout) > 0
    line = pango_layout_get_line(layout, 0)
    if let column = setting.column {
      Self.spread(line, text: text, column: Int32(column * Double(PANGO_SCALE)))
    }
    var inked = PangoRectangle()
    var logical = PangoRectangle()
    pango_layout_line_get_extents(line, &inked, &logical)
    func dots(_ units: Int32) -> Double { Double(units) / Double(PANGO_SCALE) }
    ink = (
      dots(inked.x) * stretch, dots(inked.y), (dots(inked.x) + dots(inked.width)) * stretch,
      dots(inked.y) + dots(inked.height)
    )
    advance = dots(logical.width) * stretch
    ascent = -dots(logical.y)
    descent = dots(logical.y) + dots(logical.height)
  }

  deinit {
    if let layout { g_object_unref(UnsafeMutableRawPointer(layout)) }
  }

  /// Gives every cluster of a script that stands in columns a whole number of them, the glyphs in their middle.
  private static func spread(
    _ line: UnsafeMutablePointer<PangoLayoutLine>?, text: [UInt8], column: Int32
  ) {
    var runs = line?.pointee.runs
    while let run = runs {
      runs = run.pointee.next
      guard let item = run.pointee.data?.assumingMemoryBound(to: PangoLayoutRun.self).pointee,
        let glyphs = item.glyphs?.pointee, let start = item.item?.pointee.offset
      else { continue }
      let count = Int(glyphs.num_glyphs)
      var first = 0
      while first < count {
        let cluster = glyphs.log_clusters[first]
        var end = first
        var width: Int32 = 0
        while end < count, glyphs.log_clusters[end] == cluster {
          width += glyphs.glyphs[end].geometry.width
          end += 1
        }
        if width > 0, Script.standsInColumns(text, at: Int(start + cluster)) {
          let slot = max(1, (width + column / 2) / column) * column
          // Whole dots, so that a letter looks the same in every column.
          let shift = ((slot - width) / 2) & ~(PANGO_SCALE - 1)
          for index in first..<end { glyphs.glyphs[index].geometry.x_offset += shift }
          glyphs.glyphs[end - 1].geometry.width += slot - width
        }
        first = end
      }
    }
  }

  /// Draws the line on white as luminance, 0 = black.
  ///
  /// - Parameters:
  ///   - x: Where the pen starts.
  ///   - baseline: Rows above the baseline.
  ///   - text: Whether plain glyphs are seen; without, only those of colour fonts are.
  func draw(width: Int, height: Int, x: Double, baseline: Double, text: Bool) -> GrayImage {
    var image = GrayImage(
      width: width, height: height, levels: [UInt8](repeating: 255, count: width * height))
    let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
    let canvas = cairo_create(surface)
    cairo_set_source_rgb(canvas, 1, 1, 1)
    cairo_paint(canvas)
    if text { cairo_set_source_rgb(canvas, 0, 0, 0) }
    cairo_translate(canvas, x, baseline)
    cairo_scale(canvas, stretch, 1)
    pango_cairo_show_layout_line(canvas, line)
    cairo_destroy(canvas)
    cairo_surface_flush(surface)
    if let dots = cairo_image_surface_get_data(surface) {
      let stride = Int(cairo_image_surface_get_stride(surface))
      for y in 0..<height {
        let row = UnsafeRawPointer(dots + y * stride).assumingMemoryBound(to: UInt32.self)
        for x in 0..<width where row[x] & 0xFF_FFFF != 0xFF_FFFF {
          image.levels[y * width + x] = luminance(
            red: UInt8(truncatingIfNeeded: row[x] >> 16), green: UInt8(truncatingIfNeeded: row[x] >> 8),
            blue: UInt8(truncatingIfNeeded: row[x]))
        }
      }
    }
    cairo_surface_destroy(surface)
    return image
  }
}

/// The dots as a PNG of one bit a pixel, black on white, each dot `scale` pixels wide and high.
///
/// - Throws: ``RenderError`` with `.image` when Cairo refuses the size.
func encodePNG(_ dots: DotImage, scale: Int) throws(RenderError) -> [UInt8] {
  let (width, height) = (dots.width * scale, dots.height * scale)
  let surface = cairo_image_surface_create(CAIRO_FORMAT_A1, Int32(clamping: width), Int32(clamping: height))
  defer { cairo_surface_destroy(surface) }
  guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS,
    let pixels = cairo_image_surface_get_data(surface)
  else { throw RenderError(.image, "a picture of \(width) × \(height) dots cannot be made") }
  // Cairo writes an A1 surface as grey of one bit, a set bit as white; its bits run with the machine's byte order.
  let stride = Int(cairo_image_surface_get_stride(surface))
  for y in 0..<height {
    for x in 0..<width where !dots[x / scale, y / scale] {
      #if _endian(little)
      pixels[y * stride + x >> 3] |= 1 << UInt8(x & 7)
      #else
      pixels[y * stride + x >> 3] |= 0x80 >> UInt8(x & 7)
      #endif
    }
  }
  cairo_surface_mark_dirty(surface)
  var png: [UInt8] = []
  let status = withUnsafeMutablePointer(to: &png) { png in
    cairo_surface_write_to_png_stream(
      surface,
      { closure, bytes, count in
        closure?.assumingMemoryBound(to: [UInt8].self).pointee
          .append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
        return CAIRO_STATUS_SUCCESS
      }, png)
  }
  guard status == CAIRO_STATUS_SUCCESS else { throw RenderError(.image, "the PNG could not be written") }
  return png
}

/// Decodes a PNG or JPEG as luminance on white, turned upright.
///
/// - Parameters:
///   - type: gdk-pixbuf's name of the format; no other loader is tried.
///   - pixelLimit: The most pixels; a picture that says it has more is not decoded.
/// - Throws: ``RenderError`` with `.image`.
func decodePicture(_ bytes: [UInt8], type: String, pixelLimit: Int) throws(RenderError) -> GrayImage {
  struct Size {
    var limit: Int
    var isTooBig = false
  }
  guard let loader = gdk_pixbuf_loader_new_with_type(type, nil) else {
    throw RenderError(.image, "gdk-pixbuf cannot read \(type.uppercased()) files here")
  }
  defer { g_object_unref(UnsafeMutableRawPointer(loader)) }
  var size = Size(limit: pixelLimit)
  typealias SizePrepared =
    @convention(c) (UnsafeMutablePointer<GdkPixbufLoader>?, gint, gint, gpointer?) -> Void
  // Called when the header has been read and before the picture has memory; a size of 0 stops the loader.
  let sizePrepared: SizePrepared = { loader, width, height, size in
    guard let size = size?.assumingMemoryBound(to: Size.self) else { return }
    if Int(width) * Int(height) > size.pointee.limit {
      size.pointee.isTooBig = true
      gdk_pixbuf_loader_set_size(loader, 0, 0)
    }
  }
  let isWhole = withUnsafeMutablePointer(to: &size) { size in
    let handler = g_signal_connect_data(
      loader, "size-prepared", unsafeBitCast(sizePrepared, to: GCallback.self), size, nil,
      GConnectFlags(rawValue: 0))
    defer { g_signal_handler_disconnect(loader, handler) }
    let isTaken = gdk_pixbuf_loader_write(loader, bytes, gsize(bytes.count), nil) != 0
    return gdk_pixbuf_loader_close(loader, nil) != 0 && isTaken
  }
  if size.isTooBig {
    throw RenderError(
      .image, "a picture has at most \(pixelLimit / 1_000_000) million pixels; make it smaller")
  }
  guard isWhole, let decoded = gdk_pixbuf_loader_get_pixbuf(loader),
    let upright = gdk_pixbuf_apply_embedded_orientation(decoded)
  else { throw RenderError(.image, "the picture is damaged or cut off") }
  defer { g_object_unref(UnsafeMutableRawPointer(upright)) }
  let (width, height) = (Int(gdk_pixbuf_get_width(upright)), Int(gdk_pixbuf_get_height(upright)))
  let (stride, channels) = (Int(gdk_pixbuf_get_rowstride(upright)), Int(gdk_pixbuf_get_n_channels(upright)))
  let hasAlpha = gdk_pixbuf_get_has_alpha(upright) != 0
  guard let pixels = gdk_pixbuf_read_pixels(upright), gdk_pixbuf_get_bits_per_sample(upright) == 8,
    channels >= 3
  else { throw RenderError(.image, "the picture is in a form that cannot be read") }
  let levels = [UInt8](unsafeUninitializedCapacity: width * height) { levels, count in
    for y in 0..<height {
      var pixel = pixels + y * stride
      for _ in 0..<width {
        let level = UInt32(luminance(red: pixel[0], green: pixel[1], blue: pixel[2]))
        let alpha = hasAlpha ? UInt32(pixel[3]) : 255
        levels[count] = UInt8((level * alpha + 255 * (255 - alpha) + 127) / 255)
        count += 1
        pixel += channels
      }
    }
  }
  return GrayImage(width: width, height: height, levels: levels)
}
