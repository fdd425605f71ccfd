import ESCPOS
import Glibc
import Threads

/// A version of BlueZ, such as 5.66: numbers that count one after the other, so that 5.9 is before 5.66.
struct BlueZVersion: Comparable, CustomStringConvertible {
  var numbers: [Int]

  init(numbers: [Int]) {
    self.numbers = numbers
  }

  /// Reads what `bluetoothd --version` prints; nil for anything but numbers with dots between them.
  init?(_ text: some StringProtocol) {
    numbers = []
    for word in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard word.allSatisfy(\.isNumber), let number = Int(word) else { return nil }
      numbers.append(number)
    }
  }

  var description: String { numbers.map(String.init).joined(separator: ".") }

  static func < (left: Self, right: Self) -> Bool { left.counted.lexicographicallyPrecedes(right.counted) }
  static func == (left: Self, right: Self) -> Bool { left.counted.elementsEqual(right.counted) }

  /// 5.0 is 5.
  private var counted: ArraySlice<Int> {
    numbers[..<((numbers.lastIndex { $0 != 0 } ?? -1) + 1)]
  }

  /// The version of the program at `path`; nil when it does not tell one within 5 s.
  static func asked(of path: String) async -> Self? {
    await WorkThreads().run(
      unless: {
        try? await BootClock().sleep(for: .seconds(5))
        return nil
      }
    ) { read(from: path) }
  }

  private static func read(from path: String) -> Self? {
    guard let pipe = popen("\(path) --version", "r") else { return nil }
    defer { pclose(pipe) }
    var line = [CChar](repeating: 0, count: 64)
    guard fgets(&line, Int32(line.count), pipe) != nil else { return nil }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.split(whereSeparator: \.isWhitespace).first.flatMap { Self($0) }
  }
}
