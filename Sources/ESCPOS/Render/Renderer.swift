/// Turns receipts into the bytes of one printer.
///
/// Make one per printer and keep it: it holds the printer's character tables and the pictures it has
/// rendered. A named
/// picture is read once, so make a new renderer when the image folder has changed.
public struct Renderer: Sendable {
  /// The printer.
  public let profile: PrinterProfile
  let dots: (any DotSource)?
  let typesetter: Typesetter
  let abilities: Abilities
  let cache: RasterCache

  /// Creates a renderer.
  ///
  /// - Parameters:
  ///   - profile: The printer; nothing that it lacks is sent.
  ///   - dots: Draws what the printer cannot; without it, visible marks and warnings stand for such text.
  public init(profile: PrinterProfile, dots: (any DotSource)?) {
    self.profile = profile
    self.dots = profile.raster == nil ? nil : dots
    typesetter = Typesetter(repertoire: Repertoire(profile), draws: self.dots != nil)
    abilities = Abilities(profile)
    cache = RasterCache()
  }

  /// Renders a receipt: one job, from `ESC @` to the last cut.
  ///
  /// The job prints the same whatever state the last one left the printer in.
  ///
  /// - Parameters:
  ///   - receipt: What to print.
  ///   - originals: How often; a cut comes between them where the receipt does not end with one. The drawer
  ///     opens and
  ///     the printer beeps with the first only.
  ///   - mark: Marks every one as a copy, at the top and at the bottom. The drawer stays shut then: nobody
  ///     pays for
  ///     a copy.
  /// - Throws: ``RenderError`` with the path of the block: a barcode's data breaks its rules, a picture
  ///   cannot be
  ///   read, or the printer can do neither it nor print a picture of it.
  public func render(
    _ receipt: Receipt, originals: Int = 1, mark: CopyMark? = nil
  ) throws(RenderError) -> RenderedReceipt {
    var rendering = Rendering(renderer: self)
    for original in 0..<max(1, originals) {
      try rendering.print(receipt, isFirst: original == 0, isLast: original >= originals - 1, mark: mark)
    }
    return rendering.finish()
  }
}
