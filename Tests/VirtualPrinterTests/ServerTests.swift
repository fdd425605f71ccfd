import ESCPOS
import Glibc
import PrintTestKit
import Testing
import VirtualPrinter

/// The printer at a TCP port, spoken to by a plain socket.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ServerTests {
  /// A blocking socket; the tests that use it run on threads of their own.
  struct Client {
    let socket: Int32

    init(port: UInt16) throws {
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard code == 0 else { throw Show.Failure(description: "cannot connect: \(errno)") }
    }

    func send(_ bytes: [UInt8]) -> Bool {
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }

    /// Exactly `count` bytes; fewer when the printer closes.
    func receive(_ count: Int) -> [UInt8] {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while bytes.count < count {
        let got = recv(socket, &buffer, min(buffer.count, count - bytes.count), 0)
        guard got > 0 else { return bytes }
        bytes += buffer[..<got]
      }
      return bytes
    }

    func close() { Glibc.close(socket) }
  }

  /// Runs blocking socket calls away from the cooperative pool.
  private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      var thread = pthread_t()
      let work = Unmanaged.passRetained(Work { done.resume(with: Result(catching: body)) })
      pthread_create(
        &thread, nil,
        { context in
          guard let context else { return nil }
          Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
          return nil
        }, work.toOpaque())
      pthread_detach(thread)
    }
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  @Test("prints and answers over TCP, one host after the other")
  func conversation() async throws {
    let printer = try Profiles.printer()
    let server = try VirtualPrinterServer(printer)
    try await onThread {
      defer { server.stop() }
      for round in 0..<3 {
        let client = try Client(port: server.port)
        #expect(client.send(Array("round \(round)\n".utf8) + [0x10, 0x04, 1, 0x1D, 0x72, 1]))
        #expect(client.receive(2) == [0x12, 0x00])
        client.close()
      }
    }
    #expect(printer.paper.text == "round 0\nround 1\nround 2")
  }

  @Test("a printer that is offline stops reading; then all of it is printed")
  func backPressure() async throws {
    let printer = try Profiles.printer(keeping: .text) {
      $0.coverOpen = true
      $0.bufferSize = 256
    }
    let server = try VirtualPrinterServer(printer)
    let opened = printer.events()
    try await onThread {
      defer { server.stop() }
      let client = try Client(port: server.port)
      #expect(client.send(Array(String(repeating: "0123456789\n", count: 500).utf8) + [0x1D, 0x72, 1]))
      while printer.bufferedBytes < 256 { usleep(500) }
      printer.set { $0.coverOpen = false }
      #expect(client.receive(1) == [0x00])
      client.close()
    }
    #expect(printer.paper.current.entries.count == 500)
    for await event in opened where event == .linkOpened { break }
  }

  @Test("a link that is lost is reset, and a printer that refuses resets too")
  func resets() async throws {
    let printer = try Profiles.printer(keeping: .text) { $0.linkLostAfter = 5 }
    let server = try VirtualPrinterServer(printer)
    try await onThread {
      defer { server.stop() }
      let client = try Client(port: server.port)
      _ = client.send(Array("01234\n".utf8))
      #expect(client.receive(1).isEmpty)
      client.close()
      printer.set {
        $0.linkLostAfter = nil
        $0.opening = .refused
      }
      let refused = try Client(port: server.port)
      #expect(refused.receive(1).isEmpty)
      refused.close()
      printer.set { $0.opening = .accepts }
      let last = try Client(port: server.port)
      #expect(last.send([0x0A, 0x10, 0x04, 0x04]))
      #expect(last.receive(1) == [0x12])
      last.close()
    }
    #expect(printer.paper.text == "01234")
  }

  @Test("a port that is taken is refused with the remedy")
  func takenPort() throws {
    let printer = try Profiles.printer(keeping: .nothing)
    let server = try VirtualPrinterServer(printer)
    defer { server.stop() }
    let error = #expect(throws: VirtualPrinterServer.Failure.self) {
      _ = try VirtualPrinterServer(printer, port: server.port)
    }
    #expect(error?.description.contains("choose another port") == true)
  }
}
