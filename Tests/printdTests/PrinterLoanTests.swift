import BLETransport
import Documents
import Glibc
import PrintTestKit
import Testing
import WakeChannels

@testable import printd

@Suite("A command's side of a loan", .timeLimit(.minutes(1)))
struct PrinterLoanTests {
  /// A daemon that hears of loans, and either lends at once or never ends the job that it has in hand.
  private struct Daemon {
    let folder: TemporaryFolder
    let server: HTTPServer
    let heard: AsyncStream<(method: HTTPServer.Method, token: String?)>

    init(lends: Bool) throws {
      folder = try TemporaryFolder()
      let (heard, tell) = AsyncStream<(method: HTTPServer.Method, token: String?)>.makeStream()
      self.heard = heard
      let (end, ended) = AsyncStream<Void>.makeStream()
      var router = Router()
      router.on(.get, "/v1/status") { _ in HTTPServer.Response(status: 200, fields: [:], body: []) }
      router.on(.post, "/v1/bluetooth/{address}/loan") { request in
        let wish = try? DocumentReader.read(LoanMessage.self, from: request.body)
        tell.yield((.post, wish?.token))
        if !lends { for await _ in end { break } }
        return .json(LoanMessage(seconds: 30))
      }
      router.on(.delete, "/v1/bluetooth/{address}/loan") { request in
        tell.yield((.delete, request.query("token")))
        ended.finish()
        return .json(LoanMessage(seconds: 0))
      }
      let routes = router
      server = try HTTPServer(
        listen: .unix(path: folder.path("control.sock"), mode: 0o600),
        limits: HTTPServer.Limits(), log: { _ in }
      ) { await routes.answer($0) }
    }

    var client: ControlClient { ControlClient(socket: folder.path("control.sock")) }
  }

  private static let address = BluetoothAddress("00:AA:01:05:00:42")

  @Test("one that is called off while the daemon ends its job is given back by its token")
  func calledOff() async throws {
    let daemon = try Daemon(lends: false)
    let address = try #require(Self.address)
    let client = daemon.client
    let taking = Task { try await PrinterLoan.take(address, from: client) }
    var heard = daemon.heard.makeAsyncIterator()
    let wish = try #require(await heard.next())
    #expect(wish.method == .post && wish.token?.isEmpty == false)
    taking.cancel()
    await #expect(throws: Failure(.temporary, "stopped")) { try await taking.value }
    let end = try #require(await heard.next())
    #expect(end.method == .delete && end.token == wish.token)
    await daemon.server.stop()
  }

  @Test(
    "a signal that ends a command while the daemon ends its job gives the printer back, and changes nothing",
    arguments: [["pair", "00:AA:01:05:00:42", "--yes"], ["forget", "belt"]])
  func signalled(_ words: [String]) async throws {
    let daemon = try Daemon(lends: false)
    mkdir(daemon.folder.path("printers.d"), 0o755)
    let entry = try daemon.folder.write(
      #"{name: "belt", link: "ble", address: "00:AA:01:05:00:42", profile: "generic-58"}"#,
      to: "printers.d/belt.json5")
    let config = try daemon.folder.write(
      """
      {printers: [], orders: {directory: "orders"}, control: {socket: "\(daemon.folder.path("control.sock"))"}}
      """, to: "printd.json5")
    let output = daemon.folder.path("output")
    let command = try ChildProcess(
      Programs.path("printd"), ["printers"] + words + ["--config", config], output: output)
    var heard = daemon.heard.makeAsyncIterator()
    let wish = try #require(await heard.next())
    #expect(wish.method == .post && wish.token?.isEmpty == false)
    command.send(SIGINT)
    let end = try #require(await heard.next())
    #expect(end.method == .delete && end.token == wish.token)
    #expect(await command.end == .exit(ExitCode.temporary.rawValue))
    #expect(try Fixtures.text(ofFile: output) == "printd printers: stopped\n")
    #expect(access(entry, F_OK) == 0)
    await daemon.server.stop()
  }

  @Test("each has a token of its own, with which it ends, also when the task is cancelled")
  func tokens() async throws {
    let daemon = try Daemon(lends: true)
    let address = try #require(Self.address)
    var heard = daemon.heard.makeAsyncIterator()
    var tokens: [String?] = []
    for _ in 0..<2 {
      let loan = try await PrinterLoan.take(address, from: daemon.client)
      tokens.append(await heard.next()?.token)
      let ending = Task {
        try? await Task.sleep(for: .seconds(3600))
        await loan.end()
      }
      ending.cancel()
      await ending.value
      let end = try #require(await heard.next())
      #expect(end.method == .delete && end.token == tokens.last)
    }
    #expect(tokens[0] != nil && tokens[0] != tokens[1])
    await daemon.server.stop()
  }
}
