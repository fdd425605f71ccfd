import FoundationEssentials
import Glibc
import PrintTestKit

/// The figures of Bluetooth, measured in the rig's guest (`Tests/Rig/bench`), where its kernel has been built.
enum RigBench {
  /// A measurement as the guest writes it.
  private struct Row: Decodable {
    var name: String
    var value: Double
    var unit: String
    var peer: String?
    var peerValue: Double?
    var aim: String?

    enum CodingKeys: String, CodingKey {
      case name, value, unit, peer, aim
      case peerValue = "peer_value"
    }
  }

  /// Runs the bench; without a kernel it has nothing to tell, since building one takes minutes.
  static func run() async throws -> [Measurement] {
    let rig = "\(Fixtures.project)/Tests/Rig"
    guard access("\(cache)/linux", R_OK) == 0 else {
      print("Bluetooth is not measured, since the rig's kernel is not built; make rig-bench builds it")
      return []
    }
    let folder = "\(Fixtures.project)/.build/rig-bench"
    let child = try ChildProcess(
      "\(rig)/run", ["-t", "900", "-o", folder, "\(rig)/bench"], environment: ["RIG_BIN": Programs.folder],
      output: "\(Fixtures.project)/.build/rig-bench.log")
    let end = await child.end
    guard end == .exit(0) else {
      throw Fixtures.Missing(path: "rig-bench: \(end), see .build/rig-bench.log")
    }
    let rows = try JSONDecoder().decode(
      [Row].self, from: Data(try Fixtures.text(ofFile: "\(folder)/bench.json").utf8))
    return rows.map { row in
      let peer = row.peerValue.map { (name: row.peer ?? "", value: $0) }
      return Measurement(row.name, row.value, row.unit, peer: peer, aim: row.aim)
    }
  }

  private static var cache: String {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    return variable("RIG_CACHE")
      ?? "\(variable("XDG_CACHE_HOME") ?? "\(variable("HOME") ?? "/root")/.cache")/printd-rig"
  }
}
