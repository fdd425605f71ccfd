import ESCPOS
import TextRaster
import Threads
import VirtualPrinter

/// A virtual printer whose paper goes into a folder: `0001.png` and `0001.txt` for every sheet.
///
/// A sheet is written when it is cut off; what is still in the printer, when the link is closed.
final class PaperFolder: LinkOpener {
  private let printer: VirtualPrinter
  private let inner: any LinkOpener
  private let picture: SheetPicture
  private let folder: String?
  private let first: Int
  /// Sheets are taken out, drawn and written here, in order; it may take seconds, and nobody else waits for it.
  private let drawing = WorkThreads(atMost: 1)

  /// Makes a printer and, where one is given, the folder; numbers go on behind the sheets that are there.
  ///
  /// - Throws: ``Failure`` when the folder cannot be made.
  init(
    profile: PrinterProfile, raster: PangoRaster, folder: String?, clock: any BootTimeClock
  ) throws(Failure) {
    printer = VirtualPrinter(profile: profile, glyphs: raster, symbols: raster, clock: clock)
    inner = printer.opener()
    picture = SheetPicture(glyphs: raster)
    self.folder = folder
    if let folder { try Files.makeFolder(folder) }
    first = (folder.map(Files.names) ?? []).compactMap { Int($0.prefix { $0 != "." }) }.max() ?? 0
    // Loading the fonts takes some tens of milliseconds; better now than in the first wake.
    drawing.start { _ = raster.glyph("0", cell: profile.fontA.cell, bold: false) }
    let events = printer.events()
    Task { [weak self] in
      for await event in events {
        if case .cut = event { await self?.collect(open: false) }
      }
    }
  }

  func open(by deadline: BootInstant) async throws(LinkError) -> any PrinterLink {
    PaperLink(try await inner.open(by: deadline)) { [weak self] in await self?.collect(open: true) }
  }

  /// Writes what has been cut off, and with `open` also the sheet in the printer; returns when it is written.
  private func collect(open: Bool) async {
    await drawing.run { [self] in write(open: open) }
  }

  /// Draws and writes; runs on `drawing` alone.
  private func write(open: Bool) {
    var sheets = printer.takeSheets()
    let current = printer.paper.current
    if open, !current.entries.isEmpty { sheets.append(current) }
    guard let folder else { return }
    for sheet in sheets {
      let number = String(first + sheet.number + 1)
      let name = folder + "/" + String(repeating: "0", count: max(0, 4 - number.count)) + number
      do {
        try Files.write(Array((sheet.text + "\n").utf8), to: "\(name).txt")
        try Files.write(try picture.png([sheet]), to: "\(name).png")
      } catch {
        Log.warning("paper not written", ["file": name, "reason": error])
      }
    }
  }

  /// A link that tells when it is closed.
  private final class PaperLink: PrinterLink {
    private let inner: any PrinterLink
    private let closed: @Sendable () async -> Void

    init(_ inner: any PrinterLink, closed: @escaping @Sendable () async -> Void) {
      self.inner = inner
      self.closed = closed
    }

    var bytesAccepted: Int { inner.bytesAccepted }
    var hasBackChannel: Bool { inner.hasBackChannel }

    func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
      try await inner.send(bytes, by: deadline)
    }

    func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
      try await inner.receive(by: deadline)
    }

    func flush(by deadline: BootInstant) async throws(LinkError) { try await inner.flush(by: deadline) }

    func close() async {
      await inner.close()
      await closed()
    }
  }
}
