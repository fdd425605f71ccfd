import Testing
import WakeChannels

@Suite(.timeLimit(.minutes(2)))
struct HTTPServerTests {
  private static let head = "POST /v1/wakes HTTP/1.1\r\nHost: printd\r\nConnection: close\r\n"

  @Test("A 5 MB body is refused by its announced length, before any of it is sent")
  func announcedLength() async throws {
    let handled = Counter()
    let (server, port) = try serve { _ in
      handled.add()
      return HTTPServer.Response(status: 200)
    }
    let client = try #require(RawClient(port: port))
    await client.send(HTTPServerTests.head + "Content-Length: 5000000\r\n\r\n")
    let answer = await client.receiveAll()
    #expect(answer.hasPrefix("HTTP/1.1 413 "))
    #expect(answer.contains(#"{"error":"the body is longer than 65536 bytes","remedy":"#))
    #expect(handled.value == 0)
    await server.stop()
  }

  @Test("A 5 MB body that is sent all the same gets the refusal too", arguments: [true, false])
  func sentAnyway(isChunked: Bool) async throws {
    let handled = Counter()
    let (server, port) = try serve(HTTPServer.Limits(bodyBytes: 1 << 20)) { _ in
      handled.add()
      return HTTPServer.Response(status: 200)
    }
    let client = try #require(RawClient(port: port))
    let chunk = "10000\r\n" + String(repeating: "x", count: 65536) + "\r\n"
    let body =
      isChunked
      ? "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 77) + "0\r\n\r\n"
      : "Content-Length: 5000000\r\n\r\n" + String(repeating: "x", count: 5_000_000)
    await client.send(HTTPServerTests.head + body)
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 413 "))
    #expect(handled.value == 0)
    await server.stop()
  }

  @Test("A chunked body that never ends is cut off")
  func endlessBody() async throws {
    let (server, port) = try serve { _ in HTTPServer.Response(status: 200) }
    let client = try #require(RawClient(port: port))
    await client.send(HTTPServerTests.head + "Transfer-Encoding: chunked\r\n\r\n")
    let chunk = "10000\r\n" + String(repeating: "x", count: 65536) + "\r\n"
    await client.send(String(repeating: chunk, count: 200))
    #expect(await client.receiveAll() == "")
    await server.stop()
  }

  @Test("A body of exactly the limit arrives whole", arguments: ["Content-Length: 1000\r\n\r\n", ""])
  func exactLimit(length: String) async throws {
    let (server, port) = try serve(HTTPServer.Limits(bodyBytes: 1000)) { request in
      HTTPServer.Response(status: 200, body: Array("\(request.body.count)".utf8))
    }
    let client = try #require(RawClient(port: port))
    let body = String(repeating: "y", count: 1000)
    let chunked = "Transfer-Encoding: chunked\r\n\r\n3e8\r\n\(body)\r\n0\r\n\r\n"
    await client.send(HTTPServerTests.head + (length.isEmpty ? chunked : length + body))
    #expect(await client.receiveAll().hasSuffix("\r\n\r\n1000"))
    await server.stop()
  }

  @Test(
    "A client that brings its request too slowly is cut off",
    arguments: [
      "", "GET / HTTP/1.1\r\nHos", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
    ])
  func slowRequest(start: String) async throws {
    let (server, port) = try serve(HTTPServer.Limits(receive: .milliseconds(100))) { _ in
      HTTPServer.Response(status: 200)
    }
    let client = try #require(RawClient(port: port))
    await client.send(start)
    #expect(await client.receiveAll() == "")
    await server.stop()
  }

