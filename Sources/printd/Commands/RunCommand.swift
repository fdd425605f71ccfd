/// `printd run`
struct RunCommand: Command {
  static let name = "run"
  static let summary = "the daemon: waits for wakes and prints"
  static let help = """
    usage: printd run [--config FILE]

    Serves until SIGTERM or SIGINT, then finishes the receipt in hand. SIGHUP reads printers, profiles, routes, secrets,
    locale, time_zone and capitals again; the rest needs a restart.
    The log goes to standard error, as journald reads it. systemd: packaging/printd.service.

    exit codes: 0 stopped · 69 a channel cannot listen · 73, 74, 77 the state directory or the journal cannot be
    written · 78 the configuration is wrong

    Examples:
      printd run
      printd run --config ./printd.json5
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    try arguments.finish()
    let daemon = try await Daemon(configPath: options.configPath)
    try await daemon.run()
    return .success
  }
}
