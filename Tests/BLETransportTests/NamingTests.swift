import Testing

@testable import BLETransport

@Suite("Addresses and identifiers")
struct NamingTests {
  @Test(
    "An address is read in every notation and written in BlueZ's",
    arguments: ["00:AA:01:01:00:42", "00:aa:01:01:00:42", "00-AA-01-01-00-42", "00_AA_01_01_00_42"])
  func addresses(text: String) throws {
    let address = try #require(BluetoothAddress(text))
    #expect(address.description == "00:AA:01:01:00:42")
    #expect(address.pathElement == "dev_00_AA_01_01_00_42")
    #expect(address == BluetoothAddress("00:AA:01:01:00:42"))
  }

  @Test(
    "What is no address is none",
    arguments: [
      "", "00:AA", "00:AA:01:01:00:4", "00:AA:01:01:00:42:00", "0G:AA:01:01:00:42", "00AA01010042", ":::::",
      "é0:AA:01:01:00:42",
    ])
  func noAddresses(text: String) {
    #expect(BluetoothAddress(text) == nil)
  }

  @Test(
    "An identifier is the same in every notation",
    arguments: [
      "18f0", "18F0", "0x18f0", "000018f0", "000018f0-0000-1000-8000-00805f9b34fb",
      "000018F0-0000-1000-8000-00805F9B34FB",
    ])
  func identifiers(text: String) throws {
    let uuid = try #require(BluetoothUUID(text))
    #expect(uuid == BluetoothUUID(0x18F0))
    #expect(uuid.description == "18f0")
    #expect(uuid.full == "000018f0-0000-1000-8000-00805f9b34fb")
  }

  @Test("An identifier that is not on the Bluetooth base is written in full")
  func longIdentifiers() throws {
    let text = "49535343-fe7d-4ae5-8fa9-9fafd205e455"
    let uuid = try #require(BluetoothUUID(text))
    #expect(uuid.short == nil)
    #expect(uuid.description == text)
    #expect(PrintService.known(uuid)?.name == "ISSC serial port")
  }

  @Test(
    "What is no identifier is none",
    arguments: [
      "", "18f", "18f00", "0x", "18g0", "000018f0-0000-1000-8000-00805f9b34f",
      "000018f000001000800000805f9b34fb", "000018f0-00001-000-8000-00805f9b34fb",
    ])
  func noIdentifiers(text: String) {
    #expect(BluetoothUUID(text) == nil)
  }
}
