import ESCPOS

/// Keeps the scans of commands and the daemon's voice apart: a scan steals air time from Bluetooth sound.
///
/// A command says that it scans, and hears when the daemon is about to speak; it says that it rests, and hears when the
/// daemon is silent again. No answer takes longer than ``longestAnswer``: who hears nothing new asks again.
actor ScanTurns {
  /// How long the voice waits for the scans of commands to rest.
  static let patience = Duration.seconds(1)
  /// How long an answer may take.
  static let longestAnswer = Duration.seconds(25)
  /// How long a command that has its answer may take until it asks the next time.
  private static let grace = Duration.seconds(3)

  private let clock: any BootTimeClock
  private var speaking = 0
  /// Who scans, and until when it is believed without asking again.
  private var scanning: [String: BootInstant] = [:]
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var nextID = 0
  private var isClosed = false

  init(clock: any BootTimeClock) {
    self.clock = clock
  }

  /// The daemon is about to speak; returns when all scans rest that it has heard of, or after ``patience``. One that has not
  /// rested by then is not waited for again before it asks anew: its command may have been killed.
  ///
  /// - Returns: Ends that.
  func speak() async -> @Sendable () -> Void {
    speaking += 1
    news()
    let deadline = clock.now.advanced(by: Self.patience)
    while scanning.values.contains(where: { $0 > clock.now }), clock.now < deadline {
      await wait(until: deadline)
    }
    scanning = [:]
    return { Task { await self.fallSilent() } }
  }

  /// A command scans.
  ///
  /// - Returns: Whether the daemon is about to speak, so that the scan must rest, and ``rest(_:)`` is next.
  func scan(_ token: String) async -> Bool {
    let deadline = clock.now.advanced(by: Self.longestAnswer)
    scanning = scanning.filter { $0.value > clock.now }
    scanning[token] = deadline.advanced(by: Self.grace)
    while speaking == 0, !isClosed, clock.now < deadline { await wait(until: deadline) }
    return speaking > 0
  }

  /// A command does not scan now, and would like to.
  ///
  /// - Returns: Whether the daemon speaks still.
  func rest(_ token: String) async -> Bool {
    let deadline = clock.now.advanced(by: Self.longestAnswer)
    end(token)
    while speaking > 0, !isClosed, clock.now < deadline { await wait(until: deadline) }
    // What it hears now is that it may.
    if speaking == 0 { scanning[token] = clock.now.advanced(by: Self.grace) }
    return speaking > 0
  }

  /// A command has ended its scan.
  func end(_ token: String) {
    scanning[token] = nil
    news()
  }

  /// The daemon stops: everybody gets his answer.
  func close() {
    isClosed = true
    news()
  }

  private func fallSilent() {
    speaking -= 1
    news()
  }

  private func news() {
    for waiter in waiting.values { waiter.resume() }
    waiting = [:]
  }

  private func wait(until deadline: BootInstant) async {
    nextID += 1
    let id = nextID
    let alarm = Task { [clock] in
      try await clock.sleep(until: deadline, tolerance: nil)
      wake(id)
    }
    await withCheckedContinuation { waiting[id] = $0 }
    alarm.cancel()
  }

  private func wake(_ id: Int) { waiting.removeValue(forKey: id)?.resume() }
}

/// What a command says of its scan, and hears of the daemon's voice.
struct ScanMessage: Codable, Sendable {
  enum State: String, Codable {
    case scanning, resting
  }

  /// The command's name for its scan: 1 to 64 letters, digits and hyphens.
  var token: String?
  /// Whether it scans.
  var state: State?
  /// The answer: whether the daemon speaks.
  var speaks: Bool?
}
