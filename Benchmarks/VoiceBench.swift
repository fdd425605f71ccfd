import Announcer
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import Synchronization

/// From an announcement's acceptance to its sound at a speaker's monitor, and what it costs.
enum VoiceBench {
  static func run() async throws -> [Measurement] {
    let speaker = ClipSpeaker(rate: 22_050)
    let joined = joining(speaker.clips)
    var all = [
      Measurement("14 clips joined to \(speaker.seconds) s, median", joined, "µs", aim: "< 1000")
    ]
    for kind in SoundServer.Kind.allCases {
      let delays = Spread(try await delays(kind))
      all += [
        Measurement("announcement → first sample, \(kind), median", delays.median, "ms", aim: "< 60"),
        Measurement("  99 %", delays.p99, "ms"),
      ]
    }
    return all + (try await memory())
  }

  private static func joining(_ clips: [PCM]) -> Double {
    Spread(
      (0..<200).map { _ in
        let start = BootClock().now
        guard let phrase = try? PCM.joined(clips), !phrase.samples.isEmpty else { return .nan }
        return start.duration(to: BootClock().now).milliseconds * 1000
      }
    ).median
  }

  private static func delays(_ kind: SoundServer.Kind) async throws -> [Double] {
    let server = try await SoundServer(kind, isSteady: false)
    let ear = try Ear(server)
    let announcer = Announcer(
      speaker: ClipSpeaker(rate: server.rate, count: 2),
      output: PulseOutput(server: server.address, sink: "spk"))
    var delays: [Double] = []
    for number in 0..<60 {
      try await ear.quiet()
      let accepted = BootClock().now
      let announcement = Announcement(id: "\(number)", receivedAt: accepted)
      let end = await announcer.announce(announcement, by: accepted.advanced(by: .seconds(10)))
      guard end == .played, let heard = ear.firstSound else {
        throw Fixtures.Missing(path: "announcement \(number): \(end.word) \(end.reason ?? "")")
      }
      delays.append(accepted.duration(to: heard).milliseconds)
    }
    await announcer.close()
    return Array(delays.dropFirst(5))
  }

  /// Ten thousand announcements in this process, to nowhere.
  private static func memory() async throws -> [Measurement] {
    let announcer = Announcer(speaker: ClipSpeaker(rate: 22_050), output: NullOutput())
    func say(_ numbers: Range<Int>) async throws {
      for number in numbers {
        let now = BootClock().now
        let end = await announcer.announce(
          Announcement(id: "\(number)", receivedAt: now), by: now.advanced(by: .seconds(10)))
        guard end == .played else { throw Fixtures.Missing(path: "announcement \(number): \(end.word)") }
      }
    }
    try await say(0..<2000)
    let before = try Process.memory(getpid())
    let start = BootClock().now
    try await say(2000..<12_000)
    let each = start.duration(to: BootClock().now).milliseconds / 10_000
    let after = try Process.memory(getpid())
    return [
      Measurement("an announcement to nowhere", each, "ms"),
      Measurement("memory: growth over 10,000 of them", after - before, "MB", aim: "0"),
    ]
  }
}

/// Joins the same clips for every announcement.
private struct ClipSpeaker: Speaker {
  let clips: [PCM]

  init(rate: Int, count: Int = 14) {
    clips = (0..<count).map { clip in
      PCM(
        samples: (0..<rate * 356 / 1000).map { Int16(truncatingIfNeeded: ($0 + clip) &* 7919 | 1) / 8 },
        rate: rate)
    }
  }

  var seconds: Double { (Double(clips.reduce(0) { $0 + $1.samples.count }) / 2205).rounded() / 10 }

  func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech {
    let phrase = (try? PCM.joined(clips)) ?? PCM(samples: [], rate: 8000)
    return Speech(pcm: phrase, text: "", source: .clips)
  }
}

/// Listens at the monitor and notes when it hears something after silence.
private final class Ear: Sendable {
  private struct State {
    var firstSound: BootInstant?
    var silence = 0
  }

  private let state = Mutex(State())
  private let parec: ChildProcess
  private let rate: Int

  init(_ server: SoundServer) throws {
    let pipe = server.folder.path("ear")
    mkfifo(pipe, 0o600)
    rate = server.rate
    parec = try ChildProcess(
      "parec",
      [
        "-d", "spk.monitor", "--latency-msec=5", "--format=s16le", "--rate=\(server.rate)", "--channels=1",
        "--raw",
        pipe,
      ], environment: server.client, output: server.folder.path("ear.log"))
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Listening(ear: self, pipe: pipe))
    pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Listening>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    pthread_detach(thread)
  }

  private final class Listening {
    weak var ear: Ear?
    let pipe: String

    init(ear: Ear, pipe: String) {
      self.ear = ear
      self.pipe = pipe
    }

    func run() {
      let descriptor = open(pipe, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      var block = [Int16](repeating: 0, count: 4096)
      while true {
        let count = block.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0, let ear else { return }
        let now = BootClock().now
        let isSilent = block[..<(count / 2)].allSatisfy { $0 == 0 }
        ear.state.withLock { state in
          state.silence = isSilent ? state.silence + count / 2 : 0
          if !isSilent, state.firstSound == nil { state.firstSound = now }
        }
      }
    }
  }

  /// When the first sound after ``quiet()`` came.
  var firstSound: BootInstant? { state.withLock { $0.firstSound } }

  /// Waits for a tenth of a second of silence, and forgets what was heard.
  func quiet() async throws {
    state.withLock { $0.silence = 0 }
    try await DaemonRig.until { self.state.withLock { $0.silence > self.rate / 10 } }
    state.withLock { $0.firstSound = nil }
  }

  deinit { parec.send(SIGKILL) }
}
