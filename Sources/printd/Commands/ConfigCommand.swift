/// `printd config check`
struct ConfigCommand: Command {
  static let name = "config"
  static let summary = "checks the configuration: config check"
  static let help = """
    usage: printd config check [FILE] [--config FILE]

    Reads the configuration, printers.d and the profiles as the daemon would, and names every fault with file, line,
    key and remedy. Secrets that this user cannot read are warnings. Nothing is started or written.

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
    for warning in loaded.warnings + unreadable(loaded.configuration) { Console.error("warning: \(warning)") }
    let count = loaded.configuration.printers.count
    Console.print("\(path): all right; \(count) printer\(count == 1 ? "" : "s")")
    return .success
  }

  /// Files that this user cannot read or that hold no secret; the daemon's user may be another one.
  private static func unreadable(_ configuration: Configuration) -> [String] {
    var warnings: [String] = []
    if let webhook = configuration.webhook {
      do throws(Failure) {
        _ = try Secrets(webhook)
      } catch {
        warnings.append("webhook.secret_files: \(error.message)")
      }
    }
    if case .http(let http) = configuration.orders {
      do throws(Failure) {
        _ = try Configuration.httpOrderService(http)
      } catch {
        warnings.append("orders.http: \(error.message)")
      }
    }
    return warnings
  }
}
