import DBus
import ESCPOS
import PrintTestKit
import Testing

/// What a raw peer sends as an answer, and the name that the test knows it by.
private let malformed: [(name: String, answer: @Sendable (UInt32) -> [UInt8]?)] = [
  ("no bytes of a message", { _ in Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8) }),
  ("a text longer than the message", { RawMessage.reply(to: $0, "s", RawMessage.text("abc", length: 4000)) }),
  ("a text that is not UTF-8", { RawMessage.reply(to: $0, "s", RawMessage.number(2) + [0xC3, 0x28, 0]) }),
  ("a text with a NUL", { RawMessage.reply(to: $0, "s", RawMessage.number(2) + [0, 65, 0]) }),
  ("a boolean of 7", { RawMessage.reply(to: $0, "b", RawMessage.number(7)) }),
  ("a bad object path", { RawMessage.reply(to: $0, "o", RawMessage.text("//a")) }),
  ("a signature that is none", { RawMessage.reply(to: $0, "a{", []) }),
  ("a body without signature", { RawMessage.reply(to: $0, "", RawMessage.number(1)) }),
  ("a signature without body", { RawMessage.reply(to: $0, "u", []) }),
  ("an array longer than an array may be", { RawMessage.reply(to: $0, "ai", RawMessage.number(1 << 27)) }),
  (
    "an array that ends in mid-element",
    { RawMessage.reply(to: $0, "ai", RawMessage.number(6) + [0, 0, 0, 0, 0, 0]) }
  ),
  (
    "variants nested 200 deep",
    { RawMessage.reply(to: $0, "v", (0..<200).flatMap { _ in [1, 118, 0] as [UInt8] } + [1, 121, 0, 9]) }
  ),
  ("a descriptor that did not come", { RawMessage.reply(to: $0, "h", RawMessage.number(0), descriptors: 1) }),
  ("a message of 4 GB", { RawMessage.header(2, $0, .max) + RawMessage.number(0) }),
  ("a message of an unknown type, and the end", { RawMessage.reply(to: $0, "", [], type: 0) }),
  ("half a message, and the end", { _ in nil }),
]

@Suite("Hostile peers")
struct HostileTests {
  @Test("a malformed answer ends the connection, with an error", arguments: malformed.map(\.name))
  func malformedAnswer(name: String) async throws {
    let answer = try #require(malformed.first { $0.name == name }).answer
    let raw = try RawBus { _, serial in answer(serial) }
    let client = try await DBusConnection.connect(to: raw.address, clock: BootClock(), by: soon)
    let error = await failure { () throws(DBusError) in
      try await client.call(.test("Any", to: "a.b"), by: soon)
    }
    #expect(error?.code == .disconnected)
    await client.waitUntilClosed()
  }

