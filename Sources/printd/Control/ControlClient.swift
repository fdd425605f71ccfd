import Curl
import Documents
import ESCPOS
import FoundationEssentials
import Glibc

/// Talks to the running daemon over its control socket.
struct ControlClient: Sendable {
  /// How long a command waits for an answer.
  static let patience = Duration.seconds(40)

  /// The socket's path.
  let socket: String
  private let client: HTTPClient

  /// Creates a client; nothing is opened yet.
  init(socket: String) {
    self.socket = socket
    client = HTTPClient(HTTPClient.Options(unixSocket: socket))
  }

  /// Whether a daemon listens; one that is too busy to answer at once does.
  func isRunning() async -> Bool {
    let deadline = BootClock().now.advanced(by: .seconds(2))
    do throws(HTTPClientError) {
      _ = try await client.send(.init(.get, "http://printd/v1/status"), by: deadline)
      return true
    } catch {
      return error.code == .deadline
    }
  }

  /// Whether there is anybody to ask: a daemon that listens, or at least a socket, which may not be open to this user.
  func isListening() async -> Bool {
    if await isRunning() { return true }
    return access(socket, F_OK) == 0 && access(socket, W_OK) != 0
  }

  /// Asks for something and returns the answer's body and status; only answers of 2xx and those of `accepting`.
  ///
  /// - Throws: ``Failure``: `.unavailable` when no daemon listens, else what the daemon refused and its remedy.
  func send(
    _ method: HTTPClient.Method, _ path: String, body: [UInt8]? = nil, accepting statuses: [Int] = [],
    within limit: Duration = ControlClient.patience
  ) async throws(Failure) -> HTTPClient.Response {
    let response: HTTPClient.Response
    do {
      response = try await client.send(
        .init(method, "http://printd\(path)", body: body, responseLimit: 64 << 20),
        by: BootClock().now.advanced(by: limit))
    } catch {
      guard error.code != .cancelled else { throw Failure.stopped }
      guard error.code == .unreachable else {
        throw Failure(
          .unavailable, "the daemon gave no answer on \(socket) (\(error.code.rawValue))",
          remedy: "journalctl -u printd")
      }
      guard access(socket, F_OK) != 0 || access(socket, W_OK) == 0 else {
        throw Failure(
          .noPermission, "\(socket) is not open to this user",
          remedy: "use sudo, or join the daemon's group: adduser NAME printd")
      }
      throw Failure(
        .unavailable, "no daemon listens on \(socket)",
        remedy: "systemctl start printd, or name its configuration with --config FILE")
    }
    if (200..<300).contains(response.status) || statuses.contains(response.status) { return response }
    let message = try? DocumentReader.read(ErrorMessage.self, from: response.body)
    throw Failure(
      Self.code(of: response.status), message?.error ?? "the daemon answered \(response.status)",
      remedy: message?.remedy)
  }

  /// Asks for something and reads the answer.
  ///
  /// - Throws: ``Failure``, as ``send(_:_:body:accepting:within:)``.
  func read<Message: Decodable>(
    _ type: Message.Type, _ method: HTTPClient.Method = .get, _ path: String, body: [UInt8]? = nil
  ) async throws(Failure) -> Message {
    let response = try await send(method, path, body: body)
    do {
      return try DocumentReader.read(type, from: response.body)
    } catch {
      throw Failure(
        .software, "the daemon's answer cannot be read: \(error)", remedy: "use the same version of both")
    }
  }

  private static func code(of status: Int) -> ExitCode {
    switch status {
    case 400, 413, 422: .badInput
    case 404: .noInput
    case 409: .temporary
    case 401, 403: .noPermission
    case 503, 507: .temporary
    default: .software
    }
  }
}

/// JSON for standard output and for messages.
enum JSON {
  /// Encodes with sorted keys.
  static func bytes(_ value: some Encodable, pretty: Bool = false) throws(Failure) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
    do {
      return [UInt8](try encoder.encode(value))
    } catch {
      throw Failure(.software, "cannot be written as JSON: \(error)")
    }
  }

  /// Prints a value, readable.
  static func print(_ value: some Encodable) throws(Failure) {
    Console.print(String(decoding: try bytes(value, pretty: true), as: UTF8.self))
  }
}

extension String {
  /// The text as one segment of a path (RFC 3986).
  var pathSegment: String {
    var text = ""
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += byte < 16 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }
}
