import ESCPOS

/// How much may be in a printer's buffer by now, when it empties at the speed of its profile.
///
/// The reckoning holds for a printer that prints. One that has stopped in mid-job (paper out) takes nothing, and nobody is
/// told. So where requests can do the rest, the buffer counts as not emptying at all before the job is over: a job's first
/// bytes, as many as the buffer holds, may go without asking, whatever the printer's speed; and as many again as the printer
/// itself has said that it has taken.
struct WritePace: Equatable, Sendable {
  /// How long nothing must have been sent for a job to be over.
  static let quietTime = Duration.seconds(1)

  /// Bytes a second that the printer takes out of its buffer.
  let rate: Int
  /// The most bytes that may be in the buffer.
  private(set) var burst: Int
  /// Whether the buffer counts as emptying in mid-job, and half of it being empty is enough: where nothing else can be done.
  var isTrusted = false
  /// Whether the printer owes an answer that shows what it has taken. Then the job is not over, however long nothing was
  /// sent, as in a process that has not had the processor for a while; and nothing else makes room.
  var isAwaited = false
  private var level = 0.0
  private var at: BootInstant?
  private var isFull = false

  /// - Parameters:
  ///   - rate: At least one byte a second.
  ///   - burst: At least one byte.
  init(rate: Int, burst: Int) {
    self.rate = max(1, rate)
    self.burst = max(1, burst)
  }

  /// The printer has taken all that was sent before the job, and tells what it takes of it.
  mutating func widen(to burst: Int) { self.burst = max(self.burst, burst) }

  /// Bytes for which there is room by now.
  func room(at now: BootInstant) -> Int {
    isStillFull(at: now) ? 0 : max(0, burst - Int(level(at: now).rounded(.up)))
  }

  /// The printer has said that it has taken all but the last `count` bytes.
  mutating func prove(ahead count: Int) {
    level = min(level, Double(count))
    isFull = false
  }

  /// What was to be sent has found no room.
  mutating func overflow() { isFull = true }

  /// When half of the buffer is empty again.
  func halfEmpty(after now: BootInstant) -> BootInstant {
    now.advanced(by: .seconds(max(0, level(at: now) - Double(burst) / 2) / Double(rate)))
  }

  /// Bytes were sent, or the printer has answered for them.
  mutating func send(_ count: Int, at now: BootInstant) {
    isFull = isStillFull(at: now)
    // More than a buffer of twice the size holds is in nobody's buffer, but waits to get there.
    level = min(level(at: now) + Double(count), 2 * Double(burst))
    at = now
  }

  /// The job goes on: the printer has answered for a request, or its word is waited for. Until now it may have stood still.
  mutating func answer(at now: BootInstant) {
    if isTrusted { send(0, at: now) } else { at = now }
  }

  private func isStillFull(at now: BootInstant) -> Bool {
    guard isFull, let at else { return false }
    let level = level(at: now)
    return isTrusted ? level > Double(burst) / 2 : level > 0 || !isOver(since: at, now)
  }

  /// Whether the job is, when nothing was sent since then.
  private func isOver(since at: BootInstant, _ now: BootInstant) -> Bool {
    !isAwaited && at.duration(to: now) >= Self.quietTime
  }

  private func level(at now: BootInstant) -> Double {
    guard let at else { return 0 }
    guard isTrusted || isOver(since: at, now) else { return level }
    return max(0, level - Double(max(0, at.duration(to: now).wholeNanoseconds)) / 1e9 * Double(rate))
  }
}
