import ESCPOS
import Glibc
import PrintTestKit
import PrinterLinks
import Testing

@Suite("A link over TCP", .timeLimit(.minutes(1)))
struct TCPLinkTests {
  private let clock = BootClock()
  private var soon: BootInstant { clock.now.advanced(by: .seconds(30)) }

  private func connected(
    _ peer: ListeningPeer, host: String = "127.0.0.1", clock: any BootTimeClock = BootClock()
  ) async throws -> (any PrinterLink, ListeningPeer.Connection) {
    let link = try await TCPLinkOpener(host: host, port: peer.port, clock: clock)
      .open(by: clock.now.advanced(by: .seconds(30)))
    return (link, try await peer.accept())
  }

  private func pattern(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    // The period is a prime, so that a lost or repeated block of any usual size shows.
    let period = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    while bytes.count < count { bytes += period.prefix(count - bytes.count) }
    return bytes
  }

  @Test("a megabyte arrives whole, and every byte is counted", arguments: ["127.0.0.1", "localhost"])
  func megabyte(host: String) async throws {
    let peer = try ListeningPeer()
    let (link, connection) = try await connected(peer, host: host)
    let bytes = pattern(1_048_576)
    async let read = connection.read(bytes.count)
    try await link.send(bytes[...], by: soon)
    #expect(link.bytesAccepted == bytes.count)
    try await link.flush(by: soon)
    #expect(try await read.elementsEqual(bytes))
    await link.close()
  }

  @Test("a slice goes as the slice that it is")
  func slice() async throws {
    let peer = try ListeningPeer()
    let (link, connection) = try await connected(peer)
    try await link.send(pattern(100)[40..<60], by: soon)
    #expect(try await connection.read(20) == Array(pattern(100)[40..<60]))
    await link.close()
  }

  @Test("a printer that stops reading stops the sender; what was accepted is counted and arrives")
  func backPressure() async throws {
    let manual = ManualClock()
    let peer = try ListeningPeer(receiveBuffer: 4_096)
    let (link, connection) = try await connected(peer, clock: manual)
    let bytes = pattern(16_777_216)
    let deadline = manual.now.advanced(by: .seconds(5))
    let sending = Task { try await link.send(bytes[...], by: deadline) }
    await manual.sleepers(atLeast: 1)
    manual.advance(by: .seconds(5))
    let result = await sending.result
    let error = #expect(throws: LinkError.self) { try result.get() }
    #expect(error?.code == .deadline)
    let accepted = link.bytesAccepted
    #expect(accepted > 0 && accepted < bytes.count)
    async let read = connection.read()
    let closing = Task { await link.close() }
    #expect(try await read.elementsEqual(bytes.prefix(accepted)))
    manual.advance(by: .seconds(5))
    connection.shutSending()
    await closing.value
  }

  @Test("after the deadline the link is still good")
  func resume() async throws {
    let manual = ManualClock()
    let peer = try ListeningPeer(receiveBuffer: 4_096)
    let (link, connection) = try await connected(peer, clock: manual)
    let bytes = pattern(8_388_608)
    let deadline = manual.now.advanced(by: .seconds(5))
    let sending = Task { try await link.send(bytes[...], by: deadline) }
    await manual.sleepers(atLeast: 1)
    manual.advance(by: .seconds(5))
    _ = await sending.result
    async let read = connection.read(bytes.count)
    try await link.send(bytes.dropFirst(link.bytesAccepted), by: manual.now.advanced(by: .seconds(5)))
    #expect(try await read.elementsEqual(bytes))
    #expect(link.bytesAccepted == bytes.count)
  }

  @Test("a printer that goes away in mid-send is lost, and the process lives on")
  func reset() async throws {
    let peer = try ListeningPeer(receiveBuffer: 4_096)
    let (link, connection) = try await connected(peer)
    let bytes = pattern(16_777_216)
    connection.resetOnClose()
    let dropping = Task { [connection] in
      _ = try await connection.read(1_000)
    }
    let deadline = soon
    let sending = Task { try await link.send(bytes[...], by: deadline) }
    try await dropping.value
    _ = consume connection
    let result = await sending.result
    let error = #expect(throws: LinkError.self) { try result.get() }
    #expect(error?.code == .lost)
    #expect(link.bytesAccepted >= 1_000)
    let again = await #expect(throws: LinkError.self) { try await link.send([1], by: soon) }
    #expect(again?.code == .lost)
    let hearing = await #expect(throws: LinkError.self) { try await link.receive(by: soon) }
    #expect(hearing?.code == .lost)
    await link.close()
  }

  @Test("an answer that is late is not lost")
  func lateAnswer() async throws {
    let manual = ManualClock()
    let peer = try ListeningPeer()
    let (link, connection) = try await connected(peer, clock: manual)
    let deadline = manual.now.advanced(by: .seconds(1))
    let hearing = Task { try await link.receive(by: deadline) }
    await manual.sleepers(atLeast: 1)
    manual.advance(by: .seconds(1))
    let result = await hearing.result
    let error = #expect(throws: LinkError.self) { try result.get() }
    #expect(error?.code == .deadline)
    connection.write([0x16])
    #expect(try await link.receive(by: manual.now.advanced(by: .seconds(1))) == [0x16])
  }

