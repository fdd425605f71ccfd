import DBus
import ESCPOS
import FakeBlueZ
import Synchronization
import Testing

@testable import BLETransport

private typealias ConnectingScene = Scene

@Suite("Pairing with what the real bluetoothd cannot be told to do", .serialized, .timeLimit(.minutes(2)))
struct PairingTests {
  /// A fake bluetoothd with one printer, our side of it, and what is told.
  struct Scene {
    let fake: FakeBlueZ
    let device: FakeDevice
    let bluez: BlueZ
    let events: Events

    init(_ pairing: FakeDevice.Pairing, properties: [String: DBusValue] = [:]) async throws {
      fake = try await FakeBlueZ()
      device = fake.addAdapter().addDevice("00:AA:01:03:00:42", properties: properties)
      device.script { $0.pairing = pairing }
      // On a machine with much to do a new bus takes longer than anybody who prints would wait.
      bluez = BlueZ(address: fake.address, clock: BootClock(), patience: .seconds(60))
      events = Events()
      try await bluez.ready(by: soon)
    }

    func pair(_ pins: PairingPINs) async throws(LinkError) -> PairingOutcome {
      try await bluez.pair(device.path, pins: pins, by: soon) { [events] in events.note($0) }
    }

    var soon: BootInstant { BootClock().now.advanced(by: .seconds(60)) }
    var trusted: Bool { device.value("Trusted")?.boolean == true }
  }

  /// What was told, in order.
  final class Events: Sendable {
    private let all = Mutex<[PairingEvent]>([])
    func note(_ event: PairingEvent) { all.withLock { $0.append(event) } }
    var refused: Int {
      all.withLock { $0.count { if case .pinRefused = $0 { true } else { false } } }
    }
  }

  @Test("A printer that asks nothing is paired, trusted, and the agent is gone afterwards")
  func justWorks() async throws {
    let scene = try await Scene(.justWorks)
    #expect(try await scene.pair(PairingPINs(configured: nil)) == .bonded)
    #expect(scene.trusted)
    let members = scene.fake.calls.map(\.member)
    let order = ["RegisterAgent", "RequestDefaultAgent", "Pair", "UnregisterAgent"]
    #expect(members.filter(order.contains) == order)
    let capability = scene.fake.calls(of: "RegisterAgent").first?.arguments.last?.string
    #expect(capability == "NoInputNoOutput")
  }

  @Test("A number to confirm is confirmed")
  func confirmation() async throws {
    let scene = try await Scene(.confirmation(123_456))
    #expect(try await scene.pair(PairingPINs(configured: nil)) == .bonded)
  }

  @Test("The PINs are tried one in each attempt: the configured one, then the usual ones")
  func pins() async throws {
    let scene = try await Scene(.pin("1234"))
    #expect(try await scene.pair(PairingPINs(configured: "4711")) == .bonded)
    #expect(scene.events.refused == 2)
    #expect(scene.fake.calls(of: "Pair").count == 3)
  }

  @Test("A PIN that nobody has named is no bond, and the printer is not trusted")
  func wrongPIN() async throws {
    let scene = try await Scene(.pin("4711"))
    #expect(try await scene.pair(PairingPINs(only: "9999")) == .wrongPIN)
    #expect(!scene.trusted)
    #expect(scene.fake.calls(of: "UnregisterAgent").count == 1)
    // The right one, typed then, is taken.
    #expect(try await scene.pair(PairingPINs(only: "4711")) == .bonded)
  }

  @Test("bluetoothd that says it has paired, and has not, is asked once more, and then believed no longer")
  func unkept() async throws {
    let scene = try await Scene(.quietlyFails)
    #expect(try await scene.pair(PairingPINs(configured: nil)) == .unkept)
    #expect(scene.fake.calls(of: "Pair").count == 2)
  }

  @Test("A printer that is paired already is not paired again")
  func already() async throws {
    let scene = try await Scene(.justWorks, properties: ["Paired": .boolean(true)])
    #expect(try await scene.pair(PairingPINs(configured: nil)) == .alreadyBonded)
    #expect(scene.fake.calls(of: "Pair").isEmpty)
    #expect(scene.trusted)
  }

