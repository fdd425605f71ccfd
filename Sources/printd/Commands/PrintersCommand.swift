import Curl
import ESCPOS
import Glibc
import TextRaster

/// `printd printers`
struct PrintersCommand: Command {
  static let name = "printers"
  static let summary = "lists, checks and forgets printers"
  static let help = """
    usage: printd printers [list] [--json] [--config FILE]
           printd printers doctor [NAME] [--config FILE]
           printd printers forget NAME [--config FILE]

      list     the configured printers and, with a running daemon, how they are
      doctor   tries to reach each printer and asks what it says of itself: what is wrong and what to do
      forget   removes a printer that has a file in printers.d

    Examples:
      printd printers
      printd printers doctor counter
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    let json = arguments.flag("--json")
    switch arguments.position() {
    case nil, "list":
      try arguments.finish()
      return try await list(options, json: json)
    case "doctor":
      let name = arguments.position()
      try arguments.finish()
      return try await doctor(options, name)
    case "forget":
      let name = try arguments.position("NAME")
      try arguments.finish()
      return try forget(options, name)
    case let word?:
      throw Failure(.usage, "\(word) is none of list, doctor, forget", remedy: "printd help printers")
    }
  }

  private static func list(_ options: CommonOptions, json: Bool) async throws -> ExitCode {
    let loaded = try options.load()
    let client = ControlClient(socket: loaded.configuration.control.socket)
    var status: StatusMessage?
    if await client.isRunning() { status = try await client.read(StatusMessage.self, .get, "/v1/status") }
    let rows = loaded.configuration.printers.map { printer in
      PrinterListing(
        name: printer.name, link: printer.link.rawValue, address: printer.address, profile: printer.profile,
        status: status?.printers.first { $0.name == printer.name })
    }
    if json {
      try JSON.print(rows)
      return .success
    }
    var table = TextTable(["printer", "link", "address", "profile", "state"])
    for row in rows {
      table.add([
        row.name, row.link, row.address ?? "", row.profile, row.status?.text ?? "daemon not running",
      ])
    }
    Console.print(table.text)
    return .success
  }

  private static func doctor(_ options: CommonOptions, _ name: String?) async throws -> ExitCode {
    let loaded = try options.load()
    let printers = name == nil ? loaded.configuration.printers : [try loaded.printer(named: name)]
    let findings = await PrinterCheck.findings(printers, loaded)
    for finding in findings { Console.print(finding.text) }
    return findings.allSatisfy(\.isGood) ? .success : .unavailable
  }

  private static func forget(_ options: CommonOptions, _ name: String) throws(Failure) -> ExitCode {
    let loaded = try options.load()
    _ = try loaded.printer(named: name)
    let slash = options.configPath.lastIndex(of: "/")
    let folder = slash.map { String(options.configPath[...$0]) } ?? "./"
    for suffix in ["json5", "json"] {
      let path = "\(folder)printers.d/\(name).\(suffix)"
      guard access(path, F_OK) == 0 else { continue }
      guard unlink(path) == 0 else {
        throw Failure(.noPermission, "\(path): \(String(cString: strerror(errno)).lowercased())")
      }
      Console.print("forgot \(name); systemctl reload printd makes the daemon forget it, too")
      return .success
    }
    throw Failure(
      .noInput, "\(name) has no file \(folder)printers.d/\(name).json5",
      remedy: "take it out of \(options.configPath) by hand")
  }
}

/// A printer as `printd printers --json` shows it.
private struct PrinterListing: Encodable {
  var name: String
  var link: String
  var address: String?
  var profile: String
  var status: StatusMessage.Printer?
}
