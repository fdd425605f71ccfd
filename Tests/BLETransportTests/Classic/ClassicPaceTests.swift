import ESCPOS
import Glibc
import PrintTestKit
import Testing

@testable import BLETransport

@Suite("The pace of a printer without flow control", .timeLimit(.minutes(1)))
struct ClassicPaceTests {
  private let clock = ManualClock()

  @Test("is a burst, and then what the printer takes")
  func pace() {
    var pace = Pace(bytesPerSecond: 1_000)
    let start = clock.now
    var now = start
    for count in stride(from: 0, to: 10_240, by: 256) {
      let due = pace.due(256, now: now)
      // All that has gone out, less what the printer has taken since, fits the burst.
      let held = Double(count + 256) - start.duration(to: due).milliseconds
      #expect(held <= Double(Pace.burst) + 0.001)
      #expect(count + 256 > Pace.burst || due == start)
      pace.sent(256, at: due)
      now = due
    }
    #expect(start.duration(to: now) == .milliseconds(10_240 - Pace.burst))
  }

  @Test("gives the printer its whole burst again after a rest, and no more than that")
  func rest() {
    var pace = Pace(bytesPerSecond: 1_000)
    for _ in 0..<8 { pace.sent(256, at: clock.now) }
    #expect(clock.now < pace.due(256, now: clock.now))
    clock.advance(by: .seconds(60))
    for _ in 0..<8 {
      #expect(pace.due(256, now: clock.now) == clock.now)
      pace.sent(256, at: clock.now)
    }
    #expect(clock.now < pace.due(256, now: clock.now))
  }

  @Test("of a rate that cannot be is the slowest")
  func impossible() {
    #expect(Pace(bytesPerSecond: 0).bytesPerSecond == 1)
    #expect(Pace(bytesPerSecond: -5).bytesPerSecond == 1)
  }

  @Test("holds a link where it is asked for, to the deadline, and loses nothing")
  func link() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    let peer = ends[1]
    defer { close(peer) }
    _ = fcntl(peer, F_SETFL, O_NONBLOCK)
    let address = try #require(BluetoothAddress("00:11:22:33:44:55"))
    var printer = BluetoothPrinter(name: "slow", address: address, bearer: .rfcomm)
    printer.pace = 1_024
    let memory = SerialPortMemory(bell: Bell(clock: clock), clock: clock)
    let link = RFCOMMLink(ends[0], .socket, to: printer, memory, clock: clock)
    let job = (0..<3_072).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let deadline = clock.now.advanced(by: .seconds(30))
    let sending = Task { try await link.send(job[...], by: deadline) }
    for sent in stride(from: Pace.burst, to: job.count, by: Pace.slice) {
      await clock.sleepers(atLeast: 1)
      #expect(link.bytesAccepted == sent)
      clock.advance(by: .milliseconds(250))
    }
    try await sending.value
    var paper = [UInt8](repeating: 0, count: 4_096)
    #expect(read(peer, &paper, paper.count) == job.count)
    #expect(paper.prefix(job.count).elementsEqual(job))
    let soon = clock.now.advanced(by: .milliseconds(100))
    let late = Task { try await link.send(job[...], by: soon) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(100))
    let error = await #expect(throws: LinkError.self) { try await late.value }
    #expect(error?.code == .deadline)
    #expect(link.bytesAccepted == job.count)
    await link.close()
  }
}
