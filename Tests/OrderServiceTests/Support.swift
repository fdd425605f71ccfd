import Dispatch
import ESCPOS
import Glibc
import PrintJobs

/// An instant this many seconds from now.
func within(_ seconds: Double) -> BootInstant {
  BootClock().now.advanced(by: .seconds(seconds))
}

/// The code that `body` fails with, or nil when it does not fail.
func code<Answer>(_ body: () async throws -> Answer) async -> OrderServiceError.Code? {
  do {
    _ = try await body()
    return nil
  } catch {
    return (error as? OrderServiceError)?.code
  }
}

extension Report {
  /// A report about order 17 in this state.
  init?(_ state: JobState) {
    var job = Job(
      id: 1, key: JobKey(orderID: "17", kind: "receipt"), printer: "till", receivedAt: 1_795_939_200,
      expiresAt: 0)
    job.state = state
    job.confirmation = .fence
    job.attempt = 1
    self.init(job)
  }
}

/// Sends bytes to a port of loopback and returns all that comes back; on a thread of its own.
func exchangeRaw(port: UInt16, _ bytes: [UInt8]) async -> String {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async {
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      _ = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      var answer: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while case let count = recv(socket, &piece, piece.count, 0), count > 0 { answer += piece[..<count] }
      continuation.resume(returning: String(decoding: answer, as: UTF8.self))
    }
  }
}