  @Test("A byte now and then does not buy a slow client more time")
  func trickle() async throws {
    let (server, port) = try serve(HTTPServer.Limits(receive: .milliseconds(150))) { _ in
      HTTPServer.Response(status: 200)
    }
    let client = try #require(RawClient(port: port))
    let trickling = Task {
      while !Task.isCancelled {
        await client.send("X")
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    let reader = try #require(RawClient(port: port))
    #expect(await reader.receiveAll() == "")
    trickling.cancel()
    #expect(await client.receiveAll() == "")
    await server.stop()
  }

  @Test("A request that waits for its completion outlives the time limits")
  func longWait() async throws {
    let release = Signal()
    let arrived = Signal()
    let limits = HTTPServer.Limits(receive: .seconds(1), reply: .seconds(1))
    let (server, port) = try serve(limits) { _ in
      await arrived.give()
      await release.wait()
      return HTTPServer.Response(status: 200, body: Array("done".utf8))
    }
    let client = try #require(RawClient(port: port))
    await client.send(HTTPServerTests.head + "Content-Length: 0\r\n\r\n")
    await arrived.wait()
    // Two idle connections, one after the other, are cut off meanwhile: both limits have passed twice.
    for _ in 0..<2 { #expect(await RawClient(port: port)?.receiveAll() == "") }
    await release.give()
    #expect(await client.receiveAll().hasSuffix("done"))
    await server.stop()
  }

  @Test("A client that goes away while it waits harms nobody")
  func disconnect() async throws {
    let release = Signal()
    let arrived = Signal()
    let finished = Signal()
    let (server, port) = try serve { request in
      guard request.path == "/wait" else { return HTTPServer.Response(status: 204) }
      await arrived.give()
      await release.wait()
      await finished.give()
      return HTTPServer.Response(status: 200, body: [UInt8](repeating: 1, count: 100_000))
    }
    do {
      let client = try #require(RawClient(port: port))
      await client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
      await arrived.wait()
    }
    await release.give()
    await finished.wait()
    let next = try #require(RawClient(port: port))
    await next.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(await next.receiveAll().hasPrefix("HTTP/1.1 204 "))
    await server.stop()
  }

  @Test("Stopping waits for the request in hand, which gets its answer, and then nobody listens")
  func stopping() async throws {
    let release = Signal()
    let arrived = Signal()
    let (server, port) = try serve { _ in
      await arrived.give()
      await release.wait()
      return HTTPServer.Response(status: 200, body: Array("last".utf8))
    }
    let client = try #require(RawClient(port: port))
    await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await arrived.wait()
    async let stopped: Void = server.stop()
    await release.give()
    #expect(await client.receiveAll().hasSuffix("last"))
    await stopped
    await server.stop()
    #expect(RawClient(port: port) == nil)
  }

  @Test("A server that is let go of without being stopped stops by itself")
  func letGo() async throws {
    var server: HTTPServer? = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: 0)) { _ in
      HTTPServer.Response(status: 200)
    }
    let client = try #require(RawClient(port: server?.port ?? 0))
    server = nil
    #expect(await client.receiveAll() == "")
  }

  @Test("Requests that come together on one connection are answered in order")
  func pipelining() async throws {
    let (server, port) = try serve { HTTPServer.Response(status: 200, body: Array($0.path.utf8)) }
    let client = try #require(RawClient(port: port))
    await client.send(
      "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    let answers = await client.receiveAll().split(separator: "\r\n\r\n")
    #expect(answers.count == 3)
    #expect(answers.dropFirst().first?.hasPrefix("/1HTTP/1.1 200") == true)
    #expect(answers.last == "/2")
    await server.stop()
  }

  @Test(
    "Unknown methods and long headers are refused",
    arguments: [
      ("BREW / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "405"),
      ("PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", "405"),
      (
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: \(String(repeating: "a", count: 20000))\r\n\r\n",
        "431"
      ),
      ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chuned\r\n\r\n0\r\n\r\n", "501"),
      (
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        "400"
      ),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", "400"),
      ("GET /?a=%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "400"),
    ])
  func refusals(request: String, status: String) async throws {
    let (server, port) = try serve { _ in HTTPServer.Response(status: 200) }
    let client = try #require(RawClient(port: port))
    await client.send(request)
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 \(status) "))
    await server.stop()
  }

  @Test("An answer cannot be split by a line break in a field, and an impossible status is a 500")
  func badAnswers() async throws {
    let (server, port) = try serve { request in
      request.path == "/status"
        ? HTTPServer.Response(status: 42)
        : HTTPServer.Response(status: 200, fields: ["X-A": "1\r\nX-B: 2", "X-C": "3"])
    }
    let client = try #require(RawClient(port: port))
    await client.send(
      "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    let answer = await client.receiveAll()
    #expect(!answer.contains("X-B"))
    #expect(answer.contains("X-C: 3"))
    #expect(answer.contains("HTTP/1.1 500 "))
    await server.stop()
  }

  @Test(
    "An address that is no address is refused with a remedy", arguments: ["shop.example", "", "300.1.1.1"])
  func badAddress(host: String) async throws {
    #expect(throws: HTTPServerError.self) {
      try HTTPServer(listen: .tcp(host: host, port: 0)) { _ in HTTPServer.Response(status: 200) }
    }
  }

  @Test("A port that is taken is told as such")
  func takenPort() async throws {
    let (server, port) = try serve { _ in HTTPServer.Response(status: 200) }
    do throws(HTTPServerError) {
      _ = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: port)) { _ in HTTPServer.Response(status: 200)
      }
      Issue.record("two servers on one port")
    } catch {
      #expect(error.code == .inUse)
    }
    await server.stop()
  }
}
