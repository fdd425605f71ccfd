import ESCPOS
import PrintTestKit
import Testing

/// Printers that are busy when their link is opened, and those that only seem so.
@Suite("The gate of a slow printer", .timeLimit(.minutes(2)))
struct SlowPrinterTests {
  private let clock = ManualClock()
  private let job = Array("bread".utf8)

  /// Asks the gate as the story does, again while the printer is busy, for ten minutes at most; then prints and proves.
  private func print(
    on link: SlowPrinter, _ profile: PrinterProfile
  ) async throws -> (gates: Int, fence: PrinterConversation.Fence?) {
    let (clock, job) = (clock, job)
    let latest = clock.now.advanced(by: .seconds(600))
    let conversation = PrinterConversation(link: link, profile: profile, clock: clock)
    return try await moving(clock, heard: { await link.tick() }) {
      var gates = 0
      while clock.now < latest {
        gates += 1
        switch try await conversation.gate(by: clock.now.advanced(by: .seconds(15))) {
        case .busy: continue
        case .ready:
          try await conversation.send(job, by: latest) {}
          return (gates, try await conversation.fence(by: clock.now.advanced(by: .seconds(600))))
        case .silent, .notReady, .unasked: return (gates, nil)
        }
      }
      return (gates, nil)
    }
  }

  @Test(
    "a buffer full of an earlier job is waited for: nothing is filled up, nothing prints twice",
    arguments: [100, 250, 1_000, 2_000, 8_000, 20_000], [PrinterProfile.Fence.processID, .paperStatus])
  func fullBuffer(bytesPerSecond: Int, fence: PrinterProfile.Fence) async throws {
    let earlier = [UInt8](repeating: 0x41, count: 4_096)
    let link = SlowPrinter(clock: clock) { manners in
      manners.bytesPerSecond = bytesPerSecond
      manners.held = earlier
    }
    let start = clock.now
    let (_, proof) = try await print(on: link, .talking(fence: fence, bytesPerSecond: bytesPerSecond))
    #expect(proof == .proven)
    #expect(link.has(printed: earlier + job))
    #expect(link.nuls.most <= 4, "those of the questions")
    let held = Duration.seconds(4_096 / Double(bytesPerSecond))
    #expect(start.duration(to: clock.now) <= held + .seconds(3))
  }

  @Test(
    "a fence that a killed process has left behind its job proves nothing of the next",
    arguments: [100, 1_000, 8_000], [1, 2, 4])
  func strangersFence(bytesPerSecond: Int, questions: Int) async throws {
    let earlier = [UInt8](repeating: 0x41, count: 500)
    let link = SlowPrinter(clock: clock) { manners in
      manners.bytesPerSecond = bytesPerSecond
      manners.held = earlier + (0..<questions).flatMap { _ in [0x1D, 0x72, 0x01] }
    }
    let (_, proof) = try await print(on: link, .talking(fence: .paperStatus, bytesPerSecond: bytesPerSecond))
    #expect(proof == .proven)
    #expect(link.has(printed: earlier + job), "proven when it is on paper, not before")
  }

  @Test(
    "questions that a killed process has left in the middle of its job prove nothing of the next",
    arguments: [100, 1_000, 8_000], [350, 700, 1_750])
  func strangersMidJob(bytesPerSecond: Int, part: Int) async throws {
    let question: [UInt8] = [0x1D, 0x72, 0x01]
    let rest = [UInt8](repeating: 0x41, count: part)
    let earlier = (0..<(3_900 / (part + 6))).flatMap { _ in rest }
    let link = SlowPrinter(clock: clock) { manners in
      manners.bytesPerSecond = bytesPerSecond
      manners.held = (0..<(3_900 / (part + 6))).flatMap { _ in question + question + rest }
    }
    let (_, proof) = try await print(on: link, .talking(fence: .paperStatus, bytesPerSecond: bytesPerSecond))
    #expect(proof == .proven)
    #expect(link.has(printed: earlier + job), "proven when it is on paper, not before")
  }

  @Test(
    "a larger buffer than usual costs no more than its own time again", arguments: [250, 1_000, 2_000, 8_000])
  func largeBuffer(bytesPerSecond: Int) async throws {
    let earlier = [UInt8](repeating: 0x41, count: 16_384)
    let link = SlowPrinter(clock: clock) { manners in
      manners.bytesPerSecond = bytesPerSecond
      manners.bufferSize = 1 << 20
      manners.held = earlier
    }
    let start = clock.now
    let (_, proof) = try await print(on: link, .talking(fence: .processID, bytesPerSecond: bytesPerSecond))
    #expect(proof == .proven)
    #expect(link.has(printed: earlier + job))
    let held = Duration.seconds(16_384 / Double(bytesPerSecond))
    #expect(start.duration(to: clock.now) <= held * 2 + .seconds(5))
  }

  @Test(
    "a printer much slower than its profile, with a full buffer, is not jammed and not given up",
    arguments: [64, 1_024, 4_096])
  func slowerThanItsProfile(bufferSize: Int) async throws {
    let earlier = [UInt8](repeating: 0x41, count: bufferSize)
    let link = SlowPrinter(clock: clock) { manners in
      manners.bytesPerSecond = 100
      manners.bufferSize = bufferSize
      manners.held = earlier
    }
    let start = clock.now
    let (_, proof) = try await print(on: link, .talking(fence: .paperStatus, bytesPerSecond: 8_000))
    #expect(proof == .proven)
    #expect(link.has(printed: earlier + job))
    #expect(link.nuls.taken <= bufferSize)
    #expect(start.duration(to: clock.now) <= .seconds(2 * Double(bufferSize) / 100 + 30))
  }

  @Test(
    "a half-received raster is filled up at the printer's pace, heard inside it or not",
    arguments: [250, 1_000, 2_000, 8_000, 20_000], [true, false])
  func halfRaster(bytesPerSecond: Int, hearsRealTime: Bool) async throws {
    let rest = bytesPerSecond < 1_000 ? 2_000 : 12_000
    let link = SlowPrinter(clock: clock) { manners in
      manners.bytesPerSecond = bytesPerSecond
      manners.bufferSize = 1 << 20
      manners.rasterRest = rest
      manners.hearsRealTime = hearsRealTime
    }
    let (_, proof) = try await print(on: link, .talking(fence: .processID, bytesPerSecond: bytesPerSecond))
    #expect(proof == .proven)
    #expect(link.rasterRest == 0)
    #expect(link.has(printed: job))
    // A second's worth, and what the clock's step leaves in the buffer.
    #expect(link.nuls.most <= bytesPerSecond * 5 / 4)
    #expect(link.nuls.taken <= rest + max(bytesPerSecond, 256) + 400)
  }
}
