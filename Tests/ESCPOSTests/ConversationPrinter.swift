import Documents
import ESCPOS
import PrintTestKit
import Synchronization

/// The far end of a ``ConversationLink``: a printer reduced to what it answers.
final class ConversationPrinter: Sendable {
  struct State {
    /// Answers to `DLE EOT 1…4`; nil for no answer.
    var realTime: [UInt8?] = [0x16, 0x12, 0x12, 0x12]
    /// Whether it takes print data (and so answers in turn).
    var prints = true
    /// Whether real-time questions are answered inside a raster.
    var hearsInsideRaster = true
    /// Bytes that a half-received raster still waits for.
    var rasterRest = 0
    /// Questions in turn that wait until it prints.
    var waiting: [[UInt8]] = []
    /// The size of the pieces that answers come in.
    var piece = Int.max
    var realTimeQuestions = 0
    var identifiers = 0
    /// Whether it throws away what comes behind real-time questions in one go.
    var dropsWhatFollows = false
    /// How many real-time questions in one go it answers.
    var mostAtOnce = Int.max
    /// How many of the next sends it throws away, as one does that wakes up.
    var sleepy = 0
  }

  let state = Mutex(State())

  init(_ change: (inout State) -> Void = { _ in }) {
    state.withLock { change(&$0) }
  }

  /// The answers to what one send carried, in pieces.
  func answer(_ sent: [UInt8]) -> [[UInt8]] {
    state.withLock { state in
      var answer: [UInt8] = []
      var rest = sent[...]
      guard state.sleepy == 0 else {
        state.sleepy -= 1
        return []
      }
      var atOnce = 0
      while let first = rest.first {
        if rest.starts(with: [0x10, 0x04]), rest.count >= 3, state.rasterRest == 0 || state.hearsInsideRaster
        {
          let question = Int(rest[rest.startIndex + 2])
          state.realTimeQuestions += 1
          atOnce += 1
          if atOnce <= state.mostAtOnce, let byte = state.realTime[question - 1] { answer.append(byte) }
          rest = rest.dropFirst(3)
          if state.dropsWhatFollows, !rest.starts(with: [0x10, 0x04]) { rest = [] }
        } else if state.rasterRest > 0 {
          let eaten = min(state.rasterRest, first == 0x10 ? 1 : rest.prefix { $0 != 0x10 }.count)
          state.rasterRest -= eaten
          rest = rest.dropFirst(eaten)
        } else if rest.starts(with: [0x1D, 0x72, 0x01]) {
          if state.prints { answer.append(0x00) } else { state.waiting.append([0x00]) }
          rest = rest.dropFirst(3)
        } else if rest.starts(with: [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30]) {
          state.identifiers += 1
          let reply = [0x37, 0x22] + rest.dropFirst(7).prefix(4) + [0x00]
          if state.prints { answer += reply } else { state.waiting.append(reply) }
          rest = rest.dropFirst(11)
        } else {
          rest = rest.dropFirst()
        }
      }
      return pieces(answer, of: state.piece)
    }
  }

  /// The answers that waited, now that it prints.
  func resume() -> [UInt8] {
    state.withLock { state in
      state.prints = true
      defer { state.waiting.removeAll() }
      return state.waiting.flatMap { $0 }
    }
  }

  private func pieces(_ bytes: [UInt8], of size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
  }
}

extension PrinterProfile {
  /// A profile for conversations.
  static func talking(dleEOT: Bool = true, fence: Fence, bytesPerSecond: Int = 1_000) throws -> PrinterProfile
  {
    let json = """
      {"name": "t", "title": "t", "widthDots": 384, "fontA": {"columns": 32, "cell": {"width": 12, "height": 24}},
       "codePages": [], "barcodes": [], "drawer": false, "withoutCommands": [], "notReset": [],
       "raster": {"maximumRows": 255}, "status": {"dleEOT": \(dleEOT), "asb": false},
       "fence": "\(fence.rawValue)", "bytesPerSecond": \(bytesPerSecond)}
      """
    return try DocumentReader.read(PrinterProfile.self, from: Array(json.utf8))
  }
}

/// Runs `operation`, moving the clock on whenever everything that was said has been heard and somebody sleeps.
func moving<Result: Sendable>(
  _ clock: ManualClock, _ link: ConversationLink, _ operation: @Sendable () async throws -> Result
) async throws -> Result {
  try await moving(clock, heard: { await link.heard() }, operation)
}

/// Runs `operation`, moving the clock on whenever `heard` has returned and somebody sleeps.
func moving<Result: Sendable>(
  _ clock: ManualClock, heard: @escaping @Sendable () async -> Void,
  _ operation: @Sendable () async throws -> Result
) async throws -> Result {
  let finished = Mutex(false)
  let mover = Task {
    while !finished.withLock({ $0 }) {
      await clock.sleepers(atLeast: 1)
      await heard()
      clock.advance(by: .milliseconds(50))
      await Task.yield()
    }
  }
  let outcome: Swift.Result<Result, any Error>
  do { outcome = .success(try await operation()) } catch { outcome = .failure(error) }
  finished.withLock { $0 = true }
  // One last sleeper, so that the mover sees that it is over.
  let last = Task { try? await clock.sleep(until: BootInstant(nanoseconds: .max), tolerance: nil) }
  await mover.value
  last.cancel()
  return try outcome.get()
}
