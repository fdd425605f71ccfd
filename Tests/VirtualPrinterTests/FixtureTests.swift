import ESCPOS
import PrintTestKit
import Testing
import VirtualPrinter

/// The stored receipt: its bytes, its listing and its text belong together.
///
/// `receipt.bin` is a job of every kind of command; `receipt.lst` is its listing, `receipt.txt` what a person reads.
@Suite struct FixtureTests {
  @Test("the stored receipt is the job it was made from, and its listing and text agree with it")
  func receipt() throws {
    let bytes = try Fixtures.bytes("virtual/receipt.bin")
    let lines = String(decoding: try Fixtures.bytes("virtual/receipt.lst"), as: UTF8.self)
    #expect(bytes == PictureTests.receipt().bytes)
    #expect(listing(of: bytes).joined(separator: "\n") + "\n" == lines)
    let printer = try Profiles.printer(keeping: .text)
    printer.feed(bytes)
    let text = String(decoding: try Fixtures.bytes("virtual/receipt.txt"), as: UTF8.self)
    #expect(printer.paper.text + "\n" == text)
  }
}
