import Glibc
import PrintJobs
import PrintJournal

/// The program that the journal's tests kill, starve and lock out. What it does to the world it says on standard
/// output, one line each; what was said outlives it.
@main
struct Victim {
  static func main() async {
    let arguments = CommandLine.arguments
    do {
      switch (arguments.dropFirst().first, arguments.count) {
      case ("story", 6):
        guard let point = Int(arguments[3]), let first = Int(arguments[4]), let count = Int(arguments[5])
        else {
          throw Usage()
        }
        var story = try await Story(journal: Journal.open(path: arguments[2]), fatalPoint: point)
        try await story.run(orders: first..<first + count)
      case ("open", 4):
        guard let user = uid_t(arguments[3]) else { throw Usage() }
        guard user == getuid() || (setgid(user) == 0 && setuid(user) == 0) else { throw Usage() }
        let journal = try await Journal.open(path: arguments[2])
        say("opened")
        await journal.close()
      case ("limit", 4):
        guard let bytes = rlim_t(arguments[3]) else { throw Usage() }
        try await fill(path: arguments[2], to: bytes)
      default:
        throw Usage()
      }
    } catch {
      say("error \(error)")
      exit(1)
    }
  }

  /// Receives orders until no file may grow any more, then lets them grow again.
  private static func fill(path: String, to bytes: rlim_t) async throws {
    let journal = try await Journal.open(path: path)
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    let before = limit.rlim_cur
    limit.rlim_cur = bytes
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    let order = [UInt8](repeating: 0x20, count: 8192)
    var number = 0
    do {
      while number < 10_000 {
        let job = NewJob(
          key: JobKey(orderID: "\(number)", kind: "receipt"), printer: "p", expiresAt: 0, order: order)
        _ = try await journal.receive([job], deliveryID: nil, cursor: "\(number)")
        number += 1
      }
    } catch let error {
      say("refused \(number) \(error)")
    }
    say("cursor \(try await journal.cursor() ?? "none")")
    limit.rlim_cur = before
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    let job = NewJob(
      key: JobKey(orderID: "\(number)", kind: "receipt"), printer: "p", expiresAt: 0, order: order)
    let received = try await journal.receive([job], deliveryID: nil, cursor: "\(number)")
    say("taken \(number) \(received.entries.allSatisfy(\.isNew))")
    await journal.close()
  }
}

private struct Usage: Error {}

/// Writes one line; whole or not at all, since it goes to the kernel in one call.
func say(_ line: String) {
  let bytes = [UInt8]("\(line)\n".utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}
