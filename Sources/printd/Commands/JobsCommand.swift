import Curl
import PrintJobs

/// `printd jobs`
struct JobsCommand: Command {
  static let name = "jobs"
  static let summary = "what is queued, unknown, expired; settles what only a person can"
  static let help = """
    usage: printd jobs [--all] [--timeline] [--json] [--config FILE]
           printd jobs ID|ORDER_ID [--json]
           printd jobs resolve ID printed|reprint|discard
           printd jobs cancel ID

    Without a word it lists the jobs that have not ended well; --all lists the journal, newest last.

      --timeline   shows when each step of a job ended

    A job is "unknown" when the link or the power was lost after its first byte: it may be on paper. printd never
    sends it again by itself. Look at the paper, then say:
      printd jobs resolve 12 printed     it is there
      printd jobs resolve 12 reprint     it is not, or cannot be read: prints a marked copy
      printd jobs resolve 12 discard     nobody wants it any more

    Examples:
      printd jobs
      printd jobs --all --json
      printd jobs 20261130-000187
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    let json = arguments.flag("--json")
    let all = arguments.flag("--all", "-a")
    let timeline = arguments.flag("--timeline")
    switch arguments.position() {
    case nil:
      try arguments.finish()
      let list = try await options.client().read(JobsMessage.self, .get, "/v1/jobs\(all ? "?all=1" : "")")
      try show(list, json: json, timeline: timeline, empty: all ? "no jobs" : "no jobs wait")
      return .success
    case "resolve":
      return try await resolve(&arguments, options, json: json)
    case "cancel":
      let id = try number(try arguments.position("ID"))
      try arguments.finish()
      let job = try await options.client().read(JobMessage.self, .delete, "/v1/jobs/\(id)")
      try show(JobsMessage(jobs: [job]), json: json, timeline: false, empty: "")
      return .success
    case let word?:
      try arguments.finish()
      let path = Int64(word) == nil ? "/v1/jobs?order=\(word.pathSegment)" : "/v1/jobs?id=\(word)"
      let list = try await options.client().read(JobsMessage.self, .get, path)
      guard !list.jobs.isEmpty else {
        throw Failure(.noInput, "there is no job or order \(word)", remedy: "printd jobs --all")
      }
      try show(list, json: json, timeline: true, empty: "")
      return .success
    }
  }

  private static func resolve(
    _ arguments: inout Arguments, _ options: CommonOptions, json: Bool
  ) async throws -> ExitCode {
    let id = try number(try arguments.position("ID"))
    let word = try arguments.position("printed|reprint|discard")
    try arguments.finish()
    guard ["printed", "reprint", "discard"].contains(word) else {
      throw Failure(.usage, "\(word) is none of printed, reprint, discard", remedy: "printd help jobs")
    }
    let completion = try await options.client().read(
      CompletionMessage.self, .post, "/v1/jobs/\(id)/resolve", body: try JSON.bytes(ResolveMessage(as: word)))
    if json {
      try JSON.print(completion)
    } else {
      WakeCommand.show(completion)
    }
    return completion.result == .failed ? .temporary : .success
  }

  private static func number(_ word: String) throws(Failure) -> Int64 {
    guard let number = Int64(word), number > 0 else {
      throw Failure(.usage, "\(word) is not a job's number", remedy: "printd jobs shows the numbers")
    }
    return number
  }

  private static func show(_ list: JobsMessage, json: Bool, timeline: Bool, empty: String) throws(Failure) {
    if json { return try JSON.print(list) }
    guard !list.jobs.isEmpty else { return Console.print(empty) }
    var table = TextTable(["job", "order", "document", "printer", "state", ""])
    for job in list.jobs {
      let document = job.copy > 1 ? "\(job.kind) copy \(job.copy)" : job.kind
      var state = job.state.rawValue
      if job.state.isFinal, job.reportedAt == nil { state += ", unreported" }
      var remark = job.reason ?? job.confirmation.map { $0 == .fence ? "" : $0.rawValue } ?? ""
      if let voice = job.voice, voice != .ended(.played) {
        remark += "\(remark.isEmpty ? "" : "; ")voice \(voice.text)"
      }
      table.add(["\(job.id)", job.orderID, document, job.printer, state, remark])
      if timeline { table.addLine("    \(TimelineView.line(job.timeline))") }
    }
    Console.print(table.text)
  }
}
