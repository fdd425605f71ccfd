import Glibc
import Threads
import WakeChannels

@main
struct SampleShop {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    if words == ["--help"] || words == ["help"] { return print(ShopArguments.usage) }
    do throws(ShopArguments.Fault) {
      try await run(ShopArguments(words))
    } catch {
      complain("\(error.message)\n\n\(ShopArguments.usage)")
      exit(EX_USAGE)
    }
  }

  private static func run(_ arguments: ShopArguments) async throws(ShopArguments.Fault) {
    // Before anybody can know that the shop is open, so that no signal is lost.
    let signals = Signals.arrivals(of: [SIGTERM, SIGINT])
    let shop = await Shop(arguments)
    let server: HTTPServer
    do throws(HTTPServerError) {
      server = try HTTPServer(
        listen: .tcp(host: arguments.host, port: arguments.port),
        limits: HTTPServer.Limits(bodyBytes: 1 << 20),
        log: { complain($0) }, handle: { await shop.answer($0) })
    } catch {
      complain("\(error)")
      exit(EX_UNAVAILABLE)
    }
    let port = server.port ?? 0
    if let file = arguments.portFile, !ShopFiles.replace(file, with: "\(port)\n") {
      complain("\(file) cannot be written")
      exit(EX_CANTCREAT)
    }
    complain("listening on http://\(arguments.host):\(port)")
    for await _ in signals { break }
    await server.stop()
    if let file = arguments.portFile { unlink(file) }
  }

  private static func complain(_ line: String) {
    let bytes = Array("sample-shop: \(line)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
