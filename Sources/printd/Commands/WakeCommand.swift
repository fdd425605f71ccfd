import Curl
import PrintJobs
import Documents
import WakeHandler

/// `printd wake FILE|-`
struct WakeCommand: Command {
  static let name = "wake"
  static let summary = "hands a wake to the running daemon and waits for its completion"
  static let help = """
    usage: printd wake FILE|- [--json] [--config FILE]

    FILE holds a wake as a push carries it (Docs/schema/wake.schema.json); - reads standard input.
    The command returns when the wake's completion is called, within its budget (10 seconds).

    exit codes: 0 printed or nothing to do · 65 not a wake · 69 no daemon · 75 anything else, see the outcome

    Examples:
      printd wake wake.json
      echo '{"aps":{"content-available":1},"data":{"order_id":"42"}}' | printd wake -
      echo '{"aps":{"content-available":1}}' | printd wake -      prints what is pending
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    let json = arguments.flag("--json")
    let path = try arguments.position("FILE")
    try arguments.finish()
    let body = try Files.read(path, limit: Wake.Limits.anyBytes)
    let client = try options.client()
    let completion = try await client.read(CompletionMessage.self, .post, "/v1/wakes", body: body)
    if json {
      try JSON.print(completion)
    } else {
      show(completion)
    }
    return completion.result == .failed ? .temporary : .success
  }

  /// Prints what came of a wake, and when.
  static func show(_ completion: CompletionMessage) {
    let reason = completion.reason.map { ": \($0)" } ?? ""
    Console.print("\(completion.result.rawValue) · \(completion.outcome)\(reason)".printable)
    if let voice = completion.voice { Console.print("  voice: \(voice.text)".printable) }
    for job in completion.jobs {
      let reason = job.reason.map { ": \($0)" } ?? ""
      let copy = job.copy > 1 ? " copy \(job.copy)" : ""
      Console.print(
        "  \(job.orderID) \(job.kind)\(copy) on \(job.printer): \(job.outcome)\(reason)".printable)
      Console.print("    \(TimelineView.line(job.timeline))")
    }
  }
}

extension Voice {
  /// The end in words: `failed: no such clip`.
  var text: String { reason.map { "\(word): \($0)" } ?? word }
}
