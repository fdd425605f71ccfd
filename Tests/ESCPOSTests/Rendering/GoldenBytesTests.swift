import ESCPOS
import Glibc
import PrintTestKit
import Testing

/// The bytes of whole jobs, kept as `.bin` for the comparison and `.hex` for people.
@Suite struct GoldenBytesTests {
  struct Job: Sendable, CustomTestStringConvertible {
    var receipt: String
    var profile: String
    var isCopy = false
    var name: String { "\(receipt)-\(profile)" + (isCopy ? "-copy" : "") }
    var testDescription: String { name }
  }

  static let jobs: [Job] =
    ["retail-en", "restaurant-zh", "euro-accents", "logo-heavy", "everything"].flatMap { receipt in
      PrinterProfile.builtInNames.map { Job(receipt: receipt, profile: $0) }
    } + [Job(receipt: "restaurant-zh", profile: "generic-58", isCopy: true)]

  /// A picture that needs no decoder: a disc of rising grey on white.
  static let picture: GrayImage = {
    var levels = [UInt8](repeating: 255, count: 192 * 96)
    for y in 0..<96 {
      for x in 0..<192 where (x - 96) * (x - 96) + (y - 48) * (y - 48) < 1600 {
        levels[y * 192 + x] = UInt8(x)
      }
    }
    return GrayImage(width: 192, height: 96, levels: levels)
  }()

  @Test("jobs are byte for byte what was recorded", arguments: jobs)
  func bytes(job: Job) throws {
    let renderer = Renderer(profile: try .builtIn(job.profile), dots: BoxDots(picture: Self.picture))
    let mark = job.isCopy ? CopyMark(text: "COPY 2 / 补打 2") : nil
    let rendered = try renderer.render(.fixture(job.receipt), mark: mark).bytes
    #expect(try PrintedPaper(rendered, on: renderer.profile).faults == [])
    let listing = try HexListing.of(rendered)
    if getenv("RECORD_FIXTURES") != nil {
      try Self.write(rendered, "escpos/\(job.name).bin")
      try Self.write(Array(listing.utf8), "escpos/\(job.name).hex")
      Issue.record("recorded \(job.name); run again without RECORD_FIXTURES")
    }
    #expect(try Fixtures.bytes("escpos/\(job.name).bin") == rendered)
  }

  @Test("each listing says the same as the bytes beside it")
  func listings() throws {
    let names = try Fixtures.names(in: "escpos", suffix: ".bin")
    #expect(names.count == Self.jobs.count)
    for name in names {
      let listing = String(decoding: try Fixtures.bytes(String(name.dropLast(4)) + ".hex"), as: UTF8.self)
      #expect(try HexListing.bytes(listing) == Fixtures.bytes(name), "\(name)")
    }
  }

  @Test(
    "no job is longer than that of the thriftiest other program",
    arguments: [
      ("generic-80", "retail-en", 1393), ("generic-80", "restaurant-zh", 1193),
      ("generic-80", "euro-accents", 1134),
      ("generic-58", "retail-en", 1009), ("generic-58", "restaurant-zh", 889),
      ("generic-58", "euro-accents", 846),
    ])
  func thrift(profile: String, receipt: String, most: Int) throws {
    let job = try Renderer(profile: .builtIn(profile), dots: nil).render(.fixture(receipt))
    #expect(job.bytes.count <= most)
    #expect(job.warnings == [])
  }

  private static func write(_ bytes: [UInt8], _ name: String) throws {
    let file = try #require(fopen(Fixtures.path(name), "wb"))
    defer { fclose(file) }
    fwrite(bytes, 1, bytes.count, file)
  }
}

/// Bytes for people: sixteen in a row, each command with its mnemonic.
enum HexListing {
  static func of(_ job: [UInt8]) throws -> String {
    var listing = ""
    for token in try Tokenizer.tokens(job) {
      var comment = token.name
      if token.name == "text" {
        comment = "\"" + String(decoding: token.bytes.map { $0 < 0x80 ? $0 : 0x2E }, as: UTF8.self) + "\""
      }
      var rest = token.bytes
      while !rest.isEmpty {
        let row = rest.prefix(16).map(hex).joined(separator: " ")
        let padding = String(repeating: " ", count: 48 - row.count)
        listing += comment.isEmpty ? "\(row)\n" : "\(row)\(padding)# \(comment)\n"
        comment = ""
        rest = rest.dropFirst(16)
      }
    }
    return listing
  }

  static func bytes(_ listing: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for line in listing.split(separator: "\n") {
      for word in line.prefix(while: { $0 != "#" }).split(separator: " ") {
        bytes.append(try #require(UInt8(word, radix: 16)))
      }
    }
    return bytes
  }
}
