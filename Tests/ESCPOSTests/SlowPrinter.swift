import ESCPOS
import Synchronization

/// A link to a printer that takes bytes out of its buffer at its own pace, as the clock goes on.
///
/// It prints what is no command, answers in turn when it gets there, and takes no more than its buffer holds.
final class SlowPrinter: PrinterLink, Sendable {
  struct Manners {
    /// Bytes a second that leave the buffer.
    var bytesPerSecond = 1_000
    var bufferSize = 4_096
    /// What is in the buffer when the link is opened.
    var held: [UInt8] = []
    /// Bytes that a half-received raster still waits for, ahead of all that is in the buffer.
    var rasterRest = 0
    /// Whether `DLE EOT` is answered on receipt; if not, it waits its turn and is lost inside a raster.
    var hearsRealTime = true
  }

  fileprivate struct State {
    var manners: Manners
    var buffer: [UInt8]
    var accepted = 0
    var tickedAt: BootInstant
    var paper: [UInt8] = []
    var inbox: [UInt8] = []
    var nuls = 0
    var mostNULs = 0
    var senders: [CheckedContinuation<Void, Never>] = []
    var receiver: (id: Int, tell: CheckedContinuation<[UInt8]?, Never>)?
    var spare = 0
    var nextID = 0
    var hasEnded = false
    var idlers: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>
  private let clock: any BootTimeClock
  let hasBackChannel = true

  init(clock: any BootTimeClock, _ change: (inout Manners) -> Void) {
    var manners = Manners()
    change(&manners)
    self.clock = clock
    state = Mutex(State(manners: manners, buffer: manners.held, tickedAt: clock.now))
  }

  var bytesAccepted: Int { state.withLock(\.accepted) }
  /// Whether this and nothing else is on paper: all that is no command.
  func has(printed bytes: [UInt8]) -> Bool { state.withLock { $0.paper == bytes } }
  /// NUL bytes taken in all, and the most that were in the buffer at a time.
  var nuls: (taken: Int, most: Int) { state.withLock { ($0.nuls, $0.mostNULs) } }
  /// Bytes that a raster still waits for.
  var rasterRest: Int { state.withLock { $0.manners.rasterRest } }

  /// Prints what is due by now, and returns once everything said has been heard.
  func tick() async {
    let senders = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      let elapsed = Double(state.tickedAt.duration(to: clock.now).wholeNanoseconds) / 1e9
      let due = Int(elapsed * Double(state.manners.bytesPerSecond))
      guard due > 0 else { return [] }
      state.tickedAt = state.tickedAt.advanced(
        by: .seconds(Double(due) / Double(state.manners.bytesPerSecond)))
      state.take(due)
      state.tell()
      defer { state.senders = [] }
      return state.senders
    }
    for sender in senders { sender.resume() }
    await withCheckedContinuation { idler in
      state.withLock { state in
        if state.isHeard { idler.resume() } else { state.idlers.append(idler) }
      }
    }
  }

  func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    var rest = bytes
    while true {
      rest = state.withLock { state in
        defer { state.tell() }
        return state.accept(rest)
      }
      if rest.isEmpty { return }
      let late = Task { [clock] in
        try await clock.sleep(until: deadline, tolerance: nil)
        wakeSenders()
      }
      await withCheckedContinuation { sender in state.withLock { $0.senders.append(sender) } }
      late.cancel()
      if clock.now >= deadline { throw LinkError(.deadline, "the printer takes nothing") }
    }
  }

  private func wakeSenders() {
    let senders = state.withLock { state in
      defer { state.senders = [] }
      return state.senders
    }
    for sender in senders { sender.resume() }
  }

  func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let bytes = await withTaskCancellationHandler {
      await withCheckedContinuation { (tell: CheckedContinuation<[UInt8]?, Never>) in
        state.withLock { state in
          guard !Task.isCancelled else { return tell.resume(returning: nil) }
          state.receiver = (id, tell)
          state.tell()
        }
      }
    } onCancel: {
      state.withLock { state in
        state.hasEnded = true
        if state.receiver?.id == id {
          state.receiver?.tell.resume(returning: nil)
          state.receiver = nil
        }
        state.tell()
      }
    }
    guard let bytes else { throw LinkError(.cancelled, "cancelled") }
    return bytes
  }

  func flush(by deadline: BootInstant) async throws(LinkError) {}
  func close() async {}
}

extension SlowPrinter.State {
  /// Lets into the buffer what fits, and answers what is answered on receipt; gives back the rest.
  mutating func accept(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while let first = rest.first {
      if manners.hearsRealTime, rest.starts(with: [0x10, 0x04]), rest.count >= 3 {
        inbox.append(rest[rest.startIndex + 2] == 1 ? 0x16 : 0x12)
        rest = rest.dropFirst(3)
        accepted += 3
        continue
      }
      guard buffer.count < manners.bufferSize else { break }
      buffer.append(first)
      accepted += 1
      if first == 0 { nuls += 1 }
      rest = rest.dropFirst()
    }
    // The length and the end of a question hold a NUL too.
    mostNULs = max(mostNULs, buffer.count { $0 == 0 })
    return rest
  }

  /// Carries out the next `count` bytes; a question that is begun waits for the time that its last byte takes.
  mutating func take(_ count: Int) {
    let due = spare + count
    var rest = buffer.prefix(due)
    while let first = rest.first {
      if manners.rasterRest > 0 {
        let eaten = min(manners.rasterRest, rest.count)
        manners.rasterRest -= eaten
        rest = rest.dropFirst(eaten)
      } else if let (length, answer) = Self.question(buffer[rest.startIndex...]) {
        guard rest.count >= length else { break }
        inbox += answer
        rest = rest.dropFirst(length)
      } else {
        if first != 0 { paper.append(first) }
        rest = rest.dropFirst()
      }
    }
    let taken = rest.startIndex - buffer.startIndex
    buffer.removeFirst(taken)
    spare = buffer.isEmpty ? 0 : min(due - taken, 11)
  }

  private static func question(_ bytes: ArraySlice<UInt8>) -> (length: Int, answer: [UInt8])? {
    if bytes.starts(with: [0x10, 0x04]), bytes.count >= 3 {
      return (3, [bytes[bytes.startIndex + 2] == 1 ? 0x16 : 0x12])
    }
    if bytes.starts(with: [0x1D, 0x72, 0x01]) { return (3, [0]) }
    if bytes.starts(with: [0x1D, 0x28, 0x48, 0x06, 0, 0x30, 0x30]), bytes.count >= 11 {
      return (11, [0x37, 0x22] + bytes.dropFirst(7).prefix(4) + [0])
    }
    return nil
  }

  /// Whether somebody has heard everything, or nobody listens any more.
  var isHeard: Bool { hasEnded || (inbox.isEmpty && receiver != nil) }

  /// Hands over what is said, and tells those who wait until it was heard.
  mutating func tell() {
    if let receiver, !inbox.isEmpty {
      self.receiver = nil
      receiver.tell.resume(returning: inbox)
      inbox = []
    }
    guard isHeard else { return }
    for idler in idlers { idler.resume() }
    idlers = []
  }
}
