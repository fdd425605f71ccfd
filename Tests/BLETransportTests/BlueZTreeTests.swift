import DBus
import Testing

@testable import BLETransport

@Suite("The tree of BlueZ's objects")
struct BlueZTreeTests {
  private static let adapter = "/org/bluez/hci0"
  private static let device = "/org/bluez/hci0/dev_00_AA_01_01_00_42"

  private static func objects(_ objects: [String: [String: [String: DBusValue]]]) -> DBusValue {
    var entries: [DBusValue: DBusValue] = [:]
    for (path, interfaces) in objects {
      var inner: [DBusValue: DBusValue] = [:]
      for (name, properties) in interfaces { inner[.string(name)] = .variants(properties) }
      entries[.objectPath(path)] = .dictionary(key: "s", value: "a{sv}", inner)
    }
    return .dictionary(key: "o", value: "a{sa{sv}}", entries)
  }

  private static let whole = objects([
    adapter: [
      BlueZName.adapter: [
        "Address": .string("00:11:22:33:44:55"), "Powered": .boolean(true), "Discovering": .boolean(false),
        "Alias": .string("till"),
      ], "org.bluez.Media1": [:],
    ],
    device: [
      BlueZName.device: [
        "Address": .string("00:AA:01:01:00:42"), "Adapter": .objectPath(adapter), "Name": .string("Rig BLE"),
        "Connected": .boolean(true), "ServicesResolved": .boolean(true), "RSSI": .int16(-60),
        "Class": .uint32(0x040680), "UUIDs": .strings(["000018f0-0000-1000-8000-00805f9b34fb", "nonsense"]),
      ]
    ],
    device + "/service0001": [
      BlueZName.gattService: [
        "UUID": .string("000018f0-0000-1000-8000-00805f9b34fb"), "Device": .objectPath(device),
      ]
    ],
    device + "/service0001/char0002": [
      BlueZName.gattCharacteristic: [
        "UUID": .string("00002af1-0000-1000-8000-00805f9b34fb"),
        "Service": .objectPath(device + "/service0001"),
        "Flags": .strings(["write", "write-without-response"]), "MTU": .uint16(517),
      ]
    ],
    device + "/service0001/char0002/desc0004": [
      BlueZName.gattDescriptor: ["UUID": .string("00002902-0000-1000-8000-00805f9b34fb")]
    ],
  ])

  @Test("All that BlueZ has is read, each with its parent")
  func loaded() throws {
    var tree = BlueZTree()
    let isRead = tree.load(Self.whole)
    #expect(isRead)
    let adapter = try #require(tree.adapters[Self.adapter])
    #expect(adapter.name == "hci0")
    #expect(adapter.powered)
    #expect(adapter.isCalled("hci0"))
    #expect(adapter.isCalled("00:11:22:33:44:55"))
    #expect(!adapter.isCalled("hci"))
    let address = try #require(BluetoothAddress("00:AA:01:01:00:42"))
    let device = try #require(tree.device(address, on: Self.adapter))
    #expect(device.connected)
    #expect(device.servicesResolved)
    #expect(device.rssi == -60)
    #expect(device.deviceClass == 0x040680)
    #expect(device.uuids == [BluetoothUUID(0x18F0)])
    let service = try #require(tree.services(of: device.path).first)
    let characteristic = try #require(tree.characteristics(of: service.path).first)
    #expect(characteristic.takesCommands)
    #expect(characteristic.takesRequests)
    #expect(!characteristic.canNotify)
    #expect(characteristic.mtu == 517)
    #expect(tree.descriptors.values.first?.characteristic == characteristic.path)
  }

  @Test("Changes, additions and removals are taken in")
  func changes() {
    var tree = BlueZTree()
    let isRead = tree.load(Self.whole)
    #expect(isRead)
    tree.change(
      Self.device, BlueZName.device, to: ["Connected": .boolean(false), "ServicesResolved": .boolean(false)],
      invalidated: ["RSSI"])
    #expect(tree.devices[Self.device]?.connected == false)
    #expect(tree.devices[Self.device]?.servicesResolved == false)
    #expect(tree.devices[Self.device]?.rssi == nil)
    #expect(tree.devices[Self.device]?.name == "Rig BLE")
    tree.change("/nowhere", BlueZName.device, to: ["Connected": .boolean(true)], invalidated: [])
    #expect(tree.devices.count == 1)
    tree.remove(Self.device + "/service0001", [BlueZName.gattService, "org.bluez.Other1"])
    #expect(tree.services.isEmpty)
    #expect(tree.has(Self.device + "/service0001/char0002"))
    tree.add(
      "/org/bluez/hci0/dev_00_AA_01_01_00_43", [BlueZName.device: ["Address": .string("00:AA:01:01:00:43")]])
    #expect(tree.devices["/org/bluez/hci0/dev_00_AA_01_01_00_43"]?.adapter == Self.adapter)
  }

  @Test(
    "An answer of any other shape gives an empty tree",
    arguments: [
      .string("no"), .array(of: "o", [.objectPath("/")]),
      .dictionary(key: "o", value: "s", [.objectPath("/a"): .string("b")]),
      .dictionary(key: "s", value: "a{sa{sv}}", [.string("/a"): .variants([:])]),
    ] as [DBusValue])
  func otherShapes(value: DBusValue) {
    var tree = BlueZTree()
    _ = tree.load(value)
    #expect(tree == BlueZTree())
  }

  @Test("Properties of another type count as absent, and objects without an identity are not there")
  func otherTypes() throws {
    var tree = BlueZTree()
    let hostile = Self.objects([
      Self.adapter: [BlueZName.adapter: ["Address": .uint32(1), "Powered": .string("yes")]],
      "/org/bluez/hci0/dev_1": [BlueZName.device: ["Address": .string("not an address")]],
      "/org/bluez/hci0/dev_2": [BlueZName.device: ["Connected": .boolean(true)]],
      Self.device: [
        BlueZName.device: [
          "Address": .string("00:AA:01:01:00:42"), "Adapter": .string("hci0"), "Connected": .uint16(1),
          "RSSI": .string("loud"), "UUIDs": .string("18f0"), "Class": .boolean(true),
        ]
      ],
      "/x": [BlueZName.gattService: ["UUID": .string("zz")]],
      "/y": [
        BlueZName.gattCharacteristic: ["UUID": .string("2af1"), "Flags": .uint32(3), "MTU": .int16(-1)]
      ],
    ])
    let isRead = tree.load(hostile)
    #expect(isRead)
    #expect(tree.adapters[Self.adapter]?.powered == false)
    #expect(tree.adapters[Self.adapter]?.address == nil)
    #expect(tree.devices.count == 1)
    let device = try #require(tree.devices[Self.device])
    #expect(device.adapter == Self.adapter)
    #expect(!device.connected)
    #expect(device.rssi == nil)
    #expect(device.uuids.isEmpty)
    #expect(tree.services.isEmpty)
    #expect(tree.characteristics["/y"]?.flags == [])
    #expect(tree.characteristics["/y"]?.mtu == nil)
  }
}
