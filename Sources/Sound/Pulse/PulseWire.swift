import ESCPOS

/// A connection to a PulseAudio server (or PipeWire's stand-in): its questions on their way, and its one sound.
///
/// Everything but ``wake()`` is called on the one thread that turns the loop; closures are called there, too.
final class PulseWire: @unchecked Sendable {
  // All of it is confined to the thread of `PulseThread`, but for the context's `wake()`.
  private let context: PulseContext
  private var calls: [Int: PulseCall] = [:]
  private var nextCall = 0
  private var stream: PulseStream?
  private var whenReady: ((SoundError?) -> Void)?

  /// Sets the connection up; nil when memory is short.
  init?() {
    guard let context = PulseContext() else { return nil }
    self.context = context
    context.stateChanged = { [unowned self] in stateChanged() }
  }

  /// Frees everything; nobody may turn the loop any more.
  func close() {
    endSound()
    whenReady = nil
    context.stateChanged = nil
    for call in calls.values { call.cancel() }
    calls = [:]
    context.close()
  }

  /// Makes the loop look around; from any thread, while the wire is open.
  func wake() { context.wake() }

  /// Turns the loop once: waits for an event, a ``wake()``, or `limit`.
  func turn(waiting limit: Duration?) { context.turn(waiting: limit) }

  /// Connects; `then` gets nil when the server has taken the connection. A server is never started for it.
  func connect(to server: String?, then: @escaping (SoundError?) -> Void) {
    whenReady = then
    if !context.connect(to: server) { stateChanged() }
  }

  private func stateChanged() {
    switch context.state {
    case .underway: break
    case .ready:
      whenReady?(nil)
      whenReady = nil
    case .ended(let reason):
      whenReady?(SoundError(.unavailable, "no sound server answers: \(reason)"))
      whenReady = nil
      let lost = SoundError(.lost, "the sound server is gone: \(reason)")
      let ended = calls.values
      calls = [:]
      for call in ended {
        call.cancel()
        call.end(.failure(lost))
      }
      stream?.fail(lost)
    }
  }

  /// Asks; `then` gets every item of the answer at once, or the reason why there is none.
  func ask(_ question: PulseQuestion, then: @escaping (Result<[PulseFact], SoundError>) -> Void) {
    let number = nextCall
    nextCall += 1
    let call = PulseCall { [weak self] result in
      self?.calls[number] = nil
      then(result)
    }
    calls[number] = call
    call.operation = context.start(question, call)
    if call.operation == nil { call.end(.failure(context.fault)) }
  }

  /// Makes a stream for a sound; ``feed()`` starts it. One at a time.
  func begin(_ sound: PulseSound, _ tell: @escaping (PulseEvent) -> Void) {
    endSound()
    guard let stream = context.stream(sound, tell) else { return tell(.failed(context.fault)) }
    self.stream = stream
    stream.connect()
  }

  /// Gives the stream as many samples as the server wants, now and whenever it wants more.
  func feed() { stream?.feed() }

  /// Ends the sound at once, if one is there.
  func endSound() {
    stream?.close()
    stream = nil
  }
}
