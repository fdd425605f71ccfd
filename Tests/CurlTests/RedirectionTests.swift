import Curl
import Testing
import WakeChannels

@Suite(.timeLimit(.minutes(1)))
struct RedirectionTests {
  private let client = HTTPClient()

  private func server(status: Int, to place: @escaping @Sendable (HTTPServer.Request) -> String) throws
    -> LocalServer
  {
    try LocalServer { request in
      if request.path == "/there" {
        return HTTPServer.Response(
          status: 200,
          body: Array(
            "\(request.method.rawValue) \(request.fields["Authorization"] ?? "-") \(request.body.count)".utf8)
        )
      }
      return HTTPServer.Response(status: status, fields: ["Location": place(request)])
    }
  }

  @Test(
    "A redirection within the server is followed, with the headers", arguments: [301, 302, 303, 307, 308])
  func sameOrigin(status: Int) async throws {
    let local = try server(status: status) { _ in "/there" }
    let response = try await client.send(
      HTTPClient.Request(.get, local.url + "/here", headers: [("Authorization", "Bearer x")]), by: within(40))
    #expect(response.status == 200)
    #expect(String(decoding: response.body, as: UTF8.self) == "GET Bearer x 0")
    await local.server.stop()
  }

  @Test(
    "A POST is sent again as it was with 307 and 308, and refused with the others",
    arguments: [301, 302, 303, 307, 308])
  func post(status: Int) async throws {
    let local = try server(status: status) { _ in "/there" }
    do throws(HTTPClientError) {
      let response = try await client.send(
        HTTPClient.Request(.post, local.url + "/here", body: [1, 2, 3]), by: within(40))
      #expect(status >= 307)
      #expect(String(decoding: response.body, as: UTF8.self) == "POST - 3")
    } catch {
      #expect(status < 307)
      #expect(error.code == .redirect)
    }
    await local.server.stop()
  }

  @Test("A redirection to another host, port or scheme is refused, and that place is never asked")
  func otherOrigin() async throws {
    let asked = Collected<String>()
    let other = try LocalServer { request in
      asked.add(request.path)
      return HTTPServer.Response(status: 200)
    }
    let port = other.server.port ?? 0
    for place in [
      "http://127.0.0.1:\(port)/there", "http://localhost:\(port)/there", "https://127.0.0.1/",
      "//shop.example/x", "file:///etc/passwd",
    ] {
      let local = try server(status: 302) { _ in place }
      let code = await failure { () async throws(HTTPClientError) in
        try await client.send(
          HTTPClient.Request(.get, local.url + "/here", headers: [("Authorization", "Bearer x")]),
          by: within(40))
      }
      #expect(code == .redirect, "\(place)")
      await local.server.stop()
    }
    #expect(asked.all == [])
    await other.server.stop()
  }

  @Test("A circle ends after five redirections")
  func circle() async throws {
    let asked = Collected<String>()
    let local = try server(status: 302) { request in
      asked.add(request.path)
      return "/again"
    }
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, local.url + "/here"), by: within(40))
    }
    #expect(code == .redirect)
    #expect(asked.all.count == 6)
    await local.server.stop()
  }
}
