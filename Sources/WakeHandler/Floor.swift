import ESCPOS
import PrintJobs
import Synchronization

/// What every part of the story stands on.
struct Floor: Sendable {
  let ports: Ports
  let policies: Policies
  let clock: any BootTimeClock
  let wakes: OpenWakes
  let progress: Progress
  let tally: Tally
  let voices: Voices

  var jobs: any JobPort { ports.jobs }
  var now: BootInstant { clock.now }

  /// An instant that lies `duration` ahead.
  func deadline(in duration: Duration) -> BootInstant { now.advanced(by: duration) }

  /// A date that is past, seconds since 1970, on the clock that starts with the machine.
  func instant(of date: Double) -> BootInstant {
    let age = Duration.clampedSeconds(policies.date() - date)
    return now.advanced(by: .zero - max(.zero, age))
  }

  /// When a job was received, on the clock that its timeline counts on.
  func origin(of job: Job) -> BootInstant {
    instant(of: job.receivedAt)
  }
}

extension Duration {
  /// Seconds from dates that anybody may have written: a century stands for more, and nothing for what is no number.
  static func clampedSeconds(_ seconds: Double) -> Duration {
    let century = 100.0 * 366 * 86_400
    return .seconds(seconds.isNaN ? 0 : min(max(seconds, -century), century))
  }
}

/// Counts since the start, for the metrics.
public struct Counts: Equatable, Sendable {
  /// Wakes accepted.
  public var accepted = 0
  /// Wakes refused, by the refusal's code.
  public var refused: [String: Int] = [:]
  /// Completions called, by the outcome's word.
  public var completions: [String: Int] = [:]
  /// Jobs ended, by state.
  public var ended: [String: Int] = [:]
  /// Reports acknowledged.
  public var reports = 0
  /// Tries to report that failed.
  public var failedReports = 0
  /// Announcements ended, by the end's word.
  public var announcements: [String: Int] = [:]
}

/// Keeps the counts.
final class Tally: Sendable {
  private let counts = Mutex(Counts())

  var current: Counts { counts.withLock { $0 } }

  func count(_ change: (inout Counts) -> Void) {
    counts.withLock { change(&$0) }
  }
}
