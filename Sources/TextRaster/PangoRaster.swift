import ESCPOS
import Synchronization

/// Draws text, barcodes and pictures with Pango, Zint and gdk-pixbuf.
///
/// Creating one costs nothing: fonts are looked for when the first text is drawn. Drawing holds the calling thread
/// for a millisecond or so, the first time for as long as fontconfig needs to read its caches.
public final class PangoRaster: GlyphSource {
  /// What needs the lock: Pango's font map, everything made from it, and the glyphs drawn.
  struct Fonts {
    var typesetter: Typesetter?
    var cellFonts: [CellFont.Key: CellFont] = [:]
    var glyphs = GlyphCache(capacity: 4096)
  }

  /// Held around every use of Pango in the process, whose font maps share what is under them: Cairo 1.16 closes font files
  /// that another thread has just taken up when more than ten are open (`cairo-ft-font.c`,
  /// `_font_map_release_face_lock_held`), and dies of it.
  private static let pango = Mutex(())
  /// Guards the font map, which must not be used by two threads at once; under ``pango``, if at all.
  let fonts = Mutex(Fonts())
  let language: String
  let families: FontFamilies
  let images: @Sendable (String) -> [UInt8]?

  /// Creates a source of dots; no library is touched yet.
  ///
  /// - Parameters:
  ///   - language: A BCP 47 tag such as `zh-CN` or `ja`: whose forms of the shared Chinese characters are drawn.
  ///   - images: The bytes of the picture with this name, or nil when there is none. Names with "/" or ".." in them
  ///     never come here.
  public init(
    language: String = "zh-CN", images: @escaping @Sendable (_ name: String) -> [UInt8]? = { _ in nil }
  ) {
    self.language = language
    self.images = images
    families = FontFamilies(language: language)
  }

  /// Lets go of all fonts and glyphs, some tens of megabytes after many scripts; the next drawing loads them again.
  public func releaseFonts() {
    Self.pango.withLock { _ in fonts.withLock { $0 = Fonts() } }
  }

  deinit { releaseFonts() }

  /// Calls `body` with the typesetter under the lock, made when it is not there yet.
  func typeset<Result: Sendable>(
    _ body: (Typesetter, inout Fonts) throws(RenderError) -> Result
  ) throws(RenderError) -> Result {
    try Self.pango.withLock { _ throws(RenderError) in
      try fonts.withLock { fonts throws(RenderError) in
        if let typesetter = fonts.typesetter { return try body(typesetter, &fonts) }
        let typesetter = try Typesetter(language: language)
        fonts.typesetter = typesetter
        return try body(typesetter, &fonts)
      }
    }
  }
}
