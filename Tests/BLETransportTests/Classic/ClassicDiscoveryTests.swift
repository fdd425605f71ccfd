import ESCPOS
import Glibc
import PrintTestKit
import PrinterLinks
import Testing
import Threads

@testable import BLETransport

/// libbluetooth's SDP over a pair of local sockets that keep packets apart, as L2CAP does; the server's packets of
/// `Fixtures/sdp/conversations.txt` lie there before it is asked.
@Suite("Asking an SDP server", .timeLimit(.minutes(1)))
struct ClassicDiscoveryTests {
  private let clock = ManualClock()
  private var soon: BootInstant { clock.now.advanced(by: .seconds(2)) }

  /// A session, and the other end of its socket.
  private final class Server {
    let session: SDPSession
    let descriptor: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
      descriptor = ends[1]
      session = try #require(SDPSession(descriptor: ends[0]))
    }

    deinit { close(descriptor) }

    func send(_ packet: [UInt8]) { #expect(write(descriptor, packet, packet.count) == packet.count) }

    func receive() -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 1_024)
      let count = read(descriptor, &buffer, buffer.count)
      return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  private func ask(_ server: Server, by deadline: BootInstant) async -> String {
    do {
      let channels = try await ServiceDiscovery.serialPortChannels(
        asking: server.session, by: deadline, clock: clock)
      return (["channels"] + channels.map(String.init)).joined(separator: " ")
    } catch {
      switch error {
      case .system(let error): return "error \(error.number)"
      case .malformed(let fault): return "fault \(fault.offset)"
      case .deadline: return "deadline"
      case .cancelled: return "cancelled"
      }
    }
  }

  @Test("ends in channels, an error or a fault", arguments: try SDPConversation.all.get())
  func conversation(_ conversation: SDPConversation) async throws {
    let server = try Server()
    for packet in conversation.packets { server.send(packet) }
    let outcome = await ask(server, by: soon)
    #expect(outcome == conversation.expected)
  }

  @Test("asks for all attributes of serial ports, and for the rest by the server's own continuation")
  func requests() async throws {
    let server = try Server()
    let conversation = try #require(try SDPConversation.all.get().first { $0.name == "three packets" })
    for packet in conversation.packets { server.send(packet) }
    _ = await ask(server, by: soon)
    // PDU 06, transaction, length; the pattern: Serial Port; as many bytes as there are; the range of all attributes.
    let question: [UInt8] = [0x35, 0x03, 0x19, 0x11, 0x01, 0xFF, 0xFF, 0x35, 0x05, 0x0A, 0, 0, 0xFF, 0xFF]
    #expect(server.receive() == [0x06, 0, 0, 0, 15] + question + [0])
    #expect(server.receive() == [0x06, 0, 1, 0, 17] + question + [2, 0x11, 0x22])
    #expect(server.receive() == [0x06, 0, 2, 0, 16] + question + [1, 0x33])
    #expect(server.receive() == nil)
  }

  @Test("ends at the deadline when nothing comes, and when it is called off")
  func silence() async throws {
    let server = try Server()
    let deadline = soon
    async let late = ask(server, by: deadline)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    #expect(await late == "deadline")
    let asking = Task { await ask(try Server(), by: clock.now.advanced(by: .seconds(2))) }
    await clock.sleepers(atLeast: 1)
    asking.cancel()
    #expect(try await asking.value == "cancelled")
  }

  @Test("ends when the server hangs up")
  func hangUp() async throws {
    let server = try Server()
    server.hangUp()
    let outcome = await ask(server, by: soon)
    #expect(outcome == "error \(EPIPE)")
  }

  @Test("has enough after some packets of an answer that never ends")
  func endless() async throws {
    let server = try Server()
    for transaction in 0..<UInt8(ServiceDiscovery.mostPackets) {
      server.send([0x07, 0, transaction, 0, 6, 0, 2, 0x35, 0x00, 1, 0xAA])
    }
    #expect(await ask(server, by: soon) == "fault 0")
  }

  @Test("hangs up when it is called off, so that the printer's one server is free")
  func calledOff() async throws {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    let (ours, theirs) = (ends[0], ends[1])
    defer { close(theirs) }
    /// What the other end reads, if anything comes in the time; -1 when nothing does.
    func read(within milliseconds: Int32) async -> Int {
      await WorkThreads().run {
        var ready = pollfd(fd: theirs, events: Int16(POLLIN), revents: 0)
        var buffer = [UInt8](repeating: 0, count: 1_024)
        guard poll(&ready, 1, milliseconds) == 1 else { return -1 }
        return Glibc.read(theirs, &buffer, buffer.count)
      }
    }
    // Of its own: whoever waits for another socket makes the thread let go of this one, too.
    let poller = Poller()
    let asking = Task { [clock] in
      let session = try #require(SDPSession(descriptor: ours))
      return try await ServiceDiscovery.serialPortChannels(
        asking: session, by: BootInstant(nanoseconds: .max), clock: clock, poller: poller)
    }
    #expect(await read(within: 20_000) > 0, "the question")
    // One that can be read already is on the thread's list behind the question's, and then it watches both again.
    let other = try Server()
    other.send([0])
    for _ in 0..<2 {
      _ = await poller.wait(for: .reading, of: other.session.descriptor, by: soon, clock: clock)
    }
    asking.cancel()
    await #expect(throws: ClassicFault.cancelled) { try await asking.value }
    #expect(await read(within: 0) == 0, "the end")
  }

  @Test(
    "fails at once for an address that is none",
    arguments: ["", "00:11:22:33:44", "00:00:00:00:00:00", "FF:FF:FF:00:00:00"])
  func noAddress(_ address: String) async {
    await #expect(throws: ClassicFault.system(SystemError(number: EINVAL))) {
      try await ServiceDiscovery.serialPortChannels(of: address, by: soon, clock: clock)
    }
  }
}

/// A case of `Fixtures/sdp/conversations.txt`.
struct SDPConversation: CustomTestStringConvertible, Sendable {
  var name: String
  var expected: String
  var packets: [[UInt8]]
  var testDescription: String { name }

  static let all = Result { try read() }

  private static func read() throws -> [SDPConversation] {
    var all: [SDPConversation] = []
    let text = String(decoding: try Fixtures.bytes("sdp/conversations.txt"), as: UTF8.self)
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("=") {
        let parts = line.dropFirst(2).split(separator: ":")
        let expected = String(try #require(parts.last).dropFirst())
        all.append(SDPConversation(name: String(parts[0]), expected: expected, packets: []))
        continue
      }
      let bytes = try line.prefix { $0 != ";" }.split(separator: " ").map {
        try #require(UInt8($0, radix: 16))
      }
      if line.hasPrefix(" ") {
        let last = all[all.count - 1].packets.count - 1
        all[all.count - 1].packets[last] += bytes
      } else {
        all[all.count - 1].packets.append(bytes)
      }
    }
    return all
  }
}
