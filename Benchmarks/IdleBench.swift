import ESCPOS
import Glibc
import PrintTestKit

/// The daemon with nothing to do, its start, and its size on disk.
enum IdleBench {
  static func run() async throws -> [Measurement] {
    let printer = try BenchPrinter()
    var starts: [Double] = []
    let folder = try TemporaryFolder()
    for _ in 0..<10 {
      let clock = ContinuousClock()
      let start = clock.now
      let rig = try await DaemonRig(in: folder, orders: nil, printers: printer.configuration)
      starts.append((clock.now - start).milliseconds)
      await rig.stop()
    }
    let rig = try await DaemonRig(in: folder, orders: nil, printers: printer.configuration)
    try await ContinuousClock().sleep(for: .seconds(3))
    let before = Process.contextSwitches(rig.daemon.pid)
    try await ContinuousClock().sleep(for: .seconds(10))
    let woken = Process.contextSwitches(rig.daemon.pid).reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
    let memory = try Process.memory(rig.daemon.pid)
    await rig.stop()
    let stripped = folder.path("printd.stripped")
    let strip = try ChildProcess("strip", ["-o", stripped, Programs.path("printd")])
    _ = await strip.end
    var status = stat()
    stat(stripped, &status)
    return [
      Measurement("start to READY, median of 10", Spread(starts).median, "ms", aim: "< 100"),
      Measurement("idle: resident", memory, "MB", aim: "< 20"),
      Measurement("idle: wake-ups in 10 s", Double(woken), "", aim: "0"),
      Measurement("stripped binary, Swift runtime inside", Double(status.st_size) / 1_000_000, "MB"),
    ]
  }
}

/// What /proc says of a process.
enum Process {
  /// Resident memory in MB.
  static func memory(_ pid: pid_t) throws -> Double { try kilobytes(pid, "VmRSS") / 1000 }

  /// The highest resident memory so far in MB.
  static func peakMemory(_ pid: pid_t) throws -> Double { try kilobytes(pid, "VmHWM") / 1000 }

  /// Times that each of its threads has been woken or preempted.
  static func contextSwitches(_ pid: pid_t) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    guard let tasks = opendir("/proc/\(pid)/task") else { return [:] }
    defer { closedir(tasks) }
    while let entry = readdir(tasks) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let thread = Int(name), let text = try? Fixtures.text(ofFile: "/proc/\(pid)/task/\(name)/status")
      else {
        continue
      }
      for line in text.split(separator: "\n") where line.contains("ctxt_switches") {
        counts[thread, default: 0] += Int(line.filter(\.isNumber)) ?? 0
      }
    }
    return counts
  }

  private static func kilobytes(_ pid: pid_t, _ name: String) throws -> Double {
    let text = try Fixtures.text(ofFile: "/proc/\(pid)/status")
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
    return (Double(line.filter(\.isNumber)) ?? 0) * 1.024
  }
}
