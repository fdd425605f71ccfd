import Glibc

/// A command that a printer carries out when it receives it, before the data that came earlier.
public enum RealTimeCommand: Equatable, Sendable {
  /// `DLE EOT n`: send a status byte.
  case status(UInt8)
  /// `DLE ENQ 1`: go on after an error; `DLE ENQ 2`: clear the buffers and go on.
  case recover(clearing: Bool)
  /// `DLE DC4 1 m t`: a pulse of t × 100 ms to the drawer on pin 2 or 5.
  case pulse(pin: Int, milliseconds: Int)
  /// `DLE DC4 2 1 8`: power off.
  case powerOff
  /// `DLE DC4 3 …`: the buzzer.
  case buzzer
  /// `DLE DC4 7 m`: send a status block.
  case statusBlock(UInt8)
  /// `DLE DC4 8 …`: clear the buffers and say so.
  case clear

  /// The whole length in bytes of `DLE DC4` with function `fn`, or nil for no function.
  static func length(ofFunction fn: UInt8) -> Int? {
    switch fn {
    case 1, 2: 5
    case 3: 8
    case 7: 4
    case 8: 10
    default: nil
    }
  }

  /// Its length in bytes.
  var length: Int {
    switch self {
    case .status, .recover: 3
    case .statusBlock: 4
    case .pulse, .powerOff: 5
    case .buzzer: 8
    case .clear: 10
    }
  }

  private enum Match {
    case no
    case notYet
    case yes(RealTimeCommand)
  }

  private static let clearTail: [UInt8] = [1, 3, 20, 1, 6, 2, 8]

  fileprivate static func match(_ bytes: [UInt8]) -> (command: RealTimeCommand?, possible: Bool) {
    switch read(bytes) {
    case .no: (nil, false)
    case .notYet: (nil, true)
    case .yes(let command): (command, true)
    }
  }

  private static func read(_ bytes: [UInt8]) -> Match {
    guard bytes[0] == 0x10 else { return .no }
    guard bytes.count > 1 else { return .notYet }
    guard [0x04, 0x05, 0x14].contains(bytes[1]) else { return .no }
    guard bytes.count > 2 else { return .notYet }
    let fn = bytes[2]
    switch bytes[1] {
    case 0x04: return (1...4).contains(fn) ? .yes(.status(fn)) : .no
    case 0x05: return (1...2).contains(fn) ? .yes(.recover(clearing: fn == 2)) : .no
    default: break
    }
    guard let length = length(ofFunction: fn) else { return .no }
    let tail = bytes.dropFirst(3)
    switch fn {
    case 1 where !tail.prefix(1).allSatisfy { $0 <= 1 || $0 == 48 || $0 == 49 }: return .no
    case 2 where !zip(tail, [1, 8] as [UInt8]).allSatisfy(==): return .no
    case 8 where !zip(tail, clearTail).allSatisfy(==): return .no
    default: break
    }
    guard bytes.count == length else { return .notYet }
    switch fn {
    case 1:
      guard (1...8).contains(bytes[4]) else { return .no }
      return .yes(.pulse(pin: bytes[3] & 1 == 0 ? 2 : 5, milliseconds: Int(bytes[4]) * 100))
    case 2: return .yes(.powerOff)
    case 3: return .yes(.buzzer)
    case 7: return .yes(.statusBlock(bytes[3]))
    default: return .yes(.clear)
    }
  }
}

/// Finds real-time commands in a stream that comes in pieces.
struct RealTimeScanner: Sendable {
  private var partial: [UInt8] = []

  /// The next command in `bytes` at or after `from`, and where it ends; nil when the piece holds no more.
  mutating func next(in bytes: UnsafeBufferPointer<UInt8>, from: Int) -> (RealTimeCommand, end: Int)? {
    var index = from
    while index < bytes.count {
      if partial.isEmpty {
        guard let base = bytes.baseAddress, let found = memchr(base + index, 0x10, bytes.count - index) else {
          return nil
        }
        index = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      }
      partial.append(bytes[index])
      index += 1
      while !partial.isEmpty {
        let (command, possible) = RealTimeCommand.match(partial)
        if let command {
          partial.removeAll(keepingCapacity: true)
          return (command, index)
        }
        if possible { break }
        partial.removeFirst()
      }
    }
    return nil
  }
}
