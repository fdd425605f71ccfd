import Curl
import PrintJobs

/// `printd reprint ORDER_ID`
struct ReprintCommand: Command {
  static let name = "reprint"
  static let summary = "prints a marked copy of an order of the past"
  static let help = """
    usage: printd reprint ORDER_ID [--kind KIND] [--json] [--config FILE]

    The copy is marked at its head and its foot (COPY 2 / 补打 2) and has a number of its own in the journal and in
    the report. It works for every order in the journal, even while the order service is down.

      --kind KIND   the document, where an order has several (default: the first one)

    exit codes: 0 printed · 66 no route prints that kind · 69 no daemon · 75 not printed, see the outcome

    Examples:
      printd reprint 20261130-000187
      printd reprint 20261130-000187 --kind kitchen
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    let json = arguments.flag("--json")
    let kind = try arguments.option("--kind")
    let order = try arguments.position("ORDER_ID")
    try arguments.finish()
    let client = try options.client()
    let completion = try await client.read(
      CompletionMessage.self, .post, "/v1/orders/\(order.pathSegment)/reprint",
      body: try JSON.bytes(ReprintMessage(kind: kind)))
    if json {
      try JSON.print(completion)
    } else {
      WakeCommand.show(completion)
    }
    return completion.result == .failed ? .temporary : .success
  }
}
