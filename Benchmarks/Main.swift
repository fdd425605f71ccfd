import FoundationEssentials
import Glibc
import PrintTestKit

/// `make bench`, or `printd-bench [render] [wake] [burst] [idle] [voice] [rig]`: prints a table with the machine's name and
/// writes the same to `.build/bench.json`.
@main
struct Main {
  static func main() async {
    do {
      if CommandLine.arguments.dropFirst().first == "link" {
        return try await LinkBench.run(Array(CommandLine.arguments.dropFirst(2)))
      }
      if CommandLine.arguments.dropFirst().first == "job" {
        return try await JobBench.run(Array(CommandLine.arguments.dropFirst(2)))
      }
      out("\(machine())\n")
      out(Measurement.head)
      var all: [Measurement] = []
      let parts: [(name: String, run: () async throws -> [Measurement])] = [
        ("render", RenderBench.run), ("wake", WakeBench.run), ("burst", BurstBench.run),
        ("idle", IdleBench.run), ("voice", VoiceBench.run), ("rig", RigBench.run),
      ]
      let wanted = CommandLine.arguments.dropFirst()
      for part in parts where wanted.isEmpty || wanted.contains(part.name) {
        for measurement in try await part.run() {
          out(measurement.line)
          all.append(measurement)
        }
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      let path = "\(Fixtures.project)/.build/bench.json"
      try encoder.encode(all).write(to: URL(filePath: path))
      out("\nwritten to .build/bench.json")
    } catch {
      out("bench: \(error)")
      exit(1)
    }
  }

  /// Writes a line at once, so that a long run can be watched.
  private static func out(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
  }

  private static func machine() -> String {
    var name = utsname()
    uname(&name)
    func text<Tuple>(_ tuple: Tuple) -> String {
      withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    let cpu =
      ((try? Fixtures.text(ofFile: "/proc/cpuinfo")) ?? "").split(separator: "\n")
      .first { $0.hasPrefix("model name") }?.split(separator: ":").last.map(String.init) ?? " unknown CPU"
    return
      "\(text(name.nodename)), \(text(name.sysname)) \(text(name.release)),\(cpu), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores"
  }
}
