/// The exit codes of `printd`, from sysexits(3).
enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  /// The command line is wrong.
  case usage = 64
  /// A document is wrong.
  case badInput = 65
  /// A file is not there.
  case noInput = 66
  /// The daemon, the order service or the printer is not there.
  case unavailable = 69
  /// A fault of printd's own.
  case software = 70
  /// A file cannot be written.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Not done yet; it is queued, or trying again may help.
  case temporary = 75
  /// Not allowed.
  case noPermission = 77
  /// The configuration is wrong.
  case configuration = 78
}

/// Why a command ends without having done its work.
struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
  var code: ExitCode
  /// What is wrong, and where.
  var message: String
  /// What to do: a sentence or a command.
  var remedy: String?

  /// A person or the system has ended the command, by a signal.
  static let stopped = Failure(.temporary, "stopped")

  init(_ code: ExitCode, _ message: String, remedy: String? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// For a terminal: what came from outside moves no cursor.
  var description: String {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
    let text = lines.joined(separator: "\n")
    return remedy.map { "\(text)\n  try: \($0.printable)" } ?? text
  }
}
