import Synchronization

/// Lines on a terminal that are written again and again in the same place; silent where the output is piped, but for
/// their last form.
final class LiveText: Sendable {
  private let height = Mutex(0)

  /// Shows the lines in place of the ones before; does nothing where there is no terminal.
  func show(_ lines: [String]) {
    guard Console.isTerminal else { return }
    // What has scrolled out at the top cannot be written again.
    replace(with: Array(lines.prefix(max(1, (Console.rows ?? 24) - 1))))
  }

  /// Shows the lines for good.
  func end(_ lines: [String]) {
    guard Console.isTerminal else {
      if !lines.isEmpty { Console.print(lines.joined(separator: "\n")) }
      return
    }
    replace(with: lines)
    height.withLock { $0 = 0 }
  }

  private func replace(with lines: [String]) {
    height.withLock { height in
      // Cursor up, then each line with what was behind it erased, then all below (ECMA-48 CUU, EL, ED).
      var text = height > 0 ? "\u{1B}[\(height)A" : ""
      text += lines.map { "\r\($0)\u{1B}[K\n" }.joined()
      text += "\u{1B}[J"
      Console.write(text)
      height = lines.count
    }
  }
}
