import DBus
import ESCPOS
import Glibc
import PrintTestKit
import PrinterLinks
import Testing
import Threads

@testable import BLETransport

/// The order of channels and the patience with a last link, with answers given in place of a kernel and a printer.
@Suite("Connecting an RFCOMM socket", .timeLimit(.minutes(1)))
struct ClassicConnectorTests {
  private let clock = ManualClock()
  private let log = Locked<[String]>([])
  private var soon: BootInstant { clock.now.advanced(by: .seconds(10)) }

  /// - Parameters:
  ///   - channels: What each channel answers, in turn; the last answer stays. A channel that is not there refuses.
  ///   - records: What the SDP server answers.
  private func connector(
    _ channels: [UInt8: [Int32]], _ records: Result<[UInt8], ClassicFault>
  ) -> RFCOMMConnector {
    let left = Locked(channels)
    return RFCOMMConnector(
      clock: clock,
      connect: { [log] channel, _ in
        log.withLock { $0.append("\(channel)") }
        let answer = left.withLock { left -> Int32 in
          guard let answers = left[channel], let first = answers.first else { return ECONNREFUSED }
          if answers.count > 1 { left[channel] = Array(answers.dropFirst()) }
          return first
        }
        return answer == 0 ? .success(100 + Int32(channel)) : .failure(.system(SystemError(number: answer)))
      },
      discover: { [log] _ in
        log.withLock { $0.append("SDP") }
        return records
      })
  }

  private func outcome(_ connector: RFCOMMConnector, known: UInt8? = nil) async -> String {
    do throws(ClassicFault) {
      let connection = try await connector.connection(known, by: soon)
      #expect(connection.descriptor == 100 + Int32(connection.channel))
      return "channel \(connection.channel)"
    } catch {
      switch error {
      case .system(let error): return "error \(error.number)"
      case .deadline: return "deadline"
      case .cancelled: return "cancelled"
      case .malformed: return "malformed"
      }
    }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var known: UInt8?
    var channels: [UInt8: [Int32]]
    var records: Result<[UInt8], ClassicFault>
    var steps: [String]
    var outcome: String
  }

  private static func failed(_ number: Int32) -> Result<[UInt8], ClassicFault> {
    .failure(.system(SystemError(number: number)))
  }

  private static let broken = SDPElement.Malformed(offset: 0, fault: "")

  static let cases = [
    Case(
      testDescription: "the known channel needs no record", known: 6, channels: [6: [0]],
      records: .success([3]),
      steps: ["6"], outcome: "channel 6"),
    Case(
      testDescription: "a known channel that is refused is looked up anew", known: 6, channels: [3: [0]],
      records: .success([3]), steps: ["6", "SDP", "3"], outcome: "channel 3"),
    Case(
      testDescription: "the records' channels go in their order", channels: [9: [0]],
      records: .success([4, 9]),
      steps: ["SDP", "4", "9"], outcome: "channel 9"),
    Case(
      testDescription: "the usual channels follow wrong records", channels: [1: [0]], records: .success([4]),
      steps: ["SDP", "4", "1"], outcome: "channel 1"),
    Case(
      testDescription: "no records mean the usual channels", channels: [2: [0]], records: .success([]),
      steps: ["SDP", "1", "2"], outcome: "channel 2"),
    Case(
      testDescription: "records that cannot be read mean the usual channels", channels: [1: [0]],
      records: .failure(.malformed(broken)), steps: ["SDP", "1"], outcome: "channel 1"),
    Case(
      testDescription: "a server that refuses means the usual channels", channels: [3: [0]],
      records: failed(ECONNREFUSED), steps: ["SDP", "1", "2", "3"], outcome: "channel 3"),
    Case(
      testDescription: "a server that is silent means the usual channels", channels: [1: [0]],
      records: .failure(.deadline), steps: ["SDP", "1"], outcome: "channel 1"),
    Case(
      testDescription: "no channel is tried twice", known: 2, channels: [:], records: .success([2, 1]),
      steps: ["2", "SDP", "1", "3"], outcome: "error \(ECONNREFUSED)"),
    Case(
      testDescription: "a printer that is off ends it", known: 2, channels: [2: [EHOSTDOWN]],
      records: .success([1]),
      steps: ["2"], outcome: "error \(EHOSTDOWN)"),
    Case(
      testDescription: "a printer that is off for the server is off", channels: [1: [0]],
      records: failed(EHOSTDOWN),
      steps: ["SDP"], outcome: "error \(EHOSTDOWN)"),
    Case(
      testDescription: "a lost bond ends it", channels: [1: [EACCES]], records: .success([1]),
      steps: ["SDP", "1"],
      outcome: "error \(EACCES)"),
    Case(
      testDescription: "no Bluetooth ends it", known: 1, channels: [1: [EAFNOSUPPORT]], records: .success([]),
      steps: ["1"], outcome: "error \(EAFNOSUPPORT)"),
    Case(
      testDescription: "being called off ends it", channels: [1: [0]], records: .failure(.cancelled),
      steps: ["SDP"],
      outcome: "cancelled"),
  ]

