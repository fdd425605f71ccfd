import Curl
import ESCPOS
import WakeChannels

/// A real server on a free port of loopback for the length of one test.
struct LocalServer {
  let server: HTTPServer
  var url: String { "http://127.0.0.1:\(server.port ?? 0)" }

  init(
    limits: HTTPServer.Limits = HTTPServer.Limits(),
    _ handle: @escaping @Sendable (HTTPServer.Request) async -> HTTPServer.Response
  ) throws {
    server = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: 0), limits: limits, handle: handle)
  }
}

/// An instant this many seconds from now.
func within(_ seconds: Double) -> BootInstant {
  BootClock().now.advanced(by: .seconds(seconds))
}

/// The code that `body` fails with, or nil when it does not fail.
func failure(_ body: () async throws(HTTPClientError) -> HTTPClient.Response) async -> HTTPClientError.Code? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error.code
  }
}
