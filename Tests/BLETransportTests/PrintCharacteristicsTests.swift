import Testing

@testable import BLETransport

@Suite("Choosing the print characteristic")
struct PrintCharacteristicsTests {
  /// A service with its characteristics: identifier and flags.
  struct Service {
    var uuid: String
    var characteristics: [(uuid: String, flags: String)]

    init(_ uuid: String, _ characteristics: (String, String)...) {
      self.uuid = uuid
      self.characteristics = characteristics.map { (uuid: $0.0, flags: $0.1) }
    }
  }

  private static let device = "/org/bluez/hci0/dev_00_AA_01_01_00_42"
  static let both = "write write-without-response"

  static func tree(_ services: [Service]) throws -> BlueZTree {
    var tree = BlueZTree()
    for (number, service) in services.enumerated() {
      let path = "\(device)/service00\(number)"
      let uuid = try #require(BluetoothUUID(service.uuid))
      tree.services[path] = GATTService(path: path, device: device, uuid: uuid)
      for (number, entry) in service.characteristics.enumerated() {
        let uuid = try #require(BluetoothUUID(entry.uuid))
        var characteristic = GATTCharacteristic(path: "\(path)/char00\(number)", service: path, uuid: uuid)
        characteristic.flags = Set(entry.flags.split(separator: " ").map(String.init))
        tree.characteristics[characteristic.path] = characteristic
      }
    }
    return tree
  }

  private func choose(
    _ services: [Service], _ change: (inout BluetoothPrinter) -> Void = { _ in }
  ) throws -> PrintCharacteristics {
    let address = try #require(BluetoothAddress("00:AA:01:01:00:42"))
    var printer = BluetoothPrinter(name: "p", address: address, bearer: .ble)
    change(&printer)
    return try PrintCharacteristics.choose(in: Self.tree(services), device: Self.device, for: printer)
  }

  private static let issc = Service(
    "49535343-fe7d-4ae5-8fa9-9fafd205e455", ("49535343-1e4d-4bd9-ba61-23c647249616", "write notify"),
    ("49535343-8841-43f4-a8d4-ecbe34729bb3", both))
  private static let pos = Service("18f0", ("2af1", both), ("2af0", "notify indicate"))
  private static let shared = Service(
    "e7810a71-73ae-499d-8c15-faa9aef0c3f2",
    ("bef8d6c9-9c21-4c9e-b632-bd58c1009f9f", "read write write-without-response notify indicate"))
  private static let name = Service("1800", ("2a00", "read"))

  @Test("Of a printer with several services the best known is taken")
  func order() throws {
    let all = [Self.name, Self.shared, Self.issc, Self.pos]
    let best = try choose(all)
    #expect(best.service.uuid.description == "18f0")
    #expect(best.write.uuid.description == "2af1")
    #expect(best.notify?.uuid.description == "2af0")
    #expect(try choose(Array(all.dropLast())).service.uuid.description.hasPrefix("49535343"))
    #expect(try choose(Array(all.dropLast(2))).service.uuid.description.hasPrefix("e7810a71"))
  }

  @Test("The flags decide which characteristic of a service is written")
  func flags() throws {
    let mute = Service(
      "49535343-fe7d-4ae5-8fa9-9fafd205e455", ("49535343-1e4d-4bd9-ba61-23c647249616", "write notify"),
      ("49535343-8841-43f4-a8d4-ecbe34729bb3", "read"))
    #expect(try choose([Self.issc]).write.uuid.description.contains("8841"))
    #expect(try choose([mute]).write.uuid.description.contains("1e4d"))
    #expect(try choose([Service("18f0", ("2af1", both), ("2af0", "read"))]).notify == nil)
    #expect(try choose([Self.shared]).notify?.uuid == choose([Self.shared]).write.uuid)
  }

  private var both: String { Self.both }

  @Test("A service without a writable characteristic is passed over")
  func passedOver() throws {
    let broken = Service("18f0", ("2af1", "read"), ("2af0", "notify"))
    #expect(try choose([broken, Self.shared]).service.uuid.description.hasPrefix("e7810a71"))
  }

  @Test("An unknown service is never guessed, and all that are there are named")
  func neverGuessed() throws {
    let unknown = Service("1234", ("5678", Self.both))
    let fault = #expect(throws: PrintCharacteristics.Fault.self) { try choose([Self.name, unknown]) }
    #expect(fault == .unknown(services: [BluetoothUUID(0x1800), BluetoothUUID(0x1234)]))
    #expect(throws: PrintCharacteristics.Fault.unknown(services: [])) { try choose([]) }
  }

