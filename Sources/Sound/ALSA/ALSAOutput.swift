public import ESCPOS
import Threads

/// Plays on a sound card without a sound server.
///
/// Its calls block and are made on a thread of their own. There is no ducking; a device that knows no mixing belongs to one program
/// at a time.
public struct ALSAOutput: SoundOutput {
  private let device: String
  private let control: String
  private let clock: any BootTimeClock
  // One for all sessions: a card that hangs holds one thread, not one for each announcement.
  private let turn: BlockingTurn

  /// Creates the output; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - device: A name that `aplay -L` shows: `default`, `plughw:1,0`.
  ///   - control: The card with its mixer (`hw:1`), or nil for the device's own.
  public init(device: String = "default", control: String? = nil, clock: any BootTimeClock = BootClock()) {
    self.device = device
    self.control = control ?? Self.control(of: device)
    self.clock = clock
    turn = BlockingTurn(clock: clock, name: device)
  }

  /// Opens the device.
  ///
  /// - Throws: ``SoundError``: `unavailable` when there is none, `failed` when another program has it, `deadline`.
  public func open(by deadline: BootInstant) async throws(SoundError) -> any SoundSession {
    let (device, control) = (self.device, self.control)
    let card = try await turn.run(by: deadline) { () throws(SoundError) in
      try ALSACard(device: device, control: control)
    }
    return ALSASession(card: card, turn: turn, clock: clock)
  }

  /// The card of a device: `hw:1` of `plughw:1,0`.
  static func control(of device: String) -> String {
    for prefix in ["plughw:", "hw:"] where device.hasPrefix(prefix) {
      return "hw:" + device.dropFirst(prefix.count).prefix { $0 != "," }
    }
    return device
  }
}

/// An open card. A call that never returns takes its thread and the card with it, and no further call is made.
struct ALSASession: SoundSession {
  let card: ALSACard
  let turn: BlockingTurn
  let clock: any BootTimeClock

  func sink(by deadline: BootInstant) async throws(SoundError) -> Sink {
    try await turn.run(by: deadline) { [card] () throws(SoundError) in card.sink() }
  }

  func play(
    _ pcm: PCM, on sink: Sink, gain: Double, overridesMute: Bool, by deadline: BootInstant
  ) async throws(SoundError) -> Playback {
    try await turn.run(by: deadline) { [card, clock] () throws(SoundError) in
      try card.play(pcm, by: deadline, on: clock)
    }
  }

  func setVolume(_ volume: ChannelVolume, ofSink name: String, by deadline: BootInstant)
    async throws(SoundError)
  {
    try await turn.run(by: deadline) { [card] () throws(SoundError) in try card.set(volume) }
  }

  func setMute(_ isMuted: Bool, ofSink name: String, by deadline: BootInstant) async throws(SoundError) {
    try await turn.run(by: deadline) { [card] () throws(SoundError) in try card.set(isMuted: isMuted) }
  }

  func close() async { card.cut() }
}

/// One blocking call at a time, each on a thread of its own.
final class BlockingTurn: Sendable {
  private let isBusy = Locked(false)
  private let clock: any BootTimeClock
  private let name: String

  init(clock: any BootTimeClock, name: String) {
    self.clock = clock
    self.name = name
  }

  /// Calls `work` and waits for it until the deadline.
  ///
  /// - Throws: What `work` throws; ``SoundError`` (`deadline`), and `failed` while an earlier call still has not returned.
  func run<Value: Sendable>(
    by deadline: BootInstant, _ work: @escaping @Sendable () throws(SoundError) -> Value
  ) async throws(SoundError) -> Value {
    let isFree = isBusy.withLock { isBusy in
      defer { isBusy = true }
      return !isBusy
    }
    guard isFree else { throw SoundError(.failed, "\(name) still does not answer") }
    let slot = Slot<Result<Value, SoundError>>()
    do throws(OwnThread.Failure) {
      try OwnThread.start { [self] in
        let result: Result<Value, SoundError>
        do throws(SoundError) {
          result = .success(try work())
        } catch {
          result = .failure(error)
        }
        isBusy.withLock { $0 = false }
        slot.settle(result)
      }
    } catch {
      isBusy.withLock { $0 = false }
      throw SoundError(.failed, "no thread for \(name) could be started: \(error)")
    }
    let alarm = Task { [clock, name] in
      do {
        try await clock.sleep(until: deadline, tolerance: nil)
        slot.settle(.failure(SoundError(.deadline, "\(name) did not answer in time")))
      } catch {
        // The call was first.
      }
    }
    defer { alarm.cancel() }
    return try await slot.value.get()
  }
}
