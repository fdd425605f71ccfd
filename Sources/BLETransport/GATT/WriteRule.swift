/// Which way the next bytes of a link go.
///
/// Commands fill the radio, but most printers drop those that their buffer has no room for. Requests cost two connection
/// intervals each, and a printer with a full buffer (paper out) answers them late: it holds the sender and loses nothing.
/// So the first bytes of a job go as commands, as many as any buffer holds, and the rest as requests, but for what the printer
/// says, when asked in mid-job, that it has taken: that makes room for as many commands again. A printer that is said
/// to keep up with the radio gets commands alone, and reads of another attribute, which hold up nothing, tell what has
/// arrived.
struct WriteRule: Equatable, Sendable {
  /// An attribute whose reading tells that everything before has arrived.
  struct Barrier: Equatable, Sendable {
    var path: String
    var interface: String
  }

  enum Step: Equatable {
    case command
    case request
    /// Not before a barrier has been answered.
    case wait
    /// Not before the printer has room, by its speed.
    case pause
    /// Not before the printer has answered a question in the job.
    case prove
  }

  /// Whether the characteristic takes commands.
  var takesCommands: Bool
  /// Whether it takes requests.
  var takesRequests: Bool
  /// Whether only requests are wanted.
  var onlyRequests = false
  /// Whether the printer has answered a write of this link, or need not.
  var isProven = false
  /// What can be read as a barrier, the best first.
  var barriers: [Barrier] = []

  /// How the next `count` bytes go.
  ///
  /// - Parameters:
  ///   - room: Bytes for which the printer surely has room.
  ///   - isLast: Whether they end the call.
  func step(_ window: WriteWindow, count: Int, room: Int = .max, isLast: Bool) -> Step {
    guard takesRequests else {
      if count > room { return .pause }
      return !canBar || window.hasRoom(for: count) ? .command : .wait
    }
    if onlyRequests || !takesCommands || !isProven || count > room { return .request }
    if canBar { return window.hasRoom(for: count) ? .command : .wait }
    return isLast || !window.hasRoom(for: count) ? .request : .command
  }

  /// Whether barriers can be read.
  var canBar: Bool { !barriers.isEmpty }

  /// Whether anything tells what has arrived.
  var isHeard: Bool { takesRequests || canBar }
}
