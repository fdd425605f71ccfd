import BLETransport
import ESCPOS

extension Configuration.Printer {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case name, link, address, profile, overrides
    case idleSeconds = "idle_seconds"
    case adapter, service, characteristic, notify
    case writeMode = "write_mode"
    case chunk, channel, pace
    case pinFile = "pin_file"
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    name = try fields.word(.name)
    link = try fields.choice(.link, Link.self)
    profile = try fields.word(.profile)
    try fields.read(.address, into: &address)
    try fields.read(.overrides, into: &overrides)
    idleSeconds = try fields.whole(.idleSeconds, in: 0...3600)
    if address?.isEmpty ?? (link != .virtual) {
      throw fields.fault(
        .address, "is needed for link \"\(link.rawValue)\", such as \"\(link.exampleAddress)\"")
    }
    try readBluetooth(fields)
  }

  private mutating func readBluetooth(_ fields: Fields<CodingKeys>) throws {
    if link.isBluetooth {
      guard let spelled = BluetoothAddress(address ?? ""),
        spelled.description != "00:00:00:00:00:00", spelled.description != "FF:FF:FF:FF:FF:FF"
      else {
        throw fields.fault(
          .address,
          "must be a Bluetooth address, such as \"\(link.exampleAddress)\"; printd printers scan shows it")
      }
      address = spelled.description
    }
    try fields.read(.pinFile, into: &pinFile)
    if fields.container.contains(.adapter) {
      let word = try fields.word(.adapter)
      guard Self.isAdapterName(word) || BluetoothAddress(word) != nil else {
        throw fields.fault(.adapter, "must be an adapter's name or address, such as \"hci0\"")
      }
      adapter = BluetoothAddress(word)?.description ?? word
    }
    service = try Self.uuid(.service, of: fields)
    characteristic = try Self.uuid(.characteristic, of: fields)
    notify = try Self.uuid(.notify, of: fields)
    if fields.container.contains(.writeMode) {
      writeMode = try fields.choice(.writeMode, PrinterProfile.WriteMode.self)
    }
    chunk = try fields.whole(.chunk, in: PrinterProfile.chunks)
    channel = try fields.whole(.channel, in: 1...30)
    pace = try fields.whole(.pace, in: 100...1_000_000)
    let places: [(key: CodingKeys, links: [Link])] = [
      (.adapter, [.ble, .rfcomm]), (.service, [.ble]), (.characteristic, [.ble]), (.notify, [.ble]),
      (.writeMode, [.ble]),
      (.chunk, [.ble]),
      (.channel, [.rfcomm]), (.pace, [.rfcomm]), (.pinFile, [.ble, .rfcomm]),
    ]
    for (key, links) in places where fields.container.contains(key) && !links.contains(link) {
      let names = links.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
      throw fields.fault(key, "does not go together with link \"\(link.rawValue)\"; it is for \(names)")
    }
  }

  /// A UUID in full; nil when the key is not there.
  private static func uuid(_ key: CodingKeys, of fields: Fields<CodingKeys>) throws -> String? {
    guard fields.container.contains(key) else { return nil }
    guard let uuid = BluetoothUUID(try fields.word(key)) else {
      throw fields.fault(key, "must be a UUID, such as \"18f0\" or \"49535343-fe7d-4ae5-8fa9-9fafd205e455\"")
    }
    return uuid.full
  }

  /// `hci` and a number, as the kernel names adapters.
  private static func isAdapterName(_ word: String) -> Bool {
    word.hasPrefix("hci") && UInt16(word.dropFirst(3)) != nil
  }
}

extension Configuration.Printer.Link {
  /// What an address of this link looks like.
  var exampleAddress: String {
    switch self {
    case .tcp: "192.168.1.50:9100"
    case .file: "/dev/usb/lp0"
    case .virtual: "/var/lib/printd/paper"
    case .ble, .rfcomm: "00:11:22:33:44:55"
    }
  }
}
