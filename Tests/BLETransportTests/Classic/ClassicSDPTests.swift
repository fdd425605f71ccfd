import ESCPOS
import Glibc
import PrintTestKit
import PrinterLinks
import Testing

@testable import BLETransport

/// Cases of `Fixtures/sdp/`: a name, what is expected, and bytes.
struct SDPCase: CustomTestStringConvertible, Sendable {
  var name: String
  var expected: String
  var bytes: [UInt8]
  var testDescription: String { name }

  static let all = Result { try read("sdp/records.txt") }

  static func read(_ file: String) throws -> [SDPCase] {
    var cases: [SDPCase] = []
    for line in String(decoding: try Fixtures.bytes(file), as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("#") { continue }
      if line.hasPrefix("=") {
        let parts = line.dropFirst(2).split(separator: ":", maxSplits: 1)
        cases.append(
          SDPCase(
            name: String(parts[0]), expected: parts.count > 1 ? String(parts[1].dropFirst()) : "", bytes: []))
      } else {
        let digits = line.prefix { $0 != ";" }.split(separator: " ")
        cases[cases.count - 1].bytes += try digits.map { try #require(UInt8($0, radix: 16)) }
      }
    }
    return cases
  }
}

@Suite("Service records of a stranger")
struct ClassicRecordTests {
  @Test("give the channels, or the place of the fault", arguments: try SDPCase.all.get())
  func records(_ record: SDPCase) {
    let found: String
    do {
      let channels = try SerialPortRecords(record.bytes).channels
      found = (["channels"] + channels.map(String.init)).joined(separator: " ")
    } catch {
      found = "fault \(error.offset)"
    }
    #expect(found == record.expected)
  }

  @Test("cut anywhere never crash, and are never taken for whole ones", arguments: try SDPCase.all.get())
  func cut(_ record: SDPCase) throws {
    guard record.expected.hasPrefix("channels ") else { return }
    for count in 0..<record.bytes.count {
      #expect(throws: SDPElement.Malformed.self) { try SerialPortRecords(Array(record.bytes.prefix(count))) }
    }
  }

  @Test("with any byte changed never crash", arguments: try SDPCase.all.get())
  func changed(_ record: SDPCase) {
    for index in record.bytes.indices {
      for value in [0x00, 0x01, 0x35, 0x37, 0x3F, 0x7F, 0x80, 0xFF] as [UInt8] {
        var bytes = record.bytes
        bytes[index] = value
        let channels = (try? SerialPortRecords(bytes))?.channels ?? []
        #expect(channels.allSatisfy { RFCOMMSocket.channels.contains($0) })
      }
    }
  }
}
