import Curl
import Glibc
import Testing
import WakeChannels

@Suite(.timeLimit(.minutes(1)))
struct HTTPClientTests {
  private let client = HTTPClient()

  @Test("A request arrives with its method, path, query, header and body, and its answer comes back whole")
  func roundTrip() async throws {
    let local = try LocalServer { request in
      var answer = "\(request.method.rawValue) \(request.path) \(request.query("a") ?? "-")"
      answer += " \(request.fields["x-kind"] ?? "-") \(request.body.count) \(request.peer)"
      return HTTPServer.Response(status: 201, fields: ["X-Answer": "yes"], body: Array(answer.utf8))
    }
    let response = try await client.send(
      HTTPClient.Request(
        .post, "\(local.url)/orders/a%2Fb?a=1%202+3", headers: [("X-Kind", "receipt")],
        body: [UInt8](repeating: 7, count: 60000)), by: within(40))
    #expect(response.status == 201)
    #expect(response.header("x-answer") == "yes")
    #expect(
      String(decoding: response.body, as: UTF8.self) == "POST /orders/a%2Fb 1 2 3 receipt 60000 127.0.0.1")
    await local.server.stop()
  }

  @Test(
    "GET, POST and DELETE are sent as such",
    arguments: [("GET", 0), ("POST", 0), ("DELETE", 0), ("DELETE", 3)])
  func methods(name: String, length: Int) async throws {
    let local = try LocalServer { request in
      HTTPServer.Response(status: 200, body: Array("\(request.method.rawValue) \(request.body.count)".utf8))
    }
    let method = try #require(HTTPClient.Method(rawValue: name))
    let body = length > 0 ? [UInt8](repeating: 1, count: length) : nil
    let response = try await client.send(
      HTTPClient.Request(method, local.url + "/", body: body), by: within(40))
    #expect(String(decoding: response.body, as: UTF8.self) == "\(name) \(length)")
    await local.server.stop()
  }

  @Test("The connection is used again for the next request")
  func reuse() async throws {
    let ports = Collected<String>()
    let local = try LocalServer { request in
      HTTPServer.Response(status: 200, body: Array(request.fields["X-N"].map { $0.utf8 } ?? "".utf8))
    }
    for number in 0..<20 {
      let response = try await client.send(
        HTTPClient.Request(.get, local.url + "/", headers: [("X-N", "\(number)")]), by: within(40))
      ports.add(String(decoding: response.body, as: UTF8.self))
    }
    #expect(ports.all == (0..<20).map(String.init))
    #expect(openConnections(to: local.server.port ?? 0) == 1)
    await local.server.stop()
  }

  @Test("An answer beyond the limit is refused while it comes, with and without an announced length")
  func tooLarge() async throws {
    let local = try LocalServer { _ in
      HTTPServer.Response(status: 200, body: [UInt8](repeating: 32, count: 300_000))
    }
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, local.url + "/", responseLimit: 1000), by: within(40))
    }
    #expect(code == .tooLarge)
    await local.server.stop()

    let raw = try RawServer("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 5000))
    let second = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, raw.url + "/", responseLimit: 1000), by: within(40))
    }
    #expect(second == .tooLarge)
  }

  @Test("An answer of exactly the limit is taken")
  func exactLimit() async throws {
    let local = try LocalServer { _ in
      HTTPServer.Response(status: 200, body: [UInt8](repeating: 32, count: 1000))
    }
    let response = try await client.send(
      HTTPClient.Request(.get, local.url + "/", responseLimit: 1000), by: within(40))
    #expect(response.body.count == 1000)
    await local.server.stop()
  }

  @Test("A header without end is cut off")
  func endlessHeader() async throws {
    let field = "X-Long: " + String(repeating: "y", count: 1000) + "\r\n"
    let raw = try RawServer("HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 200) + "\r\n")
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, raw.url + "/"), by: within(40))
    }
    #expect(code == .tooLarge)
  }

  @Test(
    "Half a body is an interrupted answer, never a short one",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"half\":",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{\"half\":",
      "HTTP/1.1 200 OK\r\nContent-Le",
      "",
    ])
  func halfBody(text: String) async throws {
    let raw = try RawServer(text)
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, raw.url + "/"), by: within(40))
    }
    #expect(code == .interrupted)
  }

  @Test("What is not HTTP is an error", arguments: ["hello\r\n\r\n", "HTTP/9.9 200\r\n\r\n", "\0\0\0\0"])
  func notHTTP(text: String) async throws {
    let raw = try RawServer(text)
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, raw.url + "/"), by: within(40))
    }
    #expect(code == .failed)
  }

  @Test("A server that does not answer costs the time given and no more")
  func silentServer() async throws {
    let release = AsyncStream.makeStream(of: Void.self)
    let local = try LocalServer { _ in
      for await _ in release.stream { break }
      return HTTPServer.Response(status: 200)
    }
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, local.url + "/"), by: within(0.2))
    }
    #expect(code == .deadline)
    release.continuation.yield()
    await local.server.stop()
  }

  @Test("A deadline that has passed is told without sending")
  func pastDeadline() async throws {
    let local = try LocalServer { _ in HTTPServer.Response(status: 200) }
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, local.url + "/"), by: within(-1))
    }
    #expect(code == .deadline)
    #expect(openConnections(to: local.server.port ?? 0) == 0)
    await local.server.stop()
  }

  @Test("A port where nobody listens is unreachable")
  func refused() async throws {
    let local = try LocalServer { _ in HTTPServer.Response(status: 200) }
    let url = local.url
    await local.server.stop()
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, url + "/"), by: within(40))
    }
    #expect(code == .unreachable)
  }

  @Test("Cancelling the task ends the request at once")
  func cancellation() async throws {
    let arrived = AsyncStream.makeStream(of: Void.self)
    let release = AsyncStream.makeStream(of: Void.self)
    let local = try LocalServer { _ in
      arrived.continuation.yield()
      for await _ in release.stream { break }
      return HTTPServer.Response(status: 200)
    }
    let task = Task { [client, url = local.url] in
      await failure { () async throws(HTTPClientError) in
        try await client.send(HTTPClient.Request(.get, url + "/"), by: within(30))
      }
    }
    for await _ in arrived.stream { break }
    task.cancel()
    #expect(await task.value == .cancelled)
    release.continuation.yield()
    await local.server.stop()
  }

  @Test(
    "What could break out of its line is refused before anything is sent",
    arguments: [
      ("X-A", "1\r\nX-B: 2"), ("X-A", "1\n2"), ("X-A", "\0"), ("X\r\nY", "1"), ("", "1"), ("X A", "1"),
      ("X:A", "1"),
    ])
  func headerInjection(name: String, value: String) async throws {
    let local = try LocalServer { _ in HTTPServer.Response(status: 200) }
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(
        HTTPClient.Request(.get, local.url + "/", headers: [(name, value)]), by: within(40))
    }
    #expect(code == .invalidRequest)
    await local.server.stop()
  }

  @Test(
    "Addresses that are not plain HTTP are refused and not repeated",
    arguments: [
      "file:///etc/passwd", "ftp://h/", "gopher://h/", "https://user:geheim@h/", "http://h/a b", "http://h/ü",
      "http:///x",
      "http://h:99999/", "http://h/#x", "h/x", "", "http://h\r\nX: 1/",
    ])
  func badAddresses(url: String) async throws {
    do throws(HTTPClientError) {
      _ = try await client.send(HTTPClient.Request(.get, url), by: within(40))
      Issue.record("\(url) was sent")
    } catch {
      #expect(error.code == .invalidRequest)
      #expect(!error.message.contains("geheim"))
    }
  }

  @Test("Errors name the server and keep the path, the query and the token to themselves")
  func errorsKeepSecrets() async throws {
    let raw = try RawServer("")
    do throws(HTTPClientError) {
      let request = HTTPClient.Request(
        .get, raw.url + "/orders/order-17?key=geheim", headers: [("Authorization", "Bearer s3cret")])
      _ = try await client.send(request, by: within(40))
      Issue.record("half an answer was taken")
    } catch {
      #expect(error.message.contains("http://127.0.0.1:"))
      for secret in ["order-17", "geheim", "s3cret"] { #expect(!error.description.contains(secret)) }
    }
  }

  @Test("Two hundred requests wait at a time, on two threads of the pool")
  func manyAtOnce() async throws {
    let gate = Gate(expecting: 200)
    let limits = HTTPServer.Limits(connections: 300, connectionsPerAddress: 0)
    let local = try LocalServer(limits: limits) { _ in
      await gate.pass()
      return HTTPServer.Response(status: 200, body: [1])
    }
    let client = HTTPClient(HTTPClient.Options(connectionsPerHost: 250))
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<200 {
        group.addTask { [url = local.url] in
          try await client.send(HTTPClient.Request(.get, url + "/"), by: within(50)).body.count
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(total == 200)
    await local.server.stop()
  }

  @Test("A request goes through a Unix socket")
  func unixSocket() async throws {
    let path = "/tmp/printd-client-\(getpid()).sock"
    let server = try HTTPServer(listen: .unix(path: path, mode: 0o660)) { request in
      HTTPServer.Response(status: 200, body: Array("\(request.peer) \(request.path)".utf8))
    }
    let client = HTTPClient(HTTPClient.Options(unixSocket: path))
    let response = try await client.send(HTTPClient.Request(.get, "http://printd/v1/jobs"), by: within(40))
    #expect(String(decoding: response.body, as: UTF8.self) == "unix /v1/jobs")
    await server.stop()
  }
}
