import BLETransport
import PrintTestKit
import Testing

@testable import printd

@Suite("What a scan shows")
struct ScanReportTests {
  static func sighting(_ last: Int, _ name: String?, rssi: Int16? = -50) throws -> Sighting {
    var sighting = Sighting(address: try #require(BluetoothAddress("00:AA:01:0\(last):00:42")))
    sighting.name = name
    sighting.rssi = rssi
    return sighting
  }

  static func report(
    _ sightings: [Sighting], configured: [Configuration.Printer] = [], all: Bool = false
  ) -> ScanReport { ScanReport(sightings, configured: configured, all: all) }

  @Test("Printers come first, what is refused has its reason, what is no printer is counted")
  func order() throws {
    let sightings = [
      try Self.sighting(1, "Headset"), try Self.sighting(2, "GB02"), try Self.sighting(3, "MPT-II"),
      try Self.sighting(4, nil),
    ]
    let report = Self.report(sightings)
    #expect(report.rows.map(\.name) == ["MPT-II", "GB02"])
    #expect(report.others == 2)
    let lines = report.lines(columns: nil)
    #expect(lines.first == "name    address            radio  signal   speaks                  why   state")
    #expect(lines.contains { $0.hasPrefix("00:AA:01:02:00:42 is not taken: a cat printer") }, "\(lines)")
    #expect(lines.last == "2 other devices; --all shows them")
    #expect(Self.report(sightings, all: true).rows.count == 4)
  }

  @Test("A configured printer is marked, whatever the spelling of its address was")
  func configured() throws {
    let printer = Configuration.Printer(
      name: "counter", link: .ble, address: "00:AA:01:03:00:42", profile: "generic-58")
    let report = Self.report([try Self.sighting(3, "MPT-II")], configured: [printer])
    #expect(report.rows.first?.configured == "counter")
    #expect(report.lines(columns: nil).dropFirst().first?.hasSuffix("configured as counter") == true)
  }

  @Test("Names from the air move no cursor, turn no direction, and are cut")
  func untrustedNames() throws {
    let name = "POS-\u{1B}[2J\u{202E}58\r\nok" + String(repeating: "é", count: 300)
    let report = Self.report([try Self.sighting(1, name)])
    let shown = try #require(report.rows.first?.name)
    #expect(shown.hasPrefix("POS-\u{FFFD}[2J\u{FFFD}58\u{FFFD}"))
    #expect(name.cut(atBytes: 248).utf8.count == 247, "no character is cut in two")
    let text = report.lines(columns: nil).joined()
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
    for columns in [20, 60, 100] {
      #expect(report.lines(columns: columns).allSatisfy { $0.columnCount <= columns }, "\(columns)")
    }
  }

  @Test("What a controller cannot measure is not shown as a strength")
  func noStrength() throws {
    #expect(Self.report([try Self.sighting(1, "MPT-II", rssi: 127)]).rows.first?.rssi == nil)
  }

  @Test("A device that bluetoothd only remembers has not been seen; what was once heard of one is kept")
  func log() throws {
    var log = ScanLog()
    log.note([try Self.sighting(1, "MPT-II", rssi: nil)])
    #expect(log.sightings.isEmpty)
    log.note([try Self.sighting(1, "MPT-II"), try Self.sighting(2, "POS-58")])
    log.note([try Self.sighting(1, nil, rssi: nil)])
    #expect(log.sightings.map(\.name) == ["MPT-II", "POS-58"])
    #expect(log.sightings.first?.rssi == -50)
  }
}

extension String {
  fileprivate var columnCount: Int { unicodeScalars.count }
}
