import ESCPOS
import Glibc
import PrintJobs
import PrintJournal
import WakeHandler

/// Feeds systemd's watchdog while every part makes progress, and only then.
struct Watchdog {
  let handler: WakeHandler
  let journal: Journal
  let clock: BootClock

  /// Asks every part at half the interval that systemd gives; without systemd it does nothing.
  ///
  /// A part that hangs keeps this loop from coming back, and the watchdog is not fed: no time-out is needed here.
  func run() async {
    guard let interval = ServiceNotify.watchdogInterval else { return }
    while !Task.isCancelled {
      let overdue = handler.progress.overdue(at: clock.now)
      if overdue.isEmpty {
        ServiceNotify.status(await summary())
        ServiceNotify.watchdog()
      } else {
        Log.error("no progress", ["parts": overdue.joined(separator: ",")])
      }
      try? await Task.sleep(for: interval / 2)
    }
  }

  /// The line that `systemctl status` shows; asks the story and the journal for it.
  func summary() async -> String {
    let status = await handler.status()
    do throws(JournalError) {
      return StatusMessage(status, try await journal.counts()).summary
    } catch {
      return "the journal cannot be read: \(error.message)"
    }
  }
}

/// The date.
enum SystemTime {
  /// Seconds since 1970.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// What is done once a day.
enum Upkeep {
  /// Forgets what is older than the history, at the start and every day after.
  static func run(_ journal: Journal) async {
    while !Task.isCancelled {
      do throws(JournalError) {
        let count = try await journal.prune(now: SystemTime.now)
        if count > 0 { Log.info("journal pruned", ["jobs": count]) }
      } catch {
        Log.warning("journal not pruned", ["reason": error.message])
      }
      Residence.giveBack()
      try? await Task.sleep(for: .seconds(24 * 60 * 60))
    }
  }
}
