import PrintTestKit
import Testing
import WakeChannels

@Suite(.timeLimit(.minutes(2)))
struct MalformedRequestTests {
  private let head = "POST /v1/wakes HTTP/1.1\r\nHost: printd\r\nConnection: close\r\n"

  @Test("Broken requests are answered or cut off, and the next client is served")
  func malformed() async throws {
    let lines = String(decoding: try Fixtures.bytes("http/malformed.txt"), as: UTF8.self).split(
      separator: "\n")
    let requests = lines.filter { !$0.hasPrefix("#") }.map(unescaped)
    #expect(requests.count >= 40)
    let (server, port) = try serve(HTTPServer.Limits(receive: .milliseconds(500))) { _ in
      HTTPServer.Response(status: 200)
    }
    for request in requests {
      let client = try #require(RawClient(port: port))
      await client.send(request)
      client.finish()
      let answer = await client.receiveAll()
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1."), "\(request.prefix(80))")
    }
    try await expectServed(port)
    await server.stop()
  }

  @Test("Requests with random damage never bring the server down")
  func fuzz() async throws {
    let whole = Array(
      (head
        + "Transfer-Encoding: chunked\r\nPrefer: respond-async\r\n\r\n5\r\nhello\r\n0\r\n\r\n").utf8)
    let (server, port) = try serve(HTTPServer.Limits(receive: .milliseconds(500))) {
      HTTPServer.Response(status: 200, body: $0.body)
    }
    var random = SplitMix(state: 20_261_130)
    for _ in 0..<500 {
      var bytes = whole
      for _ in 0..<(1 + random.next() % 8) {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        }
      }
      let client = try #require(RawClient(port: port))
      await client.send(bytes)
      client.finish()
      _ = await client.receiveAll()
    }
    try await expectServed(port)
    await server.stop()
  }

  private func expectServed(_ port: UInt16) async throws {
    let client = try #require(RawClient(port: port))
    await client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 200 "))
  }
}

/// The bytes behind a line of `malformed.txt`.
private func unescaped(_ line: Substring) -> [UInt8] {
  var bytes: [UInt8] = []
  var rest = line[...]
  while let character = rest.popFirst() {
    switch (character, rest.first) {
    case ("\\", "x"):
      bytes.append(UInt8(rest.dropFirst().prefix(2), radix: 16) ?? 0)
      rest = rest.dropFirst(3)
    case ("\\", let escaped?):
      let byte: [Character: UInt8] = ["r": 13, "n": 10, "t": 9, "0": 0, "\\": 92]
      bytes.append(byte[escaped] ?? 0)
      rest = rest.dropFirst()
    case ("{", let repeated?):
      let count = Int(rest.dropFirst(2).prefix { $0 != "}" }) ?? 0
      bytes += Array(String(repeating: repeated, count: count).utf8)
      rest = rest.drop { $0 != "}" }.dropFirst()
    default:
      bytes += Array(String(character).utf8)
    }
  }
  return bytes
}

/// A small random generator that gives the same numbers each time (SplitMix64).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
