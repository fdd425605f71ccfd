import Testing

@testable import BLETransport

@Suite("A device is recognised by what it shows of itself")
struct PairingRecognitionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String?
    var services: [String] = []
    var deviceClass: UInt32?
    var icon: String?
    var verdict: Recognition.Verdict
    var language: PrinterLanguage?
    var reasons: [Recognition.Reason] = []
    var testDescription: String { "\(name ?? "nameless") \(services) → \(verdict)" }

    func sighting() throws -> Sighting {
      var sighting = try PairingRecognitionTests.sighting()
      sighting.name = name
      sighting.services = try services.map { try #require(BluetoothUUID($0)) }
      sighting.deviceClass = deviceClass
      sighting.icon = icon
      return sighting
    }
  }

  static func sighting() throws -> Sighting {
    Sighting(address: try #require(BluetoothAddress("00:AA:01:01:00:42")))
  }

  static let isscModule = "49535343-fe7d-4ae5-8fa9-9fafd205e455"
  static let sharedModule = "e7810a71-73ae-499d-8c15-faa9aef0c3f2"
  static let linkOS = "38eb4a80-c570-11e3-9507-0002a5d5c51b"

  static let cases: [Case] = [
    // Receipt printers, by service, by class, by name, and by all of them.
    Case(services: ["18f0"], verdict: .printer, language: .escpos, reasons: [.service("18f0")]),
    Case(
      name: "MPT-II", services: ["18f0", isscModule], verdict: .printer, language: .escpos,
      reasons: [.service("18f0"), .service("49535343"), .name]),
    Case(
      name: "Q", services: ["1101"], deviceClass: 0x100680, verdict: .printer, language: .escpos,
      reasons: [.deviceClass]),
    Case(name: "BlueTooth Printer", verdict: .printer, language: .escpos, reasons: [.name]),
    Case(
      name: "TM-P20II_000123", services: [isscModule], verdict: .printer, language: .escpos,
      reasons: [.service("49535343"), .name]),
    Case(
      name: "PT-210", services: [sharedModule], verdict: .printer, language: .escpos,
      reasons: [.service("e7810a71"), .name]),
    // A serial module alone may be in anything.
    Case(services: [isscModule], verdict: .possible, language: .escpos, reasons: [.service("49535343")]),
    Case(
      name: "BT05", services: ["ffe0"], verdict: .possible, language: .escpos, reasons: [.service("ffe0")]),
    // Cat printers.
    Case(services: ["ae30"], verdict: .refused, language: .cat, reasons: [.service("ae30")]),
    Case(services: ["af30"], verdict: .refused, language: .cat, reasons: [.service("af30")]),
    Case(name: "GB02", verdict: .refused, language: .cat, reasons: [.name]),
    Case(name: "MX06", verdict: .refused, language: .cat, reasons: [.name]),
    Case(name: "MX07", verdict: .refused, language: .cat, reasons: [.name]),
    Case(
      name: "Mini printer", services: ["ae30"], verdict: .refused, language: .cat,
      reasons: [.service("ae30"), .name]),
    // Label printers.
    Case(name: "D110-G309011234", verdict: .refused, language: .niimbot, reasons: [.name]),
    Case(
      name: "B1-H801031588", services: [sharedModule], verdict: .refused, language: .niimbot,
      reasons: [.service("e7810a71"), .name]),
    Case(
      name: "D30", services: ["ff00"], verdict: .refused, language: .phomemo,
      reasons: [.service("ff00"), .name]),
    Case(
      name: "P12_1A2B_BLE", services: ["ff00"], verdict: .refused, language: .marklife,
      reasons: [.service("ff00"), .name]),
    Case(services: [linkOS], verdict: .refused, language: .linkOS, reasons: [.service("38eb4a80")]),
    Case(
      name: "QL-820NWB", services: ["1101"], deviceClass: 0x040680, verdict: .refused, language: .brother,
      reasons: [.deviceClass, .name]),
    // Star speaks its own language.
    Case(
      name: "STAR L200-00001", services: [isscModule], verdict: .refused, language: .starLine,
      reasons: [.service("49535343"), .name]),
    Case(
      name: "TSP654II", services: ["1101"], deviceClass: 0x040680, verdict: .refused, language: .starLine,
      reasons: [.deviceClass, .name]),
    Case(
      services: ["be3dd650-2b3d-42f1-99c1-f0f749dd0678"], verdict: .refused, language: .letraTag,
      reasons: [.service("be3dd650")]),
    // Printers for documents.
    Case(
      services: ["1126"], deviceClass: 0x040680, verdict: .refused, language: .pages, reasons: [.deviceClass]),
    // What shares its services with printers.
    Case(
      name: "OBDLink MX+", services: [sharedModule], verdict: .other,
      reasons: [.foreignName("a car's diagnosis plug")]),
    Case(
      name: "IOS-Vlink", services: ["18f0"], verdict: .other,
      reasons: [.foreignName("a car's diagnosis plug")]),
    Case(
      name: "VEEPEAK", services: ["fff0"], verdict: .other,
      reasons: [.foreignName("a car's diagnosis plug")]),
    Case(
      name: "Pixel", services: ["6e400001-b5a3-f393-e0a9-e50e24dcca9e"], icon: "phone", verdict: .other,
      reasons: [.icon("phone")]),
    // A short name by itself is no label printer: a keyboard is called so, too.
    Case(name: "K3", icon: "input-keyboard", verdict: .other, reasons: [.icon("input-keyboard")]),
    Case(name: "B1", verdict: .other),
    Case(verdict: .other),
    // A serial port that says nothing of itself may be one.
    Case(
      name: "HC-06", services: ["1101"], verdict: .possible, language: .escpos, reasons: [.service("1101")]),
    Case(
      name: "HC-05", services: ["1101"], deviceClass: 0x001F00, verdict: .possible, language: .escpos,
      reasons: [.service("1101")]),
    // A scanner is of the class Imaging, too, and no printer.
    Case(services: ["1101"], deviceClass: 0x100640, verdict: .other),
  ]

  @Test("By name, services and class", arguments: cases)
  func recognise(_ item: Case) throws {
    let recognition = Recognition(try item.sighting())
    #expect(recognition.verdict == item.verdict)
    #expect(recognition.language == item.language)
    #expect(recognition.reasons == item.reasons)
    #expect((recognition.refusal != nil) == (item.verdict == .refused))
  }

  @Test("Every language but ESC/POS is refused with its reason")
  func refusals() {
    for language in PrinterLanguage.allCases {
      #expect((language.refusal == nil) == (language == .escpos), "\(language)")
    }
  }

  @Test("Service data names a service, too")
  func serviceData() throws {
    var sighting = try Self.sighting()
    sighting.serviceData = [BluetoothUUID(0xAE30)]
    #expect(Recognition(sighting).language == .cat)
  }

  @Test("The radios are told by what only an inquiry or only an advertisement can say")
  func radios() throws {
    var sighting = try Self.sighting()
    #expect(sighting.radio == .ble)
    sighting.deviceClass = 0x040680
    #expect(sighting.radio == .classic)
    sighting.advertisingFlags = 0x02
    #expect(sighting.radio == .dual)
    sighting.deviceClass = nil
    #expect(sighting.radio == .ble)
    sighting.services = [.serialPort]
    #expect(sighting.radio == .dual)
    sighting.advertisingFlags = 0x06
    #expect(sighting.radio == .ble, "it says that it has no Classic radio")
    sighting.advertisingFlags = nil
    #expect(sighting.radio == .classic)
    sighting.isRandomAddress = true
    #expect(sighting.radio == .ble)
  }
}
