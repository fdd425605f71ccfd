import DBus
import ESCPOS
import Glibc
import PrintTestKit
import Testing
import Threads

@testable import BLETransport

/// Profile1 on a real bus: the object here, and a connection that plays bluetoothd.
@Suite("The Serial Port profile", .timeLimit(.minutes(1)))
struct ClassicProfileTests {
  private static let device = "/org/bluez/hci0/dev_00_11_22_33_44_55"

  /// A bus with a connection of ours and one that calls itself org.bluez.
  private final class Scene: Sendable {
    let bus: PrivateBus
    let ours: DBusConnection
    let daemon: DBusConnection
    let profile: SerialPortProfile
    let manager: Manager
    private let managerExport: DBusExport
    private let place = SerialPortProfile.Place(nil)

    init(_ refusal: DBusError? = nil) async throws {
      bus = try await PrivateBus()
      let (clock, address) = (BootClock(), DBusAddress(bus.address))
      let soon = clock.now.advanced(by: .seconds(30))
      let ours = try await DBusConnection.connect(to: address, clock: clock, by: soon)
      self.ours = ours
      let daemon = try await DBusConnection.connect(to: address, clock: clock, by: soon)
      self.daemon = daemon
      try await daemon.requestName(BlueZName.service, by: soon)
      manager = Manager(refusal)
      profile = SerialPortProfile { daemon.uniqueName }
      managerExport = try daemon.export(manager, at: BlueZName.root)
    }

    func register(isNew: Bool = true) async {
      await profile.register(on: ours, keeping: place, clock: BootClock(), isNew: isNew)
    }

    /// Calls the profile as bluetoothd does.
    func call(
      _ member: String, _ arguments: [DBusValue], from caller: DBusConnection? = nil
    ) async -> Result<[DBusValue], DBusError> {
      do throws(DBusError) {
        return .success(
          try await (caller ?? daemon).call(
            DBusCall(
              destination: ours.uniqueName, path: SerialPortProfile.path, interface: BlueZName.profile,
              member: member, arguments: arguments), by: BootClock().now.advanced(by: .seconds(30))))
      } catch {
        return .failure(error)
      }
    }

    func connect(
      _ end: Int32, _ device: String = ClassicProfileTests.device, from caller: DBusConnection? = nil
    )
      async -> String?
    {
      let arguments: [DBusValue] = [
        .objectPath(device), .descriptor(DBusDescriptor(owning: end)), .variants([:]),
      ]
      if case .failure(let error) = await call("NewConnection", arguments, from: caller) { return error.name }
      return nil
    }
  }

  /// ProfileManager1.
  private final class Manager: DBusObject {
    let calls = Locked<[DBusIncomingCall]>([])
    let refusal: Locked<DBusError?>

    init(_ refusal: DBusError?) { self.refusal = Locked(refusal) }

