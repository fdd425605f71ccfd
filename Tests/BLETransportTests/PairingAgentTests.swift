import DBus
import ESCPOS
import Testing

@testable import BLETransport

@Suite("The agent of a pairing")
struct PairingAgentTests {
  static let owner = ":1.5"
  static let device = "/org/bluez/hci0/dev_00_AA_01_03_00_42"
  static let other = "/org/bluez/hci0/dev_00_AA_01_03_00_43"

  static func call(
    _ member: String, _ arguments: [DBusValue] = [.objectPath(device)], from sender: String = owner
  ) -> DBusIncomingCall {
    DBusIncomingCall(
      sender: sender, path: "/org/printd/agent", interface: BlueZName.agent, member: member,
      arguments: arguments)
  }

  static func agent(pin: String? = "4711") -> PairingAgent {
    let agent = PairingAgent(device: device, owner: owner)
    agent.begin(pin: pin)
    return agent
  }

  static func refusal(_ agent: PairingAgent, _ call: DBusIncomingCall) async -> String? {
    do throws(DBusError) {
      _ = try await agent.answer(call)
      return nil
    } catch {
      return error.name
    }
  }

  @Test("It gives the attempt's PIN, and the next attempt's to the next")
  func pin() async throws {
    let agent = Self.agent()
    #expect(try await agent.answer(Self.call("RequestPinCode")) == [.string("4711")])
    #expect(agent.questions == [.pinCode])
    agent.begin(pin: "0000")
    #expect(agent.questions.isEmpty)
    #expect(try await agent.answer(Self.call("RequestPinCode")) == [.string("0000")])
  }

  @Test("It agrees to what needs no PIN, and hears when bluetoothd calls the attempt off")
  func consent() async throws {
    let agent = Self.agent(pin: nil)
    #expect(try await agent.answer(Self.call("RequestAuthorization")).isEmpty)
    let confirmation: [DBusValue] = [.objectPath(Self.device), .uint32(123_456)]
    #expect(try await agent.answer(Self.call("RequestConfirmation", confirmation)).isEmpty)
    #expect(try await agent.answer(Self.call("Cancel", [])).isEmpty)
    #expect(try await agent.answer(Self.call("Release", [])).isEmpty)
    #expect(agent.questions == [.consent, .consent, .cancelled])
    // Without a PIN there is nothing to answer.
    #expect(await Self.refusal(agent, Self.call("RequestPinCode")) == "org.bluez.Error.Rejected")
  }

  @Test("A PIN of digits answers for a passkey, any other does not")
  func passkey() async throws {
    #expect(try await Self.agent(pin: "0042").answer(Self.call("RequestPasskey")) == [.uint32(42)])
    #expect(await Self.refusal(Self.agent(pin: "42a"), Self.call("RequestPasskey")) != nil)
    #expect(await Self.refusal(Self.agent(pin: "1000000"), Self.call("RequestPasskey")) != nil)
  }

  static let questions: [(String, [DBusValue])] = [
    ("RequestPinCode", []), ("RequestPasskey", []), ("RequestAuthorization", []),
    ("RequestConfirmation", [.uint32(1)]),
    ("AuthorizeService", [.string(BluetoothUUID.serialPort.full)]), ("DisplayPinCode", [.string("1")]),
  ]

  @Test("A stranger is rejected, whatever he asks, and learns no PIN", arguments: questions.map(\.0))
  func strangers(member: String) async throws {
    let more = Self.questions.first { $0.0 == member }?.1 ?? []
    let agent = Self.agent()
    for call in [
      Self.call(member, [.objectPath(Self.device)] + more, from: ":1.66"),
      Self.call(member, [.objectPath(Self.other)] + more),
      Self.call(member, [.string(Self.device)] + more),
      Self.call(member, []),
    ] { #expect(await Self.refusal(agent, call) == "org.bluez.Error.Rejected") }
    #expect(agent.questions.isEmpty)
    #expect(agent.strangers == 4)
  }

  @Test("No other service than Serial Port is authorized")
  func services() async throws {
    let agent = Self.agent()
    func authorize(_ uuid: String) -> DBusIncomingCall {
      Self.call("AuthorizeService", [.objectPath(Self.device), .string(uuid)])
    }
    #expect(try await agent.answer(authorize(BluetoothUUID.serialPort.full)).isEmpty)
    // HID: a keyboard.
    #expect(await Self.refusal(agent, authorize("00001124-0000-1000-8000-00805f9b34fb")) != nil)
    #expect(await Self.refusal(agent, authorize("")) != nil)
  }

  @Test("A device that asks without end does not fill the memory")
  func manyQuestions() async throws {
    let agent = Self.agent()
    for _ in 0..<1000 { _ = try await agent.answer(Self.call("RequestAuthorization")) }
    #expect(agent.questions.count == 64)
  }

  @Test("The PINs: the configured one first, each once; a typed one alone")
  func pins() {
    #expect(PairingPINs(configured: nil).all == ["0000", "1234", "1111", "8888"])
    #expect(PairingPINs(configured: "1111").all == ["1111", "0000", "1234", "8888"])
    #expect(PairingPINs(only: "4711").all == ["4711"])
    #expect(PairingPINs.isValid("0000000000000000") && PairingPINs.isValid("a b"))
    for pin in ["", "00000000000000000", "12\n34", "ü"] { #expect(!PairingPINs.isValid(pin)) }
  }

  @Test("A missing pairing is told from the other refusals")
  func asksForPairing() throws {
    let printer = BluetoothPrinter(
      name: "counter", address: try #require(BluetoothAddress("00:AA:01:01:00:42")), bearer: .ble)
    func error(_ name: String, _ words: String) -> LinkError {
      let error = DBusError(.remote(name), words)
      return BlueZFault(error).linkError(printer, error)
    }
    #expect(error("org.bluez.Error.AuthenticationFailed", "Authentication Failed").asksForPairing)
    #expect(error("org.bluez.Error.Failed", "le-connection-key-missing").asksForPairing)
    #expect(!error("org.bluez.Error.Failed", "br-connection-page-timeout").asksForPairing)
    #expect(!error("org.freedesktop.DBus.Error.AccessDenied", "rejected send").asksForPairing)
    #expect(error("org.bluez.Error.NotAvailable", "br-connection-profile-unavailable").tellsOfClassic)
    #expect(!error("org.bluez.Error.Failed", "le-connection-abort-by-local").tellsOfClassic)
    #expect(!LinkError(.refused, "counter is a cat printer: it takes dots, not ESC/POS").asksForPairing)
  }
}