  @Test("What the configuration names is taken, and nothing else")
  func configured() throws {
    let unknown = Service("1234", ("5678", Self.both), ("9abc", "notify"))
    let chosen = try choose([Self.pos, unknown]) {
      $0.service = BluetoothUUID(0x1234)
      $0.notifyCharacteristic = BluetoothUUID(0x9ABC)
    }
    #expect(chosen.write.uuid == BluetoothUUID(0x5678))
    #expect(chosen.notify?.uuid == BluetoothUUID(0x9ABC))
    #expect(
      try choose([Self.pos, unknown]) { $0.writeCharacteristic = BluetoothUUID(0x5678) }.service.uuid
        == BluetoothUUID(0x1234))
    for change: (inout BluetoothPrinter) -> Void in [
      { $0.service = BluetoothUUID(0x4321) }, { $0.writeCharacteristic = BluetoothUUID(0x4321) },
      { $0.notifyCharacteristic = BluetoothUUID(0x4321) },
      {
        $0.service = BluetoothUUID(0x1234)
        $0.writeCharacteristic = BluetoothUUID(0x9ABC)
      },
    ] {
      let fault = #expect(throws: PrintCharacteristics.Fault.self) {
        try choose([Self.pos, unknown], change)
      }
      guard case .missing = fault else {
        Issue.record("\(String(describing: fault))")
        continue
      }
    }
  }

  @Test("The answers come from the table's characteristic, the written one, or the only one that notifies")
  func answers() throws {
    let unlisted = BluetoothUUID(0x1234)
    func notify(_ entries: (String, String)..., named: UInt32? = nil) throws -> BluetoothUUID? {
      var service = Service("1234", ("5678", both))
      service.characteristics += entries.map { (uuid: $0.0, flags: $0.1) }
      return try choose([service]) {
        $0.service = unlisted
        $0.writeCharacteristic = BluetoothUUID(0x5678)
        $0.notifyCharacteristic = named.map { BluetoothUUID($0) }
      }.notify?.uuid
    }
    #expect(try notify() == nil)
    #expect(try notify(("9abc", "notify")) == BluetoothUUID(0x9ABC))
    #expect(try notify(("9abc", "indicate"), ("9abd", "read")) == BluetoothUUID(0x9ABC))
    #expect(try notify(("9abc", "notify"), ("9abd", "notify")) == nil)
    #expect(try notify(("9abc", "notify"), ("9abd", "notify"), named: 0x9ABD) == BluetoothUUID(0x9ABD))
    // A row of the table that knows that there is none, and one whose own is not there.
    let module = Service(
      "a76eb9e0-f3ac-4990-84cf-3a94d2426b2b", ("a76eb9e2-f3ac-4990-84cf-3a94d2426b2b", both),
      ("9abc", "notify"))
    #expect(try choose([module]).notify == nil)
    #expect(
      try choose([Service("ffe0", ("ffe1", "write"), ("ffe2", "notify"))]).notify?.uuid
        == BluetoothUUID(0xFFE2))
  }

  @Test("A service with two writable characteristics is no choice for us, unless one is named")
  func ambiguous() throws {
    let unknown = Service("1234", ("5678", Self.both), ("9abc", "write"))
    #expect(throws: PrintCharacteristics.Fault.self) {
      try choose([unknown]) { $0.service = BluetoothUUID(0x1234) }
    }
  }

  @Test(
    "Cat printers and label printers are refused by their service",
    arguments: ["ae30", "af30", "38eb4a80-c570-11e3-9507-0002a5d5c51b"])
  func refused(service: String) throws {
    let other = Service(service, ("ae01", "write-without-response"))
    for services in [[other], [other, Self.shared], [other, Service("ff00", ("ff02", Self.both))]] {
      let fault = #expect(throws: PrintCharacteristics.Fault.self) { try choose(services) }
      guard case .refused = fault else {
        Issue.record("\(String(describing: fault))")
        continue
      }
    }
    #expect(try choose([other, Self.pos]).service.uuid == BluetoothUUID(0x18F0))
    #expect(try choose([other]) { $0.service = BluetoothUUID(service) }.write.uuid == BluetoothUUID(0xAE01))
  }

  @Test("Barriers are read from what every phone reads, and the printer's own attributes come last")
  func barriers() throws {
    let deviceInformation = Service("180a", ("2a50", "read"), ("2a24", "read"))
    let own = Service("18f0", ("2af1", "read \(Self.both)"), ("2af0", "notify"))
    let tree = try Self.tree([own, deviceInformation, Self.name])
    let found = try choose([own, deviceInformation, Self.name])
    let chosen = tree.barriers(for: found).compactMap { tree.characteristics[$0.path]?.uuid.description }
    #expect(chosen == ["2a00", "2a24", "2a50"])
    #expect(try Self.tree([own]).barriers(for: choose([own])).count == 1)
    #expect(try Self.tree([Self.pos]).barriers(for: choose([Self.pos])).isEmpty)
  }

  @Test("The characteristic of the answers is no barrier: what is read of it would pass for an answer")
  func answersAreNoBarrier() throws {
    let found = try choose([Self.shared])
    #expect(found.notify?.isReadable == true)
    #expect(try Self.tree([Self.shared]).barriers(for: found).isEmpty)
    let other = Service("18f0", ("2af1", Self.both), ("2af0", "read notify"), ("2af2", "read"))
    let tree = try Self.tree([other])
    let chosen = try tree.barriers(for: choose([other])).compactMap {
      tree.characteristics[$0.path]?.uuid.description
    }
    #expect(chosen == ["2af2"])
  }

  @Test(
    "A write fits the MTU, one packet of the air and what the printer can take",
    arguments: [
      (23, nil, 20), (185, nil, 182), (247, nil, 244), (517, nil, 244), (517, 100, 100), (23, 100, 20),
      (0, nil, 20), (65_535, nil, 244), (517, 0, 1),
    ]
      as [(Int, Int?, Int)])
  func chunks(mtu: Int, chunk: Int?, expected: Int) throws {
    let address = try #require(BluetoothAddress("00:AA:01:01:00:42"))
    let printer = BluetoothPrinter(name: "p", address: address, bearer: .ble, chunk: chunk)
    #expect(GATTLink.chunk(for: printer, mtu: mtu) == expected)
  }
}
