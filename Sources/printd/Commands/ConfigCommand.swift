/// `printd config check`
struct ConfigCommand: Command {
  static let name = "config"
  static let summary = "checks the configuration: config check"
  static let help = """
    usage: printd config check [FILE] [--config FILE]

    Reads the configuration, printers.d and the profiles as the daemon would, and names every fault with file, line,
    key and remedy. Nothing is started or written.

    exit codes: 0 all right · 78 faults

    Examples:
      printd config check
      printd config check ./printd.json5
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    guard try arguments.position("check") == "check" else {
      throw Failure(.usage, "config knows only \"check\"", remedy: "printd help config")
    }
    let path = arguments.position() ?? options.configPath
    try arguments.finish()
    let loaded = try ConfigurationFile.load(path)
    for warning in loaded.warnings { Console.error("warning: \(warning)") }
    let count = loaded.configuration.printers.count
    Console.print("\(path): all right; \(count) printer\(count == 1 ? "" : "s")")
    return .success
  }
}
