import Testing
import VirtualPrinter

@testable import ESCPOS

@Suite("A job in parts")
struct JobPartsTests {
  private func profiles() throws -> [PrinterProfile] {
    try PrinterProfile.builtInNames.map { try PrinterProfile.builtIn($0) }
  }

  @Test("parts are whole commands, no longer than asked where a seam allows it, and hold all of the job")
  func parts() throws {
    for profile in try profiles() {
      let renderer = Renderer(profile: profile, dots: BoxDots(picture: GoldenBytesTests.picture))
      for seed in 6000..<6050 as Range<UInt64> {
        var random = RandomReceipt(seed: seed)
        let job = try renderer.render(random.receipt(), originals: 1 + Int(seed % 3))
        let length = Int(seed % 7) * 150 + 1
        let parts = JobParts(job.bytes, seams: job.seams, length: length, window: length * 2).parts
        #expect(parts.reduce(0) { $0 + $1.own($1.bytes.count) } == job.bytes.count)
        let longest = zip([0] + job.seams, job.seams + [job.bytes.count]).map { $1 - $0 }.max() ?? 0
        for part in parts {
          var tokenizer = CommandTokenizer()
          let tokens = tokenizer.tokens(of: part.bytes) + tokenizer.finish()
          let isCut = tokens.contains { if case .truncated = $0.fault { true } else { false } }
          #expect(!isCut, "\(profile.name), seed \(seed)")
          #expect(part.bytes.count <= max(length, longest))
        }
        // Without the heads of the pieces, and with one for each band, it is the job again.
        if !job.bytes.containsRaster { #expect(parts.flatMap(\.bytes) == job.bytes) }
      }
    }
  }

  @Test("a raster is cut into pieces of whole rows, each with its own head")
  func raster() {
    let rows = (0..<100 * 8).map { UInt8(truncatingIfNeeded: $0) }
    let job = [0x1D, 0x76, 0x30, 0, 8, 0, 100, 0] + rows
    let parts = JobParts(job, seams: [job.count], length: 200, window: 400).parts
    #expect(parts.map(\.bytes.count) == [200, 200, 200, 200, 40])
    #expect(parts.allSatisfy { $0.bytes.starts(with: [0x1D, 0x76, 0x30, 0, 8, 0]) })
    #expect(parts.map { Int($0.bytes[6]) } == [24, 24, 24, 24, 4])
    #expect(parts.flatMap { $0.bytes.dropFirst(8) } == rows)
    #expect(parts.map { $0.own($0.bytes.count) } == [200, 192, 192, 192, 32])
    #expect(parts.map { $0.own(9) } == [9, 1, 1, 1, 1])
    #expect(parts.map(\.isAsked) == [true, true, true, false, false])
  }

  @Test("seams that no job has do no harm", arguments: [[-5, 3, 3, 900], [0], [900], [3, 2, 1]])
  func oddSeams(seams: [Int]) {
    let job = Array("ab\ncd\n".utf8)
    let parts = JobParts(job, seams: seams, length: 1, window: 1).parts
    #expect(parts.flatMap(\.bytes) == job)
    #expect(JobParts([], seams: seams, length: 0, window: 0).parts.isEmpty)
  }
}

extension [UInt8] {
  fileprivate var containsRaster: Bool {
    indices.dropLast(2).contains { self[$0] == 0x1D && self[$0 + 1] == 0x76 && self[$0 + 2] == 0x30 }
  }
}