  @Test("goes by what is known, by the records, by custom", arguments: cases)
  func channels(_ one: Case) async {
    let outcome = await outcome(connector(one.channels, one.records), known: one.known)
    #expect(outcome == one.outcome)
    #expect(log.withLock { $0 } == one.steps)
  }

  @Test("waits for a last link that is not down yet", arguments: [EBUSY, ECONNRESET, EALREADY])
  func lastLink(_ number: Int32) async throws {
    let connector = connector([1: [number, number, number, 0]], .success([]))
    async let outcome = outcome(connector, known: 1)
    for pause in RFCOMMConnector.pauses.prefix(3) {
      await clock.sleepers(atLeast: 1)
      clock.advance(by: pause)
    }
    #expect(await outcome == "channel 1")
    #expect(log.withLock { $0 } == ["1", "1", "1", "1"])
  }

  @Test("does not wait for it for ever, nor past the deadline")
  func lastLinkStays() async throws {
    let connector = connector([1: [EBUSY]], .success([]))
    async let first = outcome(connector, known: 1)
    for pause in RFCOMMConnector.pauses {
      await clock.sleepers(atLeast: 1)
      clock.advance(by: pause)
    }
    #expect(await first == "error \(EBUSY)")
    #expect(log.withLock { $0 }.count == RFCOMMConnector.pauses.count + 1)
    await #expect(throws: ClassicFault.system(SystemError(number: EBUSY))) {
      try await connector.connection(1, by: clock.now.advanced(by: .milliseconds(50)))
    }
  }

  @Test("ends at once when it is called off while waiting")
  func cancelled() async {
    let connector = connector([1: [EBUSY]], .success([]))
    let connecting = Task { await outcome(connector, known: 1) }
    await clock.sleepers(atLeast: 1)
    connecting.cancel()
    #expect(await connecting.value == "cancelled")
  }
}

@Suite("What a failed Classic connection means")
struct ClassicFaultTests {
  private let printer = BluetoothAddress("00:11:22:33:44:55").map {
    BluetoothPrinter(name: "kitchen", address: $0, bearer: .rfcomm)
  }

