import ESCPOS
import Glibc
import PrintTestKit
import Synchronization

/// Listens at the monitor and notes when it hears something after silence.
final class Ear: Sendable {
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