    func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
      calls.withLock { $0.append(call) }
      if let refusal = refusal.withLock({ $0 }) { throw refusal }
      return []
    }
  }

  private func pair(_ type: __socket_type = SOCK_STREAM) throws -> (ours: Int32, peer: Int32) {
    var ends: [Int32] = [-1, -1]
    let flags = Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, flags, 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  /// What a read at the peer's end gives: -1 while the connection is open, 0 when it has ended.
  private func state(_ peer: Int32) -> Int {
    var byte: UInt8 = 0
    return read(peer, &byte, 1)
  }

  @Test(
    "is registered as a client that asks for neither pairing nor permission, and connects nobody by itself")
  func registration() async throws {
    let scene = try await Scene()
    await scene.register()
    #expect(scene.profile.standing == .registered)
    let call = try #require(scene.manager.calls.withLock { $0 }.first)
    #expect(call.interface == "org.bluez.ProfileManager1" && call.member == "RegisterProfile")
    #expect(call.arguments[0].objectPath == SerialPortProfile.path)
    #expect(call.arguments[1].string == "00001101-0000-1000-8000-00805f9b34fb")
    let options = try #require(call.arguments[2].variantDictionary)
    #expect(options["Role"]?.string == "client")
    for name in ["RequireAuthentication", "RequireAuthorization", "AutoConnect"] {
      #expect(options[name]?.boolean == false, "\(name)")
    }
  }

  @Test("is registered once in bluetoothd's life, and anew in the next")
  func once() async throws {
    let scene = try await Scene()
    await scene.register()
    await scene.register(isNew: false)
    #expect(scene.manager.calls.withLock { $0.count } == 1)
    await scene.register()
    #expect(scene.manager.calls.withLock { $0.count } == 2)
    _ = await scene.call("Release", [])
    #expect(scene.profile.standing == .unknown)
    await scene.register(isNew: false)
    #expect(scene.profile.standing == .registered)
  }

  @Test("of another process stands in the way until it is given back")
  func taken() async throws {
    let scene = try await Scene(DBusError(.remote("org.bluez.Error.NotPermitted"), "UUID already registered"))
    await scene.register()
    #expect(scene.profile.standing == .taken)
    scene.manager.refusal.withLock { $0 = nil }
    await scene.register(isNew: false)
    #expect(scene.profile.standing == .registered)
  }

  @Test(
    "that is refused is known to be",
    arguments: [
      ("org.bluez.Error.AlreadyExists", SerialPortProfile.Standing.registered),
      ("org.bluez.Error.InvalidArguments", .refused("org.bluez.Error.InvalidArguments: no")),
      ("org.freedesktop.DBus.Error.AccessDenied", .refused("org.freedesktop.DBus.Error.AccessDenied: no")),
    ])
  func refused(_ name: String, _ standing: SerialPortProfile.Standing) async throws {
    let scene = try await Scene(DBusError(.remote(name), "no"))
    await scene.register()
    #expect(scene.profile.standing == standing)
  }

  @Test("hands the socket of an expected printer over, once")
  func connection() async throws {
    let scene = try await Scene()
    await scene.register()
    let expected = scene.profile.expect(Self.device)
    let (ours, peer) = try pair()
    defer { close(peer) }
    #expect(await scene.connect(ours) == nil)
    let descriptor = try #require(expected.take())
    #expect(expected.take() == nil)
    #expect(write(descriptor, [0x41], 1) == 1)
    #expect(state(peer) == 1)
    close(descriptor)
    // bluetoothd's end of the message is closed too.
    #expect(state(peer) == 0)
  }

  @Test("refuses a printer that nobody asked for, a second socket, and what comes too late")
  func unexpected() async throws {
    let scene = try await Scene()
    await scene.register()
    func isRefused(_ device: String = Self.device) async throws -> Bool {
      let (ours, peer) = try pair()
      defer { close(peer) }
      let name = await scene.connect(ours, device)
      return name == "org.bluez.Error.Rejected" && state(peer) == 0
    }
    #expect(try await isRefused())
    let expected = scene.profile.expect(Self.device)
    #expect(try await isRefused("/org/bluez/hci0/dev_66_77_88_99_AA_BB"))
    let (ours, peer) = try pair()
    defer { close(peer) }
    #expect(await scene.connect(ours) == nil)
    #expect(try await isRefused())
    #expect(state(peer) == -1)
    scene.profile.forget(expected)
    scene.profile.forget(scene.profile.expect(Self.device))
    #expect(try await isRefused())
  }

  @Test("ends a connection that came and was not wanted any more, for bluetoothd too")
  func dropped() async throws {
    let scene = try await Scene()
    await scene.register()
    var expected: SerialPortProfile.Expected? = scene.profile.expect(Self.device)
    let (ours, peer) = try pair()
    defer { close(peer) }
    let copy = fcntl(ours, F_DUPFD_CLOEXEC, 0)
    defer { close(copy) }
    #expect(await scene.connect(ours) == nil)
    #expect(state(peer) == -1)
    if let held = expected { scene.profile.forget(held) }
    expected = nil
    #expect(state(peer) == 0)
  }

  @Test("refuses a socket that keeps packets apart")
  func misfit() async throws {
    let scene = try await Scene()
    await scene.register()
    let expected = scene.profile.expect(Self.device)
    let (ours, peer) = try pair(SOCK_SEQPACKET)
    defer { close(peer) }
    #expect(await scene.connect(ours) == "org.bluez.Error.Rejected")
    #expect(expected.take() == nil && expected.cameAsMisfit)
    #expect(state(peer) == 0)
  }

  @Test("listens to bluetoothd alone")
  func stranger() async throws {
    let scene = try await Scene()
    await scene.register()
    let expected = scene.profile.expect(Self.device)
    let clock = BootClock()
    let stranger = try await DBusConnection.connect(
      to: DBusAddress(scene.bus.address), clock: clock, by: clock.now.advanced(by: .seconds(30)))
    let (ours, peer) = try pair()
    defer { close(peer) }
    #expect(await scene.connect(ours, from: stranger) == DBusError.Name.accessDenied)
    #expect(expected.take() == nil)
    #expect(state(peer) == 0)
    _ = await scene.call("Release", [], from: stranger)
    #expect(scene.profile.standing == .registered)
  }

  @Test("answers what else it may be asked, and what it may not")
  func others() async throws {
    let scene = try await Scene()
    await scene.register()
    #expect(await scene.call("RequestDisconnection", [.objectPath(Self.device)]) == .success([]))
    let wrong: [(String, [DBusValue])] = [
      ("NewConnection", []), ("NewConnection", [.string("x")]),
      ("NewConnection", [.objectPath(Self.device), .int32(3), .variants([:])]), ("NoSuchMethod", []),
    ]
    for (member, arguments) in wrong {
      let answer = await scene.call(member, arguments)
      #expect(throws: DBusError.self, "\(member)") { try answer.get() }
    }
  }
}
