import DBus
import Glibc
import PrintTestKit
import Testing

/// Every type, there and back.
let everything: [DBusValue] = [
  .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
  .int64(.min), .uint64(.max), .double(-1.5), .double(.infinity), .string(""),
  .string("Zahl 12,50 € 实收 \u{10FFFF}"),
  .objectPath("/"), .objectPath("/org/bluez/hci0/dev_00_11_22_33_44_55"), .signature(""),
  .signature("a{sv}(ii)"),
  .bytes([]), .bytes(Array(0...255)), .array(of: "s", []), .array(of: "s", [.string("a"), .string("b")]),
  .array(of: "ai", [.array(of: "i", [.int32(1)]), .array(of: "i", [])]),
  .array(of: "(sv)", [.structure([.string("x"), .variant(.uint16(9))])]),
  .array(of: "ay", [.bytes([1]), .bytes([])]),
  .dictionary(key: "s", value: "v", [:]),
  .dictionary(
    key: "s", value: "v", [.string("type"): .variant(.string("command")), .string("n"): .variant(.byte(1))]),
  .dictionary(
    key: "y", value: "a{us}", [.byte(1): .dictionary(key: "u", value: "s", [.uint32(2): .string("c")])]),
  .structure([.byte(1), .structure([.string("deep"), .array(of: "v", [.variant(.int16(-2))])])]),
  .variant(.variant(.variant(.boolean(true)))),
  .variant(
    .dictionary(key: "o", value: "a{sa{sv}}", [.objectPath("/a"): .dictionary(key: "s", value: "a{sv}", [:])])
  ),
]

@Suite("Values")
struct ValueTests {
  @Test("every type comes back as it went, one by one and all at once")
  func roundTrip() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let export = try server.export(Echo(), at: "/test")
    for value in everything {
      let answer = try await client.call(.test("Echo", [value], to: server.uniqueName), by: soon)
      #expect(answer == [value])
    }
    let all = try await client.call(.test("Echo", everything, to: server.uniqueName), by: soon)
    #expect(all == everything)
    export.release()
  }

  @Test("a megabyte comes back as it went")
  func large() async throws {
    let bus = try await PrivateBus()
    let server = try await bus.connect()
    let client = try await bus.connect()
    let export = try server.export(Echo(), at: "/test")
    let bytes = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(
      try await client.call(.test("Echo", [.bytes(bytes)], to: server.uniqueName), by: soon) == [
        .bytes(bytes)
      ])
    export.release()
  }
}
