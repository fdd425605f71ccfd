import Documents
import ESCPOS
import PrintJobs
import PrintTestKit
import Synchronization
import Testing

@testable import printd

@Suite("Paper of the daemon", .timeLimit(.minutes(2)))
struct PaperTests {
  /// Draws grey squares, and counts them.
  private final class CountingDots: DotSource {
    let pictures = Mutex(0)

    func dots(
      text: String, columns: Int, cell: CellSize, style: Receipt.Style, align: Receipt.Alignment
    ) throws(RenderError) -> DotImage { throw RenderError(.barcode, "no text here") }
    func dots(barcode: Receipt.Barcode, maximumWidth: Int) throws(RenderError) -> DotImage {
      throw RenderError(.barcode, "no barcode here")
    }
    func dots(qr: Receipt.QRCode, maximumWidth: Int) throws(RenderError) -> DotImage {
      throw RenderError(.barcode, "no code here")
    }
    func gray(
      image: Receipt.Image.Source, width: Int?, maximumWidth: Int
    ) throws(RenderError) -> GrayImage {
      pictures.withLock { $0 += 1 }
      return GrayImage(width: 64, height: 64, levels: [UInt8](repeating: 100, count: 4096))
    }
  }

  @Test("A logo is read once per printer until a reload, however many receipts have it")
  func logoOnce() throws {
    let dots = CountingDots()
    let shape = ReceiptMaker.Shape(locale: "en", clock: try WallClock(zone: "UTC"), routes: [], dots: dots)
    let maker = ReceiptMaker(shape)
    let profiles = try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON)
    let order = Array(
      #"{"id":"1","currency":"EUR","items":[{"name":"Tea","amount":"3.00"}],"receipt":{"blocks":[{"type":"image","name":"logo.png"}]}}"#
        .utf8)
    let job = Job(
      id: 1, key: JobKey(orderID: "1", kind: "receipt"), printer: "counter", receivedAt: 0, expiresAt: 0)
    for _ in 1...3 {
      for name in ["generic-58", "generic-80"] {
        _ = try maker.prepare(job, order: order, for: try profiles.profile(named: name))
      }
    }
    #expect(dots.pictures.withLock { $0 } == 2)
    maker.replace(shape)
    _ = try maker.prepare(job, order: order, for: try profiles.profile(named: "generic-58"))
    #expect(dots.pictures.withLock { $0 } == 3)
  }

  @Test("The test page of a running daemon shows what the printer has said before it")
  func testPageSaysTheStatus() async throws {
    let rig = try await DaemonRig(orders: nil)
    let (end, output) = try await rig.run("test-print")
    #expect(end == .exit(0), "\(output)")
    await rig.stop()
    let paper = try Fixtures.text(ofFile: rig.folder.path("paper/0001.txt"))
    #expect(paper.contains("status channel: answers"))
    #expect(paper.contains("status: ready, paper present"))
  }
}