  @Test(
    "What bluetoothd fails with is sorted into what to do",
    arguments: [
      ("ConnectionAttemptFailed", "Page Timeout", LinkError.Code.unreachable, 3),
      ("AuthenticationFailed", "Authentication Failed", .refused, 1),
      ("AuthenticationTimeout", "Authentication Timeout", .refused, 1),
      ("AuthenticationCanceled", "Authentication Canceled", .refused, 1),
      ("InProgress", "In Progress", .busy, 3), ("NotReady", "Resource Not Ready", .unreachable, 1),
    ])
  func failures(name: String, words: String, code: LinkError.Code, attempts: Int) async throws {
    let scene = try await Scene(.fails(DBusError(.remote("org.bluez.Error.\(name)"), words)))
    await #expect {
      _ = try await scene.pair(PairingPINs(configured: nil))
    } throws: { error in
      (error as? LinkError)?.code == code
    }
    #expect(scene.fake.calls(of: "Pair").count == attempts)
    #expect(scene.fake.calls(of: "UnregisterAgent").count == 1)
    #expect(!scene.trusted)
  }

  @Test("A pairing that is called off is called off at bluetoothd, too, and the agent is gone")
  func cancelled() async throws {
    let scene = try await Scene(.waits)
    let pairing = Task { try await scene.pair(PairingPINs(configured: nil)) }
    await scene.fake.called("Pair")
    pairing.cancel()
    await #expect {
      _ = try await pairing.value
    } throws: { error in
      (error as? LinkError)?.code == .cancelled
    }
    #expect(scene.fake.calls(of: "CancelPairing").count == 1)
    #expect(scene.fake.calls(of: "UnregisterAgent").count == 1)
    #expect(!scene.trusted)
  }

  @Test("A pairing on LE that comes to nothing leaves no connection behind", arguments: [true, false])
  func leavesNoConnection(isCancelled: Bool) async throws {
    let random: [String: DBusValue] = ["AddressType": .string("random")]
    let refusal = DBusError.bluez("AuthenticationFailed", "Authentication Failed")
    let scene = try await Scene(isCancelled ? .waits : .fails(refusal), properties: random)
    scene.device.script { $0.pairingConnects = true }
    let pairing = Task { try await scene.pair(PairingPINs(configured: nil)) }
    await scene.fake.called("Pair")
    if isCancelled { pairing.cancel() }
    await #expect {
      _ = try await pairing.value
    } throws: { error in
      (error as? LinkError)?.code == (isCancelled ? .cancelled : .refused)
    }
    await scene.bluez.stop(by: scene.soon)
    #expect(!scene.device.isConnected)
  }

  @Test("A pairing on LE waits for the end of our own connection, which would end under it")
  func waitsForParting() async throws {
    let scene = try await ConnectingScene()
    let link = try await scene.open()
    // The last bytes are let out before the printer is disconnected.
    try await link.send(pattern(600)[...], by: scene.soon)
    try scene.characteristic("2a00").script { $0.readWaits = true }
    try await link.send([1], by: scene.soon)
    await link.close()
    let outcome = try await scene.bluez.pair(
      scene.device.path, pins: PairingPINs(configured: nil), by: scene.soon)
    #expect(outcome == .bonded)
    let order = ["Disconnect", "Pair"]
    #expect(scene.fake.calls.map(\.member).filter(order.contains).prefix(2) == order[...])
    await scene.bluez.stop(by: scene.soon)
  }

  @Test("A stranger on the bus gets no PIN out of the agent")
  func strangers() async throws {
    let scene = try await Scene(.justWorks)
    try await scene.bluez.ready(by: scene.soon)
    let consent = try await scene.bluez.consent(to: scene.device.path, by: scene.soon)
    let ours = try await scene.bluez.connection(by: scene.soon).uniqueName
    consent.agent.begin(pin: "4711")
    let stranger = try await DBusConnection.connect(
      to: scene.fake.address, clock: BootClock(), by: scene.soon)
    for member in ["RequestPinCode", "RequestAuthorization", "Cancel"] {
      let call = DBusCall(
        destination: ours, path: "/org/printd/agent", interface: "org.bluez.Agent1", member: member,
        arguments: member == "Cancel" ? [] : [.objectPath(scene.device.path)])
      let soon = scene.soon
      await #expect {
        _ = try await stranger.call(call, by: soon)
      } throws: { error in
        (error as? DBusError)?.name == "org.bluez.Error.Rejected"
      }
    }
    #expect(consent.agent.questions.isEmpty)
    await consent.end()
    await stranger.close()
  }

  @Test("Forgetting takes the device out of bluetoothd, and is no fault when it is not there")
  func forget() async throws {
    let scene = try await Scene(.justWorks, properties: ["Paired": .boolean(true)])
    let address = try #require(BluetoothAddress("00:AA:01:03:00:42"))
    try await scene.bluez.ready(by: scene.soon)
    let adapter = try #require(await scene.bluez.tree.adapters.values.first)
    let seen = await scene.bluez.sightings(on: adapter)
    #expect(seen.map(\.address) == [address])
    #expect(try await scene.bluez.remove(address, by: scene.soon))
    #expect(!scene.fake.has(scene.device.path))
    #expect(try await scene.bluez.sightings(on: adapter, otherThan: seen, by: scene.soon).isEmpty)
    #expect(try await scene.bluez.remove(address, by: scene.soon) == false)
  }

  @Test("A paired printer that cannot be connected may have been reset, and the message says what mends that")
  func mayHaveBeenReset() async throws {
    let scene = try await Scene(.justWorks)
    scene.device.script { $0.connecting = [.flickers(.abortedByLocal)] }
    let printer = BluetoothPrinter(
      name: "belt", address: try #require(BluetoothAddress("00:AA:01:03:00:42")), bearer: .ble)
    let remedy = "if it was reset, run: printd printers pair 00:AA:01:03:00:42"
    for isPaired in [false, true] {
      scene.device.set(["Paired": .boolean(isPaired)])
      let error = await linkError { _ = try await scene.bluez.opener(for: printer).open(by: scene.soon) }
      #expect(error?.code == .unreachable && error?.asksForPairing == false)
      #expect(error?.message.contains(remedy) == isPaired, "\(String(describing: error))")
    }
  }
}
