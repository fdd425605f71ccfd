import Glibc

/// A real sound server in a folder of its own, with a speaker `spk` that only its monitor hears.
public final class SoundServer: Sendable {
  /// Which server.
  public enum Kind: Sendable, CaseIterable {
    case pulseAudio
    case pipeWire
  }

  /// A server, or a program of it, that did not do what it was told.
  public struct Fault: Error, CustomStringConvertible {
    /// What failed, and the log.
    public let description: String
  }

  /// Which server it is.
  public let kind: Kind
  /// The address for its clients: `unix:/tmp/…/native`.
  public let address: String
  /// The rate of `spk`: PipeWire's graph turns at 48,000, and would resample everything else.
  public let rate: Int
  /// The folder with its socket, state and log.
  public let folder: TemporaryFolder
  private let processes: [ChildProcess]

  /// Starts a server; returns when it answers.
  ///
  /// - Parameters:
  ///   - modules: More lines for PulseAudio's script.
  ///   - hasSpeaker: Whether it has the null sink `spk`.
  ///   - channels: Channels of `spk`.
  ///   - isSteady: Whether PipeWire is to work in long steps, so that it drops nothing on a busy machine.
  ///   - given: The folder of a server before this one, for one at the same address.
  public init(
    _ kind: Kind = .pulseAudio, modules: String = "",
    hasSpeaker: Bool = true, channels: Int = 1, in given: TemporaryFolder? = nil,
    isSteady: Bool = true
  ) async throws {
    self.kind = kind
    rate = kind == .pulseAudio ? 22_050 : 48_000
    let speaker = hasSpeaker ? "rate=\(rate) channels=\(channels)" : nil
    switch kind {
    case .pulseAudio:
      let folder = try given ?? TemporaryFolder()
      self.folder = folder
      address = "unix:\(folder.path("native.sock"))"
      // Without norewinds the null sink holds two seconds.
      let sink =
        speaker.map {
          "load-module module-null-sink sink_name=spk norewinds=1 format=s16le \($0)\nset-default-sink spk"
        } ?? ""
      let script = try folder.write(
        """
        \(sink)
        \(modules)
        load-module module-native-protocol-unix auth-anonymous=1 socket=\(folder.path("native.sock"))

        """, to: "server.pa")
      processes = [
        try ChildProcess(
          "pulseaudio",
          [
            "-n", "-F", script, "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
            "--disable-shm=no",
          ],
          environment: Self.surroundings(folder), output: folder.path("server.log"))
      ]
      try await Self.ready(folder, address)
    case .pipeWire:
      let begun = try await Self.beginPipeWire(in: given, speaker: speaker, isSteady: isSteady)
      (folder, processes) = (begun.folder, begun.processes)
      address = Self.pipeWireAddress(in: folder)
    }
  }

  static func surroundings(_ folder: TemporaryFolder) -> [String: String] {
    [
      "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
      "LC_ALL": "C.UTF-8",
      "XDG_STATE_HOME": folder.path, "PULSE_RUNTIME_PATH": folder.path("pulse"), "DISPLAY": "",
    ]
  }

  static func ready(_ folder: TemporaryFolder, _ address: String) async throws {
    try await DaemonRig.until { (try? await pactl(["info"], folder, address)) != nil }
  }

  /// Runs a command of `pactl`; its output.
  @discardableResult
  public func pactl(_ words: String...) async throws -> String { try await pactl(words) }

  /// Runs a command of `pactl`; its output.
  @discardableResult
  public func pactl(_ words: [String]) async throws -> String {
    try await Self.pactl(words, folder, address)
  }

  @discardableResult
  static func pactl(_ words: [String], _ folder: TemporaryFolder, _ address: String) async throws -> String {
    let output = folder.path("pactl-\(UInt32.random(in: 0 ... .max)).log")
    defer { unlink(output) }
    let child = try ChildProcess("pactl", words, environment: client(folder, address), output: output)
    let end = await child.end
    let text = try Fixtures.text(ofFile: output)
    guard end == .exit(0) else { throw Fault(description: "pactl \(words.joined(separator: " ")): \(text)") }
    return text
  }

  /// The variables for a client of this server.
  public var client: [String: String] { Self.client(folder, address) }

  private static func client(_ folder: TemporaryFolder, _ address: String) -> [String: String] {
    var surroundings = surroundings(folder)
    surroundings["PULSE_SERVER"] = address
    return surroundings
  }

  /// The volume of a speaker in per cent.
  public func volume(of sink: String = "spk") async throws -> Int {
    let words = try await pactl("get-sink-volume", sink).split(separator: " ")
    guard let word = words.first(where: { $0.hasSuffix("%") }), let volume = Int(word.dropLast()) else {
      throw Fault(description: "no volume of \(sink)")
    }
    return volume
  }

  /// Ends the server without warning; returns when it is gone.
  public func kill() async {
    await Self.kill(processes)
  }

  static func kill(_ processes: [ChildProcess]) async {
    for process in processes { process.send(SIGKILL) }
    for process in processes { _ = await process.end }
  }

  /// Stops the server in its tracks, or lets it go on (`SIGSTOP`, `SIGCONT`).
  public func send(_ signal: Int32) {
    for process in processes { process.send(signal) }
  }
}

/// What a speaker's monitor hears.
public final class Recording: Sendable {
  private let process: ChildProcess
  private let path: String

  /// Begins to record; returns when the first samples are there.
  public init(_ server: SoundServer, of sink: String = "spk") async throws {
    let path = server.folder.path("recording-\(UInt32.random(in: 0 ... .max)).raw")
    self.path = path
    process = try ChildProcess(
      "parec",
      [
        "-d", "\(sink).monitor", "--latency-msec=20", "--format=s16le", "--rate=\(server.rate)",
        "--channels=1", "--raw",
        path,
      ], environment: server.client, output: server.folder.path("parec.log"))
    try await DaemonRig.until { try self.samples.count > 0 }
  }

  /// The samples so far.
  public var samples: [Int16] {
    get throws {
      guard let file = fopen(path, "rb") else { return [] }
      defer { fclose(file) }
      var samples: [Int16] = []
      var block = [Int16](repeating: 0, count: 32_768)
      while true {
        let count = fread(&block, 2, block.count, file)
        guard count > 0 else { return samples }
        samples += block[..<count]
      }
    }
  }

  /// Waits until there are so many samples more than now: what was played before is then among them.
  public func goOn(_ count: Int = 11_025) async throws {
    let before = try samples.count
    try await until { $0.count >= before + count }
  }

  /// Waits until the samples are as wanted.
  public func until(
    line: Int = #line, file: String = #fileID, _ condition: ([Int16]) throws -> Bool
  ) async throws {
    try await DaemonRig.until(line: line, file: file) { try condition(try self.samples) }
  }

  /// Ends the recording.
  public func stop() async {
    process.send(SIGINT)
    _ = await process.end
  }
}
