/// One word of the command line.
protocol Command: Sendable {
  /// The word: `preview`.
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// What `printd help NAME` shows: usage, options, examples.
  static var help: String { get }

  /// Does the work.
  ///
  /// - Returns: The exit code.
  /// - Throws: ``Failure``, which is printed with its remedy.
  static func run(_ arguments: inout Arguments) async throws -> ExitCode
}

/// All commands in the order of `printd help`.
enum Commands {
  static let all: [any Command.Type] = [
    RunCommand.self, TestPrintCommand.self, ReprintCommand.self, WakeCommand.self, JobsCommand.self,
    PrintersCommand.self, PreviewCommand.self, DecodeCommand.self, AnnounceCommand.self, VoiceCommand.self,
    ConfigCommand.self, DoctorCommand.self,
  ]

  static let overview = """
    printd \(Version.text): receipts on paper within seconds of the payment

    usage: printd COMMAND [OPTIONS]

    \(all.map { "  \($0.name.padded(to: 12))\($0.summary)" }.joined(separator: "\n"))
      help        shows this list, or with a command how to use it

    Common options:
      --config FILE   the configuration (default: /etc/printd/printd.json5)
      --json          machine-readable output, where a script would read it

    Examples:
      printd run                              the daemon, as systemd starts it
      printd preview order.json -o out.png    a receipt as it would look; no printer needed
      printd test-print --printer counter     a test page
      printd reprint 20261130-000187          a marked copy of an order of the past
    """

  static func named(_ name: String) -> (any Command.Type)? { all.first { $0.name == name } }
}

/// The version, in one place.
enum Version {
  static let text = "0.1.0"
}

extension String {
  /// The text with spaces behind it up to `width` characters.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
