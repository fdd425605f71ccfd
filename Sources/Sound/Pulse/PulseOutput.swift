public import ESCPOS

/// Plays through PulseAudio, or PipeWire in its place.
///
/// The connection and its thread exist while announcements are being made; at rest there is neither. A server is never
/// started for an announcement (`autospawn` is not used).
public struct PulseOutput: SoundOutput {
  private let server: String?
  private let sink: String?
  private let clock: any BootTimeClock

  /// Creates the output; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - server: The server's address (`unix:/run/pulse/native`), or nil for the usual places and `PULSE_SERVER`.
  ///   - sink: The speaker's name, or nil for the server's default. A stand-in for a missing device is taken only by name.
  public init(server: String? = nil, sink: String? = nil, clock: any BootTimeClock = BootClock()) {
    self.server = server
    self.sink = sink
    self.clock = clock
  }

  /// Connects to the server.
  ///
  /// - Throws: ``SoundError``: `unavailable` when none answers, `deadline` when it does not in time.
  public func open(by deadline: BootInstant) async throws(SoundError) -> any SoundSession {
    let thread = PulseThread(clock: clock)
    guard thread.start() else {
      throw SoundError(
        .failed, "no thread for the sound server could be started; the system is out of memory")
    }
    do throws(SoundError) {
      let facts: [PulseFact] = try await thread.perform(by: deadline) { [server] wire, reply in
        wire.connect(to: server) { error in
          if let error { return reply.end(.failure(error)) }
          wire.ask(.server) { reply.end($0) }
        }
      }
      guard case .server(let name, _)? = facts.first else {
        throw SoundError(.failed, "the sound server does not say what it is")
      }
      return PulseSession(
        thread: thread, sinkName: sink, isPipeWire: name.contains("PipeWire"), clock: clock)
    } catch {
      await thread.stop()
      throw error
    }
  }
}
