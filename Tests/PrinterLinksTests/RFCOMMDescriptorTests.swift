import ESCPOS
import Glibc
import PrintTestKit
import PrinterLinks
import Synchronization
import Testing

/// A pair of local sockets stands for the connection. What tells RFCOMM apart is given to the link: how much the kernel
/// can still take, a second owner of the descriptor, and a hang-up without a word.
@Suite("A link over an RFCOMM descriptor", .timeLimit(.minutes(1)))
struct RFCOMMDescriptorTests {
  private let clock = ManualClock()
  private var soon: BootInstant { clock.now.advanced(by: .seconds(5)) }

  /// The space that the kernel says is free.
  private final class Space: Sendable {
    private let free = Mutex(50_800)
    var value: Int {
      get { free.withLock { $0 } }
      set { free.withLock { $0 = newValue } }
    }
  }

  private struct Ends {
    var ours: Int32
    var peer: Int32
    var copy: Int32

    init(_ type: __socket_type = SOCK_STREAM) throws {
      var ends: [Int32] = [-1, -1]
      let flags = Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      guard socketpair(AF_UNIX, flags, 0, &ends) == 0 else { throw ListeningPeer.Failure("socketpair") }
      (ours, peer) = (ends[0], ends[1])
      copy = fcntl(ours, F_DUPFD_CLOEXEC, 0)
    }

    /// What a read at the peer's end gives: bytes, 0 when the connection has ended, -1 when there is nothing.
    func read() -> Int {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      return Glibc.read(peer, &buffer, buffer.count)
    }

    func close() {
      Glibc.close(peer)
      Glibc.close(copy)
    }
  }

  private func link(_ ends: Ends, _ space: Space = Space()) -> DescriptorLink {
    DescriptorLink(
      descriptor: ends.ours, kind: .rfcomm, target: "00:11:22:33:44:55", clock: clock,
      outgoing: { _ in space.value })
  }

  @Test("flushing ends when as much is free as on an idle link")
  func flush() async throws {
    let (ends, space) = (try Ends(), Space())
    defer { ends.close() }
    let link = link(ends, space)
    #expect(link.hasBackChannel)
    try await link.flush(by: soon)
    try await link.send([1, 2, 3], by: soon)
    space.value = 50_000
    let deadline = soon
    let flushing = Task { try await link.flush(by: deadline) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(100))
    await clock.sleepers(atLeast: 1)
    space.value = 50_800
    clock.advance(by: .milliseconds(100))
    try await flushing.value
    await link.close()
  }

  @Test("a stalled printer holds a flush until its deadline")
  func stalled() async throws {
    let (ends, space) = (try Ends(), Space())
    defer { ends.close() }
    let link = link(ends, space)
    space.value = 0
    let deadline = soon
    let flushing = Task { try await link.flush(by: deadline) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    let result = await flushing.result
    let error = #expect(throws: LinkError.self) { try result.get() }
    #expect(error?.code == .deadline)
    space.value = 50_800
    await link.close()
  }

  @Test("a queue that is empty because the printer has gone is no success")
  func emptiedByLoss() async throws {
    let ends = try Ends()
    let link = link(ends)
    try await link.send([1, 2, 3], by: soon)
    ends.close()
    let error = await #expect(throws: LinkError.self) { try await link.flush(by: soon) }
    #expect(error?.code == .lost)
    await link.close()
  }

  /// A datagram socket that is shut says "try again" to every read and is ready for ever, as an RFCOMM socket does
  /// whose error was told to someone else.
  @Test("a hang-up without an error ends waiting, in both directions")
  func silentHangUp() async throws {
    let ends = try Ends(SOCK_DGRAM)
    defer { ends.close() }
    let link = link(ends)
    shutdown(ends.copy, Int32(SHUT_RDWR))
    let heard = await #expect(throws: LinkError.self) { try await link.receive(by: soon) }
    #expect(heard?.code == .lost)
    let sent = await #expect(throws: LinkError.self) { try await link.send([1], by: soon) }
    #expect(sent?.code == .lost)
    await link.close()
  }

  @Test("what came before a hang-up is still read")
  func lastWords() async throws {
    let ends = try Ends()
    let link = link(ends)
    #expect(write(ends.peer, [0x12], 1) == 1)
    ends.close()
    #expect(try await link.receive(by: soon) == [0x12])
    let error = await #expect(throws: LinkError.self) { try await link.receive(by: soon) }
    #expect(error?.code == .lost)
    await link.close()
  }

  @Test("closing waits for the queue, then ends the connection for the other owner too")
  func close() async throws {
    let (ends, space) = (try Ends(), Space())
    defer { ends.close() }
    let link = link(ends, space)
    try await link.send([1, 2, 3], by: soon)
    space.value = 50_797
    let closing = Task { await link.close() }
    await clock.sleepers(atLeast: 1)
    #expect(ends.read() == 3)
    #expect(ends.read() == -1)
    space.value = 50_800
    clock.advance(by: .milliseconds(20))
    await closing.value
    #expect(ends.read() == 0)
  }

  @Test("closing does not wait for a printer that takes nothing for longer than its time")
  func closeStalled() async throws {
    let (ends, space) = (try Ends(), Space())
    defer { ends.close() }
    let link = link(ends, space)
    space.value = 0
    let closing = Task { await link.close() }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: DescriptorLink.closingTime)
    await closing.value
    #expect(ends.read() == 0)
  }

  @Test("a printer that takes nothing stops the sender, and loses nothing")
  func backPressure() async throws {
    let ends = try Ends()
    defer { ends.close() }
    let link = link(ends)
    let job = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let deadline = soon
    let sending = Task { try await link.send(job[...], by: deadline) }
    await clock.sleepers(atLeast: 1)
    #expect(link.bytesAccepted < job.count)
    var paper: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while paper.count < job.count {
      let count = Glibc.read(ends.peer, &buffer, buffer.count)
      if count > 0 { paper += buffer.prefix(count) } else { await Task.yield() }
    }
    try await sending.value
    #expect(paper == job)
    #expect(link.bytesAccepted == job.count)
    await link.close()
  }
}
