import DBus
import ESCPOS
import FakeBlueZ
import Glibc
import PrintTestKit
import Testing

@Suite("The fake's adapters and devices")
struct FakeDeviceTests {
  @Test("the tree is read whole, and changes are told in order")
  func tree() async throws {
    let fake = try await FakeBlueZ()
    let adapter = fake.addAdapter()
    let device = adapter.addDevice("00:11:22:33:44:55", services: [.print])
    let client = try await Client(fake)
    let objects = try await client.connection.call(
      DBusCall(
        destination: "org.bluez", path: "/", interface: DBusName.objectManager, member: "GetManagedObjects"),
      by: soon)
    let tree = try #require(objects.first?.objectDictionary)
    #expect(Set(tree.keys) == [adapter.path, device.path])
    #expect(
      tree[device.path]?.variantDictionary?["org.bluez.Device1"]?.variantDictionary?["Connected"]
        == .boolean(false))
    #expect(try await client.call(device.path, "Device1", "Connect") == [])
    device.hideServices()
    device.appear(rssi: -70)
    device.vanish()
    #expect(
      await client.events() == [
        "dev_00_11_22_33_44_55 Connected=true", "+service0010", "+char0011", "+char0012",
        "dev_00_11_22_33_44_55 ServicesResolved=true", "-char0012", "-char0011", "-service0010",
        "dev_00_11_22_33_44_55 RSSI=-70", "dev_00_11_22_33_44_55 ServicesResolved=false",
        "dev_00_11_22_33_44_55 Connected=false", "-dev_00_11_22_33_44_55",
      ])
  }

  @Test("connecting goes wrong in every way that it can")
  func connecting() async throws {
    let fake = try await FakeBlueZ()
    let adapter = fake.addAdapter()
    let device = adapter.addDevice("00:11:22:33:44:55", services: [.print])
    let client = try await Client(fake)
    device.script {
      $0.connecting = [.fails(.abortedByLocal), .dropsAtOnce, .flickers(.abortedByLocal), .waits]
    }
    #expect(await client.error(device.path, "Device1", "Connect") == "Failed: le-connection-abort-by-local")
    #expect(await client.error(device.path, "Device1", "Connect") == nil)
    #expect(!device.isConnected)
    #expect(await client.error(device.path, "Device1", "Connect") == "Failed: le-connection-abort-by-local")
    let call = DBusCall(
      destination: "org.bluez", path: device.path, interface: "org.bluez.Device1", member: "Connect")
    let pending = try client.connection.begin(call, by: soon)
    #expect(
      await client.error(device.path, "Device1", "Connect") == "InProgress: Operation already in progress")
    #expect(await client.error(device.path, "Device1", "Disconnect") == nil)
    #expect(await failure(pending) == "org.bluez.Error.Failed: br-connection-canceled")
    adapter.setPowered(false)
    #expect(await client.error(device.path, "Device1", "Connect") == "NotReady: Resource Not Ready")
    adapter.setPowered(true)
    let last = try client.connection.begin(call, by: soon)
    await fake.called("Connect", times: 7)
    device.answerConnect(.succeeds)
    #expect(await failure(last) == nil)
    #expect(device.isConnected)
  }

  @Test("services come late, never, or after the word that they are there")
  func resolving() async throws {
    let fake = try await FakeBlueZ()
    let device = fake.addAdapter().addDevice("00:11:22:33:44:55", services: [.print])
    let client = try await Client(fake)
    let path = try #require(device.characteristics.first?.path)
    device.script {
      $0.resolving = .waits
      $0.forgetsServices = true
    }
    _ = try await client.call(device.path, "Device1", "Connect")
    #expect(device.value("ServicesResolved")?.boolean == false)
    #expect(!fake.has(path))
    device.resolve()
    #expect(fake.has(path))
    device.drop()
    #expect(!fake.has(path))
    device.script { $0.resolving = .beforeObjects }
    _ = try await client.call(device.path, "Device1", "Connect")
    #expect(device.value("ServicesResolved")?.boolean == true)
    #expect(!fake.has(path))
    device.showServices()
    #expect(fake.has(path))
  }

  @Test("bluetoothd goes and comes back, and has forgotten who registered with it")
  func restart() async throws {
    let fake = try await FakeBlueZ()
    let adapter = fake.addAdapter()
    let device = adapter.addDevice("00:11:22:33:44:55", services: [.print])
    let client = try await Client(fake)
    let owners = try await client.connection.signals(.ownerChanges(of: "org.bluez"), by: soon)
    _ = try await client.call(device.path, "Device1", "Connect")
    _ = try await client.call("/org/bluez", "AgentManager1", "RegisterAgent", .objectPath("/a"), .string(""))
    #expect(
      await client.error("/org/bluez", "AgentManager1", "RegisterAgent", .objectPath("/a"), .string(""))
        == "AlreadyExists: Already Exists")
    await fake.leave()
    #expect(try await owners.next()?.arguments.last?.string == "")
    #expect(await client.error(device.path, "Device1", "Connect")?.hasPrefix("NameHasNoOwner") == true)
    try await fake.come()
    #expect(try await owners.next()?.arguments.last?.string?.hasPrefix(":") == true)
    #expect(device.value("Connected")?.boolean == false)
    #expect(
      await client.error("/org/bluez", "AgentManager1", "RegisterAgent", .objectPath("/a"), .string(""))
        == nil)
    #expect(await client.error(device.path, "Device1", "Connect") == nil)
  }

  @Test("the adapter scans, is switched off, pulled out and put back")
  func adapter() async throws {
    let fake = try await FakeBlueZ()
    let adapter = fake.addAdapter()
    let device = adapter.addDevice("00:11:22:33:44:55")
    let client = try await Client(fake)
    #expect(await client.error(adapter.path, "Adapter1", "StartDiscovery") == nil)
    #expect(adapter.isDiscovering)
    #expect(await client.error(adapter.path, "Adapter1", "StopDiscovery") == nil)
    #expect(await client.error(adapter.path, "Adapter1", "StopDiscovery") == "Failed: No discovery started")
    adapter.script { $0.startDiscovery = .bluez("InProgress", "Operation already in progress") }
    #expect(
      await client.error(adapter.path, "Adapter1", "StartDiscovery")
        == "InProgress: Operation already in progress")
    func power(_ isOn: Bool) async -> String? {
      do throws(DBusError) {
        _ = try await client.connection.call(
          DBusCall(
            destination: "org.bluez", path: adapter.path, interface: DBusName.properties, member: "Set",
            arguments: [.string("org.bluez.Adapter1"), .string("Powered"), .variant(.boolean(isOn))]),
          by: soon)
        return nil
      } catch {
        return error.name
      }
    }
    _ = try await client.call(device.path, "Device1", "Connect")
    #expect(await power(false) == nil)
    #expect(!adapter.isPowered)
    #expect(!device.isConnected)
    adapter.script { $0.power = .bluez("Blocked", "Blocked through rfkill") }
    #expect(await power(true) == "org.bluez.Error.Blocked")
    adapter.unplug()
    #expect(!fake.has(device.path))
    adapter.plugIn()
    device.appear()
    #expect(fake.has(device.path))
    #expect(await client.error(adapter.path, "Adapter1", "RemoveDevice", .objectPath(device.path)) == nil)
    #expect(!fake.has(device.path))
  }

  /// An agent and a profile of the test's.
  private struct Registered: DBusObject {
    let pin: String?
    let channel: AsyncStream<DBusDescriptor>.Continuation

    func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
      switch call.member {
      case "RequestPinCode":
        guard let pin else { throw .bluez("Rejected", "") }
        return [.string(pin)]
      case "NewConnection":
        guard let descriptor = call.arguments[1].descriptor else { throw .bluez("Rejected", "") }
        channel.yield(descriptor)
        return []
      default: return []
      }
    }
  }

  @Test(
    "pairing asks the caller's agent, and what comes of it",
    arguments: [
      (FakeDevice.Pairing.justWorks, nil, nil, true), (.pin("0000"), "0000", nil, true),
      (.pin("0000"), "1234", "AuthenticationFailed: Authentication Failed", false),
      (.pin("0000"), nil, "AuthenticationRejected: Authentication Rejected", false),
      (.confirmation(123_456), nil, nil, true), (.authorization, nil, nil, true),
      (.passkey(1), nil, "AuthenticationFailed: Authentication Failed", false),
      (.quietlyFails, nil, nil, false),
      (
        .fails(.bluez("AuthenticationTimeout", "Authentication Timeout")), nil,
        "AuthenticationTimeout: Authentication Timeout", false
      ),
    ] as [(FakeDevice.Pairing, String?, String?, Bool)])
  func pairing(pairing: FakeDevice.Pairing, pin: String?, error: String?, isPaired: Bool) async throws {
    let fake = try await FakeBlueZ()
    let device = fake.addAdapter().addDevice("00:11:22:33:44:55")
    let client = try await Client(fake)
    let (_, channel) = AsyncStream<DBusDescriptor>.makeStream()
    let export = try client.connection.export(Registered(pin: pin, channel: channel), at: "/agent")
    _ = try await client.call(
      "/org/bluez", "AgentManager1", "RegisterAgent", .objectPath("/agent"), .string(""))
    device.script { $0.pairing = pairing }
    #expect(await client.error(device.path, "Device1", "Pair") == error)
    #expect(device.value("Paired")?.boolean == isPaired)
    if isPaired {
      #expect(await client.error(device.path, "Device1", "Pair") == "AlreadyExists: Already Exists")
    }
    export.release()
  }

  @Test("pairing that nobody ends is cancelled, and the agent hears of strangers")
  func cancelledPairing() async throws {
    let fake = try await FakeBlueZ()
    let device = fake.addAdapter().addDevice("00:11:22:33:44:55")
    let client = try await Client(fake)
    let (_, channel) = AsyncStream<DBusDescriptor>.makeStream()
    let export = try client.connection.export(Registered(pin: "0000", channel: channel), at: "/agent")
    await #expect(throws: DBusError.self) { try await fake.callAgent("Cancel") }
    _ = try await client.call(
      "/org/bluez", "AgentManager1", "RegisterAgent", .objectPath("/agent"), .string("a"))
    #expect(fake.agent?.owner == client.connection.uniqueName)
    #expect(
      try await fake.callAgent("RequestPinCode", [.objectPath("/org/bluez/hci0/dev_66_66_66_66_66_66")])
        == [.string("0000")])
    device.script { $0.pairing = .waits }
    let pending = try client.connection.begin(
      DBusCall(destination: "org.bluez", path: device.path, interface: "org.bluez.Device1", member: "Pair"),
      by: soon)
    await fake.called("Pair")
    #expect(await client.error(device.path, "Device1", "CancelPairing") == nil)
    #expect(await failure(pending) == "org.bluez.Error.AuthenticationCanceled: Authentication Canceled")
    #expect(await client.error(device.path, "Device1", "CancelPairing") == "DoesNotExist: Does Not Exist")
    export.release()
  }

  @Test("the link goes down with its newest channel, and with none before it, however late that is told")
  func channelsEnd() async throws {
    let fake = try await FakeBlueZ()
    let device = fake.addAdapter().addDevice("00:11:22:33:44:55")
    let client = try await Client(fake)
    let (_, channel) = AsyncStream<DBusDescriptor>.makeStream()
    let export = try client.connection.export(Registered(pin: nil, channel: channel), at: "/profile")
    let uuid = "00001101-0000-1000-8000-00805f9b34fb"
    #expect(
      await client.error(
        "/org/bluez", "ProfileManager1", "RegisterProfile", .objectPath("/profile"), .string(uuid),
        .variants(["Role": .string("client")])) == nil)
    for _ in 1...2 {
      #expect(await client.error(device.path, "Device1", "ConnectProfile", .string(uuid)) == nil)
    }
    var channels = device.channels.makeAsyncIterator()
    _ = await channels.next()
    let second = try #require(await channels.next()?.take())
    device.drop(withChannel: 1)
    #expect(device.isConnected)
    #expect(send(second, "a", 1, Int32(MSG_NOSIGNAL)) == 1)
    device.drop(withChannel: 2)
    #expect(!device.isConnected)
    #expect(send(second, "b", 1, Int32(MSG_NOSIGNAL)) == -1)
    device.drop(withChannel: 2)
    close(second)
    export.release()
  }

  @Test("a profile gets a channel that reaches the printer's end, and shares it with bluetoothd")
  func profile() async throws {
    let fake = try await FakeBlueZ()
    let device = fake.addAdapter().addDevice("00:11:22:33:44:55")
    let client = try await Client(fake)
    let (channels, channel) = AsyncStream<DBusDescriptor>.makeStream()
    let export = try client.connection.export(Registered(pin: nil, channel: channel), at: "/profile")
    let uuid = "00001101-0000-1000-8000-00805f9b34fb"
    func register() async -> String? {
      await client.error(
        "/org/bluez", "ProfileManager1", "RegisterProfile", .objectPath("/profile"), .string(uuid),
        .variants(["Role": .string("client")]))
    }
    #expect(
      await client.error(device.path, "Device1", "ConnectProfile", .string(uuid))
        == "NotAvailable: br-connection-profile-unavailable")
    fake.take(profile: uuid)
    #expect(await register() == "NotPermitted: UUID already registered")
    fake.take(profile: uuid, false)
    #expect(await register() == nil)
    #expect(await register() == "AlreadyExists: Already Exists")
    #expect(await client.error(device.path, "Device1", "ConnectProfile", .string(uuid)) == nil)
    let ours = try #require(try await channels.next()?.take())
    let printer = try #require(try await device.channels.next()?.take())
    #expect(send(ours, "abc", 3, Int32(MSG_NOSIGNAL)) == 3)
    var buffer = [UInt8](repeating: 0, count: 8)
    #expect(read(printer, &buffer, 8) == 3)
    // Closing our end leaves the link up, since bluetoothd has a copy; the end of the link closes all.
    close(ours)
    #expect(send(printer, "d", 1, Int32(MSG_NOSIGNAL)) == 1)
    device.drop()
    #expect(send(printer, "e", 1, Int32(MSG_NOSIGNAL)) == -1)
    close(printer)
    export.release()
  }
}
