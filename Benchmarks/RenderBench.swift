import Documents
import ESCPOS
import FoundationEssentials
import Glibc
import PrintTestKit
import TextRaster

/// Receipts in memory to bytes in memory, on one core, beside python-escpos run in turn.
enum RenderBench {
  private struct Peer: Decodable {
    var name: String
    var bytes: Int
    var per_second: Double
  }

  /// The fewest bytes that python-escpos, escpos-php, receiptline or ReceiptPrinterEncoder need for the same receipt.
  private static let fewest: [Int: [String: Int]] = [
    48: [
      "retail-en": 1393, "restaurant-zh": 1193, "euro-accents": 1134, "logo-heavy": 10203,
      "photo-576x1200": 86410,
    ],
    32: ["retail-en": 1009, "restaurant-zh": 889, "euro-accents": 846, "logo-heavy": 10075],
  ]

  static func run() async throws -> [Measurement] {
    let raster = PangoRaster { name in try? Fixtures.bytes("receipts/\(name)") }
    let catalogue = try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON)
    var all: [Measurement] = []
    for (columns, profileName) in [(48, "generic-80"), (32, "generic-58")] {
      guard let profile = catalogue[profileName] else { continue }
      let renderer = Renderer(profile: profile, dots: raster)
      let names = ["retail-en", "restaurant-zh", "euro-accents", "logo-heavy", "photo-576x1200"]
        .filter { fewest[columns]?[$0] != nil }
      for name in names {
        let receipt = try DocumentReader.read(Receipt.self, from: try Fixtures.bytes("receipts/\(name).json"))
        let hasPicture = name.hasPrefix("photo") || name.hasPrefix("logo")
        var ours: [Double] = []
        var fresh: [Double] = []
        var theirs: [Double] = []
        var bytes = 0
        for _ in 0..<3 {
          ours.append(try rate { bytes = try renderer.render(receipt).bytes.count })
          if hasPicture {
            // As the peer does it: the picture is decoded and dithered for every receipt.
            fresh.append(try rate { _ = try Renderer(profile: profile, dots: raster).render(receipt) })
          }
          theirs.append(try await peer(columns, name).per_second)
        }
        let theirRate = ("python-escpos", Spread(theirs).median)
        if hasPicture {
          all += [
            Measurement(
              "render \(name), \(columns) columns, picture decoded", Spread(fresh).median, "1/s",
              peer: theirRate),
            Measurement("  picture kept, as the daemon does", Spread(ours).median, "1/s"),
          ]
        } else {
          all.append(
            Measurement(
              "render \(name), \(columns) columns", Spread(ours).median, "1/s", peer: theirRate,
              aim: "≥ 20000"))
        }
        let least = fewest[columns]?[name] ?? 0
        all.append(
          Measurement(
            "  bytes", Double(bytes), "bytes", peer: ("smallest", Double(least)), aim: "≤ \(least)"))
      }
    }
    return all
  }

  /// Runs of `body` in a second of this process's CPU time.
  private static func rate(_ body: () throws -> Void) throws -> Double {
    try body()
    var count = 0
    let start = cpuSeconds()
    while true {
      for _ in 0..<8 { try body() }
      count += 8
      let spent = cpuSeconds() - start
      if spent > 0.5 { return Double(count) / spent }
    }
  }

  private static func cpuSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func peer(_ columns: Int, _ name: String) async throws -> Peer {
    let folder = try TemporaryFolder()
    let output = folder.path("peer.json")
    let python = "\(Fixtures.project)/.build/venv/bin/python"
    let child = try ChildProcess(
      python, ["\(Fixtures.project)/scripts/peer-bench.py", "\(columns)", "0.5", name], output: output)
    guard await child.end == .exit(0) else {
      throw Fixtures.Missing(path: "python-escpos: \(try Fixtures.text(ofFile: output))")
    }
    return try DocumentReader.read(Peer.self, from: Array(try Fixtures.text(ofFile: output).utf8))
  }
}
