import Synchronization
import Threads

/// Questions to the person at the terminal.
enum Question {
  private static let terminal = WorkThreads()

  /// The answer, without blanks around it; nil when nobody can be asked, at the end of input, and when the task is
  /// cancelled.
  static func ask(_ text: String) async -> String? {
    guard Console.canAsk else { return nil }
    Console.write("\(text.printable) ")
    let slot = Mutex<CheckedContinuation<String?, Never>?>(nil)
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        slot.withLock { $0 = waiter }
        if Task.isCancelled { return settle(slot, nil) }
        // It may never return, so no task's thread is given to it.
        terminal.start { settle(slot, readLine()) }
      }
    } onCancel: {
      settle(slot, nil)
    }
    // Nobody has typed the end of the line.
    if answer == nil { Console.write("\n") }
    return answer
  }

  /// A number from 1 to `count`; the first one when the answer is empty.
  static func choose(_ text: String, among count: Int) async -> Int? {
    while true {
      guard let answer = await ask(text) else { return nil }
      if answer.isEmpty { return 1 }
      if let number = Int(answer), (1...count).contains(number) { return number }
      Console.print("a number from 1 to \(count), please")
    }
  }

  private static func settle(_ slot: borrowing Mutex<CheckedContinuation<String?, Never>?>, _ line: String?) {
    let waiter = slot.withLock { slot in
      defer { slot = nil }
      return slot
    }
    waiter?.resume(returning: line.map(trimmed))
  }

  private static func trimmed(_ line: String) -> String {
    let end = line.lastIndex { !$0.isWhitespace }.map { line.index(after: $0) } ?? line.startIndex
    return String(line[..<end].drop(while: \.isWhitespace))
  }
}