  @Test(
    "by the kernel's number: what to do, and the words for a person",
    arguments: [
      (EHOSTDOWN, LinkError.Code.unreachable, "off, asleep"), (ETIMEDOUT, .unreachable, "off, asleep"),
      (EHOSTUNREACH, .unreachable, "adapter"), (ENODEV, .unreachable, "adapter"),
      (ENETDOWN, .unreachable, "adapter"),
      (ECONNREFUSED, .busy, "another host"), (EBUSY, .busy, "last link"), (EALREADY, .busy, "last link"),
      (EMLINK, .busy, "last link"), (EACCES, .refused, "printd printers pair 00:11:22:33:44:55"),
      (EBADE, .refused, "printd printers pair 00:11:22:33:44:55"),
      (EAFNOSUPPORT, .refused, "RestrictAddressFamilies"), (EPROTONOSUPPORT, .refused, "rfcomm"),
      (ECONNABORTED, .unreachable, "cannot be connected"), (ENOMEM, .unreachable, "cannot be connected"),
    ])
  func numbers(_ number: Int32, _ code: LinkError.Code, _ words: String) throws {
    let error = ClassicFault.system(SystemError(number: number)).linkError(try #require(printer))
    #expect(error.code == code)
    #expect(error.message.contains("kitchen (00:11:22:33:44:55)"))
    #expect(error.message.contains(words))
  }

  @Test(
    "by bluetoothd's words: whether the socket is worth a try",
    arguments: [
      ("org.bluez.Error.NotAvailable", "br-connection-profile-unavailable", ClassicAnswer.trySocket),
      ("org.bluez.Error.NotAvailable", "Operation currently not available", .trySocket),
      ("org.bluez.Error.NotSupported", "Operation is not supported", .trySocket),
      ("org.bluez.Error.DoesNotExist", "Does Not Exist", .trySocket),
      ("org.bluez.Error.InvalidArguments", "Invalid arguments in method call", .trySocket),
      ("org.bluez.Error.Failed", "br-connection-profile-unavailable", .trySocket),
      ("org.bluez.Error.Failed", "br-connection-sdp-search", .trySocket),
      ("org.bluez.Error.Failed", "br-connection-not-supported", .trySocket),
      ("org.bluez.Error.Failed", "br-connection-create-socket", .trySocket),
      ("org.bluez.Error.Failed", "br-connection-unknown", .trySocket),
      ("org.freedesktop.DBus.Error.UnknownObject", "", .trySocket),
      ("org.bluez.Error.Failed", "br-connection-page-timeout", .fault(.away)),
      ("org.bluez.Error.Failed", "Host is down", .fault(.away)),
      ("org.bluez.Error.Failed", "br-connection-refused", .fault(.heldElsewhere)),
      ("org.bluez.Error.Failed", "br-connection-busy", .fault(.inProgress)),
      ("org.bluez.Error.InProgress", "", .fault(.inProgress)),
      ("org.bluez.Error.AlreadyConnected", "", .fault(.alreadyConnected)),
      ("org.bluez.Error.Failed", "br-connection-adapter-not-powered", .fault(.adapterOff)),
      ("org.bluez.Error.NotReady", "", .fault(.adapterOff)),
      ("org.bluez.Error.Failed", "br-connection-key-missing", .fault(.needsPairing)),
      ("org.bluez.Error.AuthenticationFailed", "", .fault(.needsPairing)),
    ])
  func answers(_ name: String, _ text: String, _ meaning: ClassicAnswer) {
    #expect(ClassicAnswer(DBusError(.remote(name), text)) == meaning)
  }

  @Test("giving up is no answer", arguments: [DBusError.Code.deadline, .cancelled])
  func abandoned(_ code: DBusError.Code) {
    #expect(ClassicAnswer(DBusError(code, "")) == .abandoned)
  }
}

@Suite("The rest between two Classic links", .timeLimit(.minutes(1)))
struct ClassicRestTests {
  private let clock = ManualClock()

  private func memory() -> SerialPortMemory { SerialPortMemory(bell: Bell(clock: clock), clock: clock) }

  private func printer() throws -> BluetoothPrinter {
    BluetoothPrinter(
      name: "kitchen", address: try #require(BluetoothAddress("00:11:22:33:44:55")), bearer: .rfcomm)
  }

  private func descriptors() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  @Test("is half a second from the end of the closing, and is the opener's, not the closer's")
  func rest() async throws {
    let (memory, printer) = (memory(), try printer())
    let (ours, peer) = try descriptors()
    defer { close(peer) }
    let link = RFCOMMLink(ours, .socket, to: printer, memory, clock: clock)
    try await memory.rest(printer, by: clock.now.advanced(by: .seconds(5)))
    await link.close()
    await link.close()
    let closed = clock.now
    #expect(memory[printer.address] == SerialPortMemory.Entry(closing: 0, closed: closed))
    let deadline = closed.advanced(by: .seconds(5))
    async let rested: Void = memory.rest(printer, by: deadline)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(500))
    try await rested
    #expect(memory.isTakingDown(printer.address))
    clock.advance(by: .seconds(45))
    #expect(!memory.isTakingDown(printer.address))
  }

  @Test("ends in an error where there is no time for it, and for the task that is called off")
  func impatient() async throws {
    let (memory, printer) = (memory(), try printer())
    memory.change(printer.address) { $0.closed = clock.now }
    let error = await #expect(throws: LinkError.self) {
      try await memory.rest(printer, by: clock.now.advanced(by: .milliseconds(400)))
    }
    #expect(error?.code == .deadline)
    memory.change(printer.address) { $0.closing = 1 }
    let deadline = clock.now.advanced(by: .seconds(2))
    let resting = Task { try await memory.rest(printer, by: deadline) }
    await clock.sleepers(atLeast: 1)
    resting.cancel()
    let called = await #expect(throws: LinkError.self) { try await resting.value }
    #expect(called?.code == .cancelled)
  }
}