  @Test("an answer of other types than promised is read as nil, not as something else")
  func mistyped() async throws {
    let raw = try RawBus { _, serial in RawMessage.reply(to: serial, "u", RawMessage.number(7)) }
    let client = try await DBusConnection.connect(to: raw.address, clock: BootClock(), by: soon)
    let value = try #require(try await client.call(.test("Any", to: "a.b"), by: soon).first)
    #expect(value.uint32 == 7)
    #expect(
      value.int32 == nil && value.string == nil && value.boolean == nil && value.variantDictionary == nil)
    #expect(value.bytes == nil && value.array == nil && value.objectPath == nil && value.descriptor == nil)
  }

  @Test(
    "whichever byte of an answer is spoiled, the call ends, and the connection with it",
    arguments: [0x01, 0x80, 0xFF] as [UInt8])
  func spoiled(mask: UInt8) async throws {
    // A dictionary of one variant, with an array of structures in it.
    let padding: [UInt8] = [0, 0, 0, 0]
    let value = [5] + Array("a(yu)".utf8) + [0, 0, 0] + RawMessage.number(8) + padding + [1, 0, 0, 0]
    let body = RawMessage.number(32) + padding + RawMessage.text("ab") + value + RawMessage.number(7)
    let whole = try RawBus { _, serial in RawMessage.reply(to: serial, "a{sv}", body) }
    let listener = try await DBusConnection.connect(to: whole.address, clock: BootClock(), by: soon)
    #expect(
      try await listener.call(.test("Any", to: "a.b"), by: soon) == [
        .variants(["ab": .array(of: "(yu)", [.structure([.byte(1), .uint32(7)])])])
      ])
    let length = RawMessage.reply(to: 0, "a{sv}", body).count
    for place in 0..<length {
      let raw = try RawBus(hangsUp: true) { _, serial in
        var answer = RawMessage.reply(to: serial, "a{sv}", body)
        answer[place] ^= mask
        return answer
      }
      let client = try await DBusConnection.connect(to: raw.address, clock: BootClock(), by: soon)
      _ = await failure { () throws(DBusError) in try await client.call(.test("Any", to: "a.b"), by: soon) }
      await client.waitUntilClosed()
    }
  }

  @Test("a descriptor that did not come with its message is an error")
  func missingDescriptor() async throws {
    let raw = try RawBus { _, serial in RawMessage.reply(to: serial, "h", RawMessage.number(3)) }
    let client = try await DBusConnection.connect(to: raw.address, clock: BootClock(), by: soon)
    let error = await failure { () throws(DBusError) in
      try await client.call(.test("Any", to: "a.b"), by: soon)
    }
    #expect(error?.code == .malformed)
  }

  @Test("answers to nothing that was asked are ignored")
  func unasked() async throws {
    let raw = try RawBus { _, serial in
      RawMessage.reply(to: serial &+ 77, "u", RawMessage.number(1))
        + RawMessage.reply(to: 0xFFFF_FFFF, "", [])
        + RawMessage.reply(to: serial, "u", RawMessage.number(2))
        + RawMessage.reply(to: serial, "u", RawMessage.number(3))
    }
    let client = try await DBusConnection.connect(to: raw.address, clock: BootClock(), by: soon)
    for _ in 0..<3 { #expect(try await client.call(.test("Any", to: "a.b"), by: soon) == [.uint32(2)]) }
  }

  @Test("an answer in the name of another than was asked is ignored")
  func impostor() async throws {
    let raw = try RawBus { _, serial in
      RawMessage.reply(to: serial, "u", RawMessage.number(1), sender: ":1.66")
        + RawMessage.reply(to: serial, "u", RawMessage.number(2), sender: ":1.7")
    }
    let client = try await DBusConnection.connect(to: raw.address, clock: BootClock(), by: soon)
    #expect(try await client.call(.test("Any", to: ":1.7"), by: soon) == [.uint32(2)])
  }

  @Test("an error whose first value is no text has no words, but its name")
  func bareError() async throws {
    let raw = try RawBus { _, serial in RawMessage.reply(to: serial, "u", RawMessage.number(1), type: 3) }
    let client = try await DBusConnection.connect(to: raw.address, clock: BootClock(), by: soon)
    let error = await failure { () throws(DBusError) in
      try await client.call(.test("Any", to: "a.b"), by: soon)
    }
    #expect(error == DBusError(.remote("test.Error.Raw"), ""))
  }

  @Test(
    "a bad name is refused before it is sent",
    arguments: [
      DBusCall(destination: "", path: "/", interface: "a.b", member: "C"),
      DBusCall(destination: "nodot", path: "/", interface: "a.b", member: "C"),
      DBusCall(destination: "a..b", path: "/", interface: "a.b", member: "C"),
      DBusCall(destination: "a.1b", path: "/", interface: "a.b", member: "C"),
      DBusCall(destination: "a.b\0", path: "/", interface: "a.b", member: "C"),
      DBusCall(destination: ":", path: "/", interface: "a.b", member: "C"),
      DBusCall(destination: ":1.", path: "/", interface: "a.b", member: "C"),
      DBusCall(
        destination: String(repeating: "a.", count: 127) + "aa", path: "/", interface: "a.b", member: "C"),
      DBusCall(destination: "a.b", path: "", interface: "a.b", member: "C"),
      DBusCall(destination: "a.b", path: "a", interface: "a.b", member: "C"),
      DBusCall(destination: "a.b", path: "/a/", interface: "a.b", member: "C"),
      DBusCall(destination: "a.b", path: "//", interface: "a.b", member: "C"),
      DBusCall(destination: "a.b", path: "/a-b", interface: "a.b", member: "C"),
      DBusCall(destination: "a.b", path: "/ä", interface: "a.b", member: "C"),
      DBusCall(destination: "a.b", path: "/org/freedesktop/DBus/Local", interface: "a.b", member: "C"),
      DBusCall(destination: "a.b", path: "/", interface: "", member: "C"),
      DBusCall(destination: "a.b", path: "/", interface: "a", member: "C"),
      DBusCall(destination: "a.b", path: "/", interface: "a.b-c", member: "C"),
      DBusCall(destination: "a.b", path: "/", interface: "org.freedesktop.DBus.Local", member: "C"),
      DBusCall(destination: "a.b", path: "/", interface: "a.b", member: ""),
      DBusCall(destination: "a.b", path: "/", interface: "a.b", member: "C.D"),
      DBusCall(destination: "a.b", path: "/", interface: "a.b", member: "1C"),
      DBusCall(destination: "a.b", path: "/", interface: "a.b", member: String(repeating: "C", count: 256)),
    ])
  func badNames(call: DBusCall) async throws {
    try await refused(call)
  }

  @Test(
    "a bad value is refused before it is sent",
    arguments: [
      .string("a\0b"), .objectPath("no"), .objectPath("/a\0"), .signature("a"), .signature("(("),
      .signature(String(repeating: "y", count: 256)), .signature(String(repeating: "a", count: 33) + "y"),
      .array(of: "s", [.byte(1)]), .array(of: "", []), .array(of: "ss", []), .array(of: "{sv}", []),
      .array(of: String(repeating: "a", count: 32) + "y", []), .dictionary(key: "v", value: "s", [:]),
      .dictionary(key: "as", value: "s", [:]), .dictionary(key: "s", value: "", [:]),
      .dictionary(key: "s", value: "v", [.string("a"): .string("no variant")]),
      .dictionary(key: "s", value: "v", [.byte(1): .variant(.byte(1))]), .structure([]),
      .variant(.structure([])),
      .variant(.variant(.string("\0"))),
    ] as [DBusValue])
  func badValues(value: DBusValue) async throws {
    try await refused(.test("Echo", [value], to: "a.b"))
  }

  @Test("a value that is nested too deep, or has too many members, is refused before it is sent")
  func tooDeep() async throws {
    let values: [DBusValue] = [
      (0..<66).reduce(.byte(0)) { value, _ in .variant(value) },
      (0..<33).reduce(.byte(0)) { value, _ in .structure([value]) },
      .structure((0..<300).map { _ in .byte(0) }),
    ]
    for value in values { try await refused(.test("Echo", [value], to: "a.b")) }
  }

  @Test("a message that no bus passes on is refused before it is sent")
  func tooLarge() async throws {
    try await refused(.test("Echo", [.bytes([UInt8](repeating: 0, count: 33 << 20))], to: "a.b"))
  }

  /// The call is refused, as a signal too, and the connection lives on.
  private func refused(_ call: DBusCall) async throws {
    let bus = try await PrivateBus()
    let client = try await bus.connect()
    let error = await failure { () throws(DBusError) in try await client.call(call, by: soon) }
    #expect(error?.code == .invalid)
    let keeper = Keeper()
    let export = try client.export(keeper, at: "/test")
    let pending = try client.begin(.test("Any", to: client.uniqueName), by: soon)
    let kept = try #require(try await keeper.calls.first(1).first)
    if !call.arguments.isEmpty {
      #expect(throws: DBusError.self) {
        try client.emit(DBusSignal(path: "/", interface: "a.b", member: "C", arguments: call.arguments))
      }
      kept.reply.give(.success(call.arguments))
      #expect(
        await failure { () throws(DBusError) in try await pending.values() }?.name == DBusError.Name.failed)
    }
    #expect(!client.isClosed)
    export.release()
  }

  @Test("what is as deep, as long and as odd as D-Bus allows goes through")
  func extremes() async throws {
    let bus = try await PrivateBus()
    let client = try await bus.connect()
    let export = try client.export(Echo(), at: "/test")
    let values: [DBusValue] = [
      (0..<31).reduce(.byte(0)) { value, _ in .structure([value]) },
      (0..<31).reduce(.bytes([1])) { value, _ in .array(of: value.signature, [value]) },
      (0..<62).reduce(.byte(0)) { value, _ in .variant(value) }, .string("\u{FFFE}\u{1}\u{7F}"),
      .signature(String(repeating: "y", count: 255)), .objectPath("/" + String(repeating: "a", count: 4000)),
    ]
    for value in values {
      #expect(try await client.call(.test("Echo", [value], to: client.uniqueName), by: soon) == [value])
    }
    export.release()
  }

  @Test(
    "a bad match is refused before it is sent",
    arguments: [
      DBusMatch(sender: "no"), DBusMatch(interface: "no"), DBusMatch(member: "n o"), DBusMatch(path: "no"),
      DBusMatch(pathNamespace: "/a/"), DBusMatch(path: "/a", pathNamespace: "/b"), DBusMatch(arg0: "\0"),
      DBusMatch(arg0: String(repeating: "a", count: 1100)),
    ])
  func badMatches(match: DBusMatch) async throws {
    let bus = try await PrivateBus()
    let client = try await bus.connect()
    let error = await failure { () throws(DBusError) in try await client.signals(match, by: soon) }
    #expect(error?.code == .invalid)
    #expect(!client.isClosed)
  }
}
