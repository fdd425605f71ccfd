import Announcer
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import Testing

/// ALSA without a card: its plug-ins are devices like any other.
@Suite(.timeLimit(.minutes(2)))
struct CardTests {
  /// Says half a second of 8,000 on an ALSA device, in a process of its own; what it wrote.
  private func say(
    on device: String, configuration: String, environment: [String: String] = [:], in state: TemporaryFolder,
    manner: String = "alsa"
  ) async throws -> String {
    let file = try state.write(configuration, to: "asound.conf")
    var environment = environment
    environment["ALSA_CONFIG_PATH"] = "/usr/share/alsa/alsa.conf:\(file)"
    let log = state.path("victim.log")
    let victim = try ChildProcess(
      Programs.path("AnnouncerVictim"), [manner, device, state.path], environment: environment, output: log)
    #expect(await victim.end == .exit(0))
    return try Fixtures.text(ofFile: log)
  }

  private let pulse = """
    pcm.till { type pulse }
    ctl.till { type pulse }
    """

  @Test("A quiet card is raised by its mixer, heard whole, and is as quiet as before afterwards")
  func throughMixer() async throws {
    let server = try await SoundServer()
    let state = try TemporaryFolder()
    try await server.pactl("set-sink-volume", "spk", "25%")
    let recording = try await Recording(server)
    let text = try await say(
      on: "till", configuration: pulse, environment: ["PULSE_SERVER": server.address], in: state)
    #expect(text.contains("end played"), "\(text)")
    #expect(text.contains("0.7"))
    try await recording.goOn()
    let heard = try stretches(recording.samples).filter { abs(Int($0.level) - 2744) < 8 }
    #expect(heard.map(\.count).reduce(0, +) == 11_025)
    #expect(try await server.volume() == 25)
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
  }

  @Test("A stop cuts the sound on a card, and the card is as quiet as before afterwards")
  func cut() async throws {
    let server = try await SoundServer()
    let state = try TemporaryFolder()
    try await server.pactl("set-sink-volume", "spk", "25%")
    let text = try await say(
      on: "till", configuration: pulse, environment: ["PULSE_SERVER": server.address], in: state,
      manner: "alsa-stop")
    #expect(text.contains("end failed") && text.contains("was closed before"), "\(text)")
    #expect(try await server.volume() == 25)
    #expect(access(state.path("volume-lease.json"), F_OK) != 0)
  }

  @Test("A muted card stays silent")
  func muted() async throws {
    let server = try await SoundServer()
    let state = try TemporaryFolder()
    try await server.pactl("set-sink-mute", "spk", "1")
    let recording = try await Recording(server)
    let text = try await say(
      on: "till", configuration: pulse, environment: ["PULSE_SERVER": server.address], in: state)
    #expect(text.contains("end muted"), "\(text)")
    try await recording.goOn()
    #expect(try recording.samples.allSatisfy { $0 == 0 })
  }

  @Test(
    "A device that swallows half a second in no time was not heard, whatever it claims; every sample reached it"
  )
  func file() async throws {
    let state = try TemporaryFolder()
    let configuration = """
      pcm.till { type file; file "\(state.path("heard.raw"))"; format raw; slave.pcm null }
      """
    let text = try await say(on: "till", configuration: configuration, in: state)
    #expect(text.contains("end failed"), "\(text)")
    #expect(text.contains("nobody can have heard it"))
    let bytes = try Self.bytes(of: state.path("heard.raw"))
    let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
    }
    #expect(samples.prefix(11_025).allSatisfy { $0 == 8000 })
    #expect(samples.count >= 11_025)
    #expect(samples.dropFirst(11_025).allSatisfy { $0 == 0 })
  }

  @Test("No card, a wrong name and a plug-in without its server are no device")
  func none() async throws {
    let state = try TemporaryFolder()
    for device in ["plughw:7,0", "nothing-of-this-name"] {
      let text = try await say(on: device, configuration: "", in: state)
      #expect(text.contains("end no-device"), "\(device): \(text)")
    }
    let text = try await say(
      on: "till", configuration: pulse, environment: ["PULSE_SERVER": "unix:\(state.path("none"))"], in: state
    )
    #expect(text.contains("end no-device"), "\(text)")
  }

  @Test("The card is used where no sound server answers, and not where one does")
  func fallback() async throws {
    let folder = try TemporaryFolder()
    let heard = folder.path("heard.wav")
    let absent = PulseOutput(server: "unix:\(folder.path("none"))")
    let output = FallbackOutput([absent, FileOutput(path: heard)])
    let announcer = Announcer(speaker: LevelSpeaker(), output: output)
    #expect(await announcer.announce(.now("1"), by: .later) == .played)
    #expect(try AudioFile.read(heard).samples.allSatisfy { $0 == LevelSpeaker.level("1") })
    let nothing = Announcer(
      speaker: LevelSpeaker(), output: FallbackOutput([absent, ALSAOutput(device: "plughw:7")]))
    #expect(await nothing.announce(.now("1"), by: .later) == .noDevice)
    await announcer.close()
    await nothing.close()
  }

  @Test("A file that cannot be written fails the announcement")
  func unwritable() async throws {
    let folder = try TemporaryFolder()
    let announcer = Announcer(speaker: LevelSpeaker(), output: FileOutput(path: folder.path("none/a.wav")))
    guard case .failed(let reason) = await announcer.announce(.now("1"), by: .later) else {
      Issue.record("not failed")
      return
    }
    #expect(reason.contains("none/a.wav"))
    await announcer.close()
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw Fixtures.Missing(path: path) }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }
}
