import BLETransport
import Documents
import ESCPOS
import FoundationEssentials
import Glibc
import PrintTestKit
import TextRaster
import Threads

/// Prints receipts on a BLE printer as the daemon does in its default write mode: gate, job, fence, one conversation for
/// each, over one link. For the Bluetooth rig's bench (`Tests/Rig/bench`).
///
///     printd-bench job ADDRESS RATE
///
/// RATE is the printer's in bytes a second, as its profile would say. Each line of the standard input is a number of bytes: a
/// receipt of about so many, text and a picture, is sent, and a line of JSON says when that began, how many bytes it has and
/// how many the link was given for it. Its fence is asked when the next line comes, or the end.
enum JobBench {
  private struct Round: Encodable {
    /// CLOCK_MONOTONIC, in seconds.
    var began: Double
    /// Processor time of this process, in seconds.
    var cpu: Double
    /// Bytes of the receipt.
    var job: Int
    /// Bytes of the receipt and of what was asked at the gate and in its middle.
    var sent: Int
  }

  static func run(_ words: [String]) async throws {
    guard words.count == 2, let address = BluetoothAddress(words[0]), let rate = Int(words[1]) else {
      throw LinkBench.Fault(description: "usage: printd-bench job ADDRESS RATE")
    }
    let clock = BootClock()
    let catalogue = try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON)
    var profile = try catalogue.profile(named: "generic-80")
    profile.bytesPerSecond = rate
    let renderer = Renderer(
      profile: profile, dots: PangoRaster { name in try? Fixtures.bytes("receipts/\(name)") })
    let bluez = BlueZ(clock: clock, note: { _ in })
    let printer = BluetoothPrinter(name: "bench", address: address, bearer: .ble, bytesPerSecond: rate)
    let link = try await BLELinkOpener(printer, bluez).open(by: clock.now.advanced(by: .seconds(60)))
    LinkBench.say("ready")
    var open: PrinterConversation?
    var hasProof = false
    while let count = await LinkBench.nextCount() {
      if let open {
        try await prove(open, clock)
        hasProof = true
      }
      let job = try await LinkBench.desk.run { Result { try receipt(count, renderer) } }.get()
      let before = link.bytesAccepted
      let conversation = PrinterConversation(
        link: link, profile: profile, clock: clock, past: .init(isProven: hasProof))
      let deadline = clock.now.advanced(by: .seconds(60))
      guard case .ready = try await conversation.gate(by: deadline) else {
        throw LinkBench.Fault(description: "the printer is not ready")
      }
      let (began, cpu) = (LinkBench.seconds(CLOCK_MONOTONIC), LinkBench.seconds(CLOCK_PROCESS_CPUTIME_ID))
      try await conversation.send(job.bytes, seams: job.seams, by: deadline) {}
      try await link.flush(by: deadline)
      let spent = LinkBench.seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu
      let round = Round(began: began, cpu: spent, job: job.bytes.count, sent: link.bytesAccepted - before)
      LinkBench.say(String(decoding: try JSONEncoder().encode(round), as: UTF8.self))
      open = conversation
    }
    if let open { try await prove(open, clock) }
    await link.close()
    await bluez.stop(by: clock.now.advanced(by: .seconds(5)))
  }

  private static func prove(_ conversation: PrinterConversation, _ clock: BootClock) async throws {
    guard try await conversation.fence(by: clock.now.advanced(by: .seconds(30))) == .proven else {
      throw LinkBench.Fault(description: "the printer has not confirmed the receipt")
    }
    await conversation.end()
  }

  /// A receipt of at least `count` bytes: half of it lines, half a picture.
  private static func receipt(_ count: Int, _ renderer: Renderer) throws -> RenderedReceipt {
    var receipt = try DocumentReader.read(
      Receipt.self, from: try Fixtures.bytes("receipts/photo-576x1200.json"))
    for case .image(var image) in receipt.blocks {
      image.width = count < 10_000 ? 64 : 192
      receipt.blocks = [.image(image)]
    }
    var rendered = try renderer.render(receipt)
    while rendered.bytes.count < count {
      // A line is some 50 bytes. The last ones come by tens, so that the receipt is hardly longer than it was asked for.
      for line in 0..<max(10, (count - rendered.bytes.count) / 100) {
        let cells = [
          Receipt.Columns.Cell("\(receipt.blocks.count) Espresso \(line)"),
          Receipt.Columns.Cell("12.\(10 + line % 10)", align: .right, width: 8),
        ]
        receipt.blocks.append(.columns(.init(cells)))
      }
      rendered = try renderer.render(receipt)
    }
    return rendered
  }
}
