import BLETransport
import ESCPOS
import TextRaster

extension PairPrinter {
  /// What came of a test page.
  struct Page: Equatable {
    var bytes: Int
    /// How fast the printer took it, where it proved its end; two digits of it.
    var bytesPerSecond: Int?
  }

  /// How long a test page may take: it has some 2 to 5 KB, and a slow BLE printer takes 1 KB/s.
  private static let pageTime = Duration.seconds(120)

  /// Prints the test page over the link that is open, and measures.
  ///
  /// - Throws: ``Failure`` with what stands in the way.
  func printTestPage(
    _ contact: Contact, _ printer: Configuration.Printer, _ model: PrinterProfile, _ plan: Plan
  ) async throws(Failure) -> Page {
    guard let link = contact.link else { throw Failure(.unavailable, "the link is closed") }
    let raster = plan.loaded.configuration.raster
    let page = TestPage(printer: printer.name, profile: model, answers: contact.lines)
    let rendered: RenderedReceipt
    do {
      rendered = try Renderer(profile: model, dots: raster).render(page.receipt)
    } catch {
      throw Failure(.software, "the test page cannot be rendered: \(error)")
    }
    let bytes = rendered.bytes
    steps.begin("printing a test page of \(bytes.count) bytes")
    let conversation = PrinterConversation(link: link, profile: model, clock: clock)
    let deadline = clock.now.advanced(by: Self.pageTime)
    let start: BootInstant
    let fence: PrinterConversation.Fence
    do throws(LinkError) {
      let gate = try await conversation.gate(by: min(deadline, clock.now.advanced(by: .seconds(20))))
      if let obstacle = gate.obstacle { throw LinkError(.refused, "\(printer.name): \(obstacle)") }
      start = clock.now
      // With its seams, as a receipt is sent: else a long page over BLE would measure the radio's answers to requests.
      try await conversation.send(bytes, seams: rendered.seams, by: deadline) {}
      fence = try await conversation.fence(by: deadline)
      await conversation.end()
    } catch {
      await conversation.end()
      guard !Task.isCancelled else {
        throw Failure(.temporary, "the test page: stopped", remedy: "look at the printer")
      }
      throw Failure(
        error.code == .cancelled || error.code == .refused ? .temporary : .unavailable,
        "the test page: \(error.message)",
        remedy: "look at the printer")
    }
    let time = start.duration(to: clock.now)
    switch fence {
    case .proven:
      let rate = Self.rate(of: bytes.count, in: time)
      steps.done("printed a test page, and the printer says so: \(bytes.count) bytes, \(rate) bytes/s")
      return Page(bytes: bytes.count, bytesPerSecond: rate)
    case .unconfirmed:
      steps.done(
        "sent a test page of \(bytes.count) bytes; the printer cannot say that it printed, nor how fast, so the profile's"
          + " \(model.bytesPerSecond) bytes/s stay")
      return Page(bytes: bytes.count)
    case .missing(let status):
      throw Failure(
        .temporary, "the printer took the test page but has not confirmed it: \(status.text)",
        remedy: "look at the paper")
    }
  }

  /// Bytes a second, two digits of it, in the range of `bytes_per_second`.
  static func rate(of bytes: Int, in time: Duration) -> Int {
    let seconds = max(0.001, time / .seconds(1))
    var rate = Int(min(1_000_000, max(100, Double(bytes) / seconds)))
    var unit = 1
    while rate >= 100 {
      rate /= 10
      unit *= 10
    }
    return max(100, rate * unit)
  }
}