  @Test("a printer that shuts its sending side still prints")
  func halfClose() async throws {
    let peer = try ListeningPeer()
    let (link, connection) = try await connected(peer)
    connection.shutSending()
    let error = await #expect(throws: LinkError.self) { try await link.receive(by: soon) }
    #expect(error?.code == .lost)
    try await link.send(pattern(5_000)[...], by: soon)
    try await link.flush(by: soon)
    await link.close()
    #expect(try await connection.read() == pattern(5_000))
  }

  @Test("closing with unread answers does not cut the end of the receipt off")
  func closeDrains() async throws {
    let peer = try ListeningPeer(receiveBuffer: 4_096)
    let (link, connection) = try await connected(peer)
    connection.write([UInt8](repeating: 0x12, count: 1_000))
    let bytes = pattern(60_000)
    async let read = connection.read()
    try await link.send(bytes[...], by: soon)
    await link.close()
    #expect(try await read.elementsEqual(bytes))
    await link.close()
    let error = await #expect(throws: LinkError.self) { try await link.send([1], by: soon) }
    #expect(error?.code == .lost)
  }

  @Test("a cancelled call ends at once; the link stays good")
  func cancel() async throws {
    let manual = ManualClock()
    let peer = try ListeningPeer()
    let (link, connection) = try await connected(peer, clock: manual)
    let deadline = manual.now.advanced(by: .seconds(1))
    let hearing = Task { try await link.receive(by: deadline) }
    await manual.sleepers(atLeast: 1)
    hearing.cancel()
    let result = await hearing.result
    let error = #expect(throws: LinkError.self) { try result.get() }
    #expect(error?.code == .cancelled)
    connection.write([0x12])
    #expect(try await link.receive(by: deadline) == [0x12])
  }

  @Test("closing ends whoever waits on the link")
  func closeWhileReading() async throws {
    let manual = ManualClock()
    let peer = try ListeningPeer()
    let (link, connection) = try await connected(peer, clock: manual)
    let deadline = manual.now.advanced(by: .seconds(1))
    let hearing = Task { try await link.receive(by: deadline) }
    await manual.sleepers(atLeast: 1)
    connection.shutSending()
    await link.close()
    let result = await hearing.result
    let error = #expect(throws: LinkError.self) { try result.get() }
    #expect(error?.code == .lost)
  }

  @Test("a port that nobody listens on is unreachable")
  func refusedPort() async throws {
    let port = try ListeningPeer().port
    let error = await #expect(throws: LinkError.self) {
      try await TCPLinkOpener(host: "127.0.0.1", port: port, clock: clock).open(by: soon)
    }
    #expect(error?.code == .unreachable)
    #expect(error?.message.contains("127.0.0.1:\(port)") == true)
  }

  @Test("a host that is not an address and has no name server entry is unreachable")
  func unknownHost() async throws {
    let error = await #expect(throws: LinkError.self) {
      try await TCPLinkOpener(host: "no-such-printer.invalid", clock: clock).open(by: soon)
    }
    #expect(error?.code == .unreachable)
  }

  @Test(
    "a host that does not answer costs the time given, or until it is called off", arguments: [false, true])
  func noAnswer(cancelled: Bool) async throws {
    let manual = ManualClock()
    let peer = try ListeningPeer(backlog: 0)
    let waiting = peer.fill()
    defer { for descriptor in waiting { close(descriptor) } }
    let deadline = manual.now.advanced(by: .seconds(1))
    let opener = TCPLinkOpener(host: "127.0.0.1", port: peer.port, clock: manual)
    let opening = Task { try await opener.open(by: deadline) }
    await manual.sleepers(atLeast: 1)
    if cancelled { opening.cancel() } else { manual.advance(by: .seconds(1)) }
    let result = await opening.result
    let error = #expect(throws: LinkError.self) { _ = try result.get() }
    #expect(error?.code == (cancelled ? .cancelled : .deadline))
  }

  @Test("a whole conversation goes over a real socket")
  func conversation() async throws {
    let peer = try ListeningPeer()
    // The clock stands still: no answer can be late.
    let clock = ManualClock()
    let soon = clock.now.advanced(by: .seconds(30))
    let (link, connection) = try await connected(peer, clock: clock)
    let printer = Task {
      _ = try await connection.read(12)
      connection.write([0x16, 0x12])
      connection.write([0x12, 0x1E])
    }
    let conversation = PrinterConversation(link: link, profile: try .onlyRealTime, clock: clock)
    var expected = PrinterStatus()
    (expected.online, expected.coverOpen, expected.error, expected.paper) = (true, false, false, .nearEnd)
    #expect(try await conversation.gate(by: soon) == .ready(expected))
    try await printer.value
    await conversation.end()
    let closing = Task { await link.close() }
    _ = try await connection.read()
    connection.shutSending()
    await closing.value
  }
}
