import Glibc

/// Standard output and standard error, and what they are connected to.
enum Console {
  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Columns of the terminal, or nil when there is none.
  static var columns: Int? { size.flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil } }

  /// Rows of the terminal, or nil when there is none.
  static var rows: Int? { size.flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil } }

  private static var size: winsize? {
    guard isTerminal else { return nil }
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// Whether a person can be asked: standard input and output are a terminal.
  static var canAsk: Bool { isTerminal && isatty(STDIN_FILENO) == 1 }

  /// Writes a line to standard output.
  static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// Writes to standard output what moves about on a terminal; the caller's text must hold nothing from outside that is
  /// not printable.
  static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Writes a line to standard error.
  static func error(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { buffer in
      var rest = UnsafeRawBufferPointer(buffer)
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = Glibc.write(descriptor, start, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }
}
