import Glibc

/// PipeWire is four programs, and the session manager of Debian 12 (WirePlumber 0.4) now and then does not come up: then
/// there is no default speaker, however long one waits.
extension SoundServer {
  static func pipeWireAddress(in folder: TemporaryFolder) -> String {
    "unix:\(folder.path("pulse/native"))"
  }

  /// Starts PipeWire; once more, in a folder of its own, when the speaker is not the default one after ten seconds.
  ///
  /// - Parameters:
  ///   - given: A folder that it is to be in, without another try, or nil for a new one.
  ///   - speaker: Arguments for the null sink `spk`, or nil for none.
  static func beginPipeWire(
    in given: TemporaryFolder?, speaker: String?, isSteady: Bool
  ) async throws -> (folder: TemporaryFolder, processes: [ChildProcess]) {
    let folder = try given ?? TemporaryFolder()
    let processes = try await startPipeWire(in: folder, isSteady: isSteady)
    guard let speaker else { return (folder, processes) }
    do {
      try await addSpeaker(speaker, in: folder, within: .seconds(given == nil ? 10 : 40))
      return (folder, processes)
    } catch {
      await kill(processes)
      let report = "\(error); wireplumber: \(log(of: "wireplumber", in: folder))"
      guard given == nil, !Task.isCancelled else { throw Fault(description: report) }
      print("PipeWire did not come up and is started once more: \(report)")
    }
    let next = try TemporaryFolder()
    let others = try await startPipeWire(in: next, isSteady: isSteady)
    do {
      try await addSpeaker(speaker, in: next, within: .seconds(40))
    } catch {
      throw Fault(description: "\(error); wireplumber: \(log(of: "wireplumber", in: next))")
    }
    return (next, others)
  }

  private static func log(of program: String, in folder: TemporaryFolder) -> String {
    (try? Fixtures.text(ofFile: folder.path("\(program).log"))) ?? "no log"
  }

  /// Returns when PulseAudio's clients are answered.
  private static func startPipeWire(
    in folder: TemporaryFolder, isSteady: Bool
  ) async throws -> [ChildProcess] {
    var surroundings = surroundings(folder)
    surroundings["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(folder.path("bus"))"
    let programs = [
      (
        "dbus-daemon",
        ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder.path("bus"))"], "bus"
      ),
      ("pipewire", [], "pipewire-0"), ("wireplumber", [], nil), ("pipewire-pulse", [], "pulse/native"),
    ]
    var started: [ChildProcess] = []
    for (program, arguments, socket) in programs {
      started.append(
        try ChildProcess(
          program, arguments, environment: surroundings, output: folder.path("\(program).log")))
      if let socket {
        try await DaemonRig.until { access(folder.path(socket), F_OK) == 0 }
      }
    }
    try await ready(folder, pipeWireAddress(in: folder))
    if isSteady {
      let steady = try ChildProcess(
        "pw-metadata", ["-n", "settings", "0", "clock.force-quantum", "4096"], environment: surroundings,
        output: folder.path("pw-metadata.log"))
      guard await steady.end == .exit(0) else { throw Fault(description: "pw-metadata failed") }
    }
    return started
  }

  /// Makes `spk`, and makes it the default; the limit is the one of each of the three waits for the session manager.
  private static func addSpeaker(
    _ speaker: String, in folder: TemporaryFolder, within limit: Duration
  ) async throws {
    let address = pipeWireAddress(in: folder)
    let words = speaker.split(separator: " ").map(String.init)
    try await pactl(["load-module", "module-null-sink", "sink_name=spk"] + words, folder, address)
    // The session manager links it a moment later.
    try await DaemonRig.until(within: limit) {
      try await pactl(["list", "short", "sinks"], folder, address).contains("spk")
    }
    // Until the session manager is there, it is not supported.
    try await DaemonRig.until(within: limit) {
      (try? await pactl(["set-default-sink", "spk"], folder, address)) != nil
    }
    try await DaemonRig.until(within: limit) {
      try await pactl(["get-default-sink"], folder, address).contains("spk")
    }
  }
}
