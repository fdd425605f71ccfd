import Glibc

/// How long things may take and how often they are tried.
public struct Policies: Sendable {
  /// How a wake's time is divided.
  public var budget = Budget.Limits.standard
  /// How long after the payment (or the receipt, where the payment's time is not known) an order may be printed
  /// without a person.
  public var expiry = Duration.seconds(2 * 60 * 60)
  /// Orders fetched at once.
  public var concurrentFetches = 8
  /// The time for one try to fetch an order outside of a wake's budget.
  public var fetchLimit = Duration.seconds(10)
  /// The time for one try to open the link to a printer.
  public var connectLimit = Duration.seconds(10)
  /// By when an order should be bytes; one that takes longer is not called off, but no progress.
  public var prepareLimit = Duration.seconds(10)
  /// The time for one try to let the printer say whether it can print, a half-received raster filled up included. One
  /// that answers and is busy with what it had before is given ``refillLimit``.
  public var gateLimit = Duration.seconds(15)
  /// How long after the last byte, and the time that printing it takes, a printer that has not confirmed the print
  /// may still do so.
  public var fenceLimit = Duration.seconds(60)
  /// How long a printer that stopped in mid-job (paper out, cover open) is waited for. Its lane waits too: what
  /// it holds it prints after the refill, and nothing may be sent into the middle of it.
  public var refillLimit = Duration.seconds(10 * 60)
  /// How long the answer of a printer that has not confirmed a print in time is still listened for, on a link that lives
  /// and where the answer names its question.
  public var lateLimit = Duration.seconds(2 * 60)
  /// How long the next job waits for such an answer; what is printed behind it must not prove it.
  public var lateLimitInLine = Duration.seconds(10)
  /// The time for one try to report outside of a wake's budget.
  public var reportLimit = Duration.seconds(10)
  /// What else `pay_type` calls a refund, in small letters.
  public var refundPayTypes: Set<String> = []
  /// Whether a wake may carry the order itself.
  public var allowsInlineOrders = false
  /// The waits between tries that fail; the last one repeats.
  public var delays: [Duration] = [1, 2, 5, 10, 30, 60].map { .seconds($0) }
  /// A number from 0 up to 1 that spreads the waits by a fifth to either side.
  public var jitter: @Sendable () -> Double = { Double.random(in: 0..<1) }
  /// The date, seconds since 1970, for expiries alone; deadlines never ask it.
  public var date: @Sendable () -> Double = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// No date before this one (2020) is true; a clock that shows one has not been set yet.
  static let earliestDate = 1_577_836_800.0

  /// The policies of a daemon that nobody has configured.
  public init() {}

  /// The wait after `failures` tries in a row have failed.
  func delay(after failures: Int) -> Duration {
    guard let last = delays.last else { return .seconds(60) }
    let delay = delays.indices.contains(failures - 1) ? delays[failures - 1] : last
    return delay * (0.8 + 0.4 * jitter())
  }
}
