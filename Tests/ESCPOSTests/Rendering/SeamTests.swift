import Testing
import VirtualPrinter

@testable import ESCPOS

/// Where a printer may be asked something in the middle of a job, judged by the virtual printer's own reading of commands.
@Suite("Seams of a job")
struct SeamTests {
  /// What is wrong with the seams of a job.
  private func faults(_ job: RenderedReceipt) -> [String] {
    var tokenizer = CommandTokenizer()
    let tokens = tokenizer.tokens(of: job.bytes) + tokenizer.finish()
    var faults: [String] = []
    var clean: Set<Int> = [0]
    var lineIsEmpty = true
    var symbolIsStored = false
    for token in tokens {
      switch token.opcode {
      case .text: lineIsEmpty = false
      case .lf: lineIsEmpty = true
      case .gsParenthesis where token[2] == UInt8(ascii: "k"): symbolIsStored = token[6] != 0x51
      default: break
      }
      if lineIsEmpty, !symbolIsStored { clean.insert(token.offset + token.length) }
    }
    if zip(job.seams, job.seams.dropFirst()).contains(where: { $0 >= $1 }) { faults.append("not rising") }
    for seam in job.seams where !clean.contains(seam) { faults.append("\(seam)") }
    return faults
  }

  private func profiles() throws -> [PrinterProfile] {
    try PrinterProfile.builtInNames.map { try PrinterProfile.builtIn($0) }
  }

  @Test(
    "they lie between commands, at the beginning of a line, and not between a symbol's data and its print")
  func places() throws {
    for profile in try profiles() {
      let renderer = Renderer(profile: profile, dots: BoxDots(picture: GoldenBytesTests.picture))
      for name in ["retail-en", "restaurant-zh", "euro-accents", "logo-heavy", "everything"] {
        let job = try renderer.render(.fixture(name), originals: 2)
        #expect(faults(job) == [], "\(name) on \(profile.name)")
        #expect(job.seams.count > 10)
      }
      for seed in 5000..<5060 as Range<UInt64> {
        var random = RandomReceipt(seed: seed)
        let job = try renderer.render(
          random.receipt(), originals: Int(seed % 3), mark: seed % 5 == 0 ? CopyMark(text: "补打 2") : nil)
        #expect(faults(job) == [], "\(profile.name), seed \(seed)")
      }
    }
  }
}
