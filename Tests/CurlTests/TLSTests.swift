import Curl
import Dispatch
import Glibc
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TLSTests {
  @Test("A certificate that nobody vouches for is refused, and taken with its own file of certificates")
  func selfSigned() async throws {
    let server = try await TLSServer.open(names: "IP:127.0.0.1")
    let code = await failure { () async throws(HTTPClientError) in
      try await HTTPClient().send(HTTPClient.Request(.get, server.url), by: within(20))
    }
    #expect(code == .tls)
    let trusting = HTTPClient(HTTPClient.Options(certificateFile: server.certificate))
    let response = try await trusting.send(HTTPClient.Request(.get, server.url), by: within(20))
    #expect(response.status == 200)
  }

  @Test("A trusted certificate of another name is refused")
  func otherName() async throws {
    let server = try await TLSServer.open(names: "DNS:shop.example")
    let client = HTTPClient(HTTPClient.Options(certificateFile: server.certificate))
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, server.url), by: within(20))
    }
    #expect(code == .tls)
  }

  @Test("A file of certificates that is not there is an error, not a reason to trust")
  func missingFile() async throws {
    let server = try await TLSServer.open(names: "IP:127.0.0.1")
    let client = HTTPClient(HTTPClient.Options(certificateFile: "/nowhere/certificates.pem"))
    let code = await failure { () async throws(HTTPClientError) in
      try await client.send(HTTPClient.Request(.get, server.url), by: within(20))
    }
    #expect(code == .tls)
  }
}

/// `openssl s_server` with a certificate of its own.
private final class TLSServer: Sendable {
  struct Failed: Error {}

  let certificate: String
  let url: String
  private let folder: String
  private let child: pid_t
  private let input: Int32

  /// Starts the server and waits until it listens; on a thread of its own.
  static func open(names: String) async throws -> TLSServer {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try TLSServer(names: names) }) }
    }
  }

  private init(names: String) throws {
    var template = Array("/tmp/printd-tls-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failed() }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    certificate = folder + "/certificate.pem"
    let key = folder + "/key.pem"
    let request = try TLSServer.spawn([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-days", "2",
      "-subj", "/CN=printd test", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate,
    ])
    var status: Int32 = 0
    waitpid(request.child, &status, 0)
    close(request.output)
    close(request.input)
    guard status == 0 else { throw Failed() }
    let server = try TLSServer.spawn([
      "openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-key", key,
    ])
    child = server.child
    input = server.input
    defer { close(server.output) }
    var text = ""
    var piece = [UInt8](repeating: 0, count: 512)
    while true {
      // It says `ACCEPT 127.0.0.1:45678` when it listens.
      let words = text.split(whereSeparator: \.isWhitespace)
      if text.hasSuffix("\n"), let place = words.firstIndex(of: "ACCEPT"), place + 1 < words.count {
        url = "https://\(words[place + 1])/"
        return
      }
      let count = read(server.output, &piece, piece.count)
      guard count > 0 else { throw Failed() }
      text += String(decoding: piece[..<count], as: UTF8.self)
    }
  }

  deinit {
    kill(child, SIGKILL)
    var status: Int32 = 0
    waitpid(child, &status, 0)
    close(input)
    for name in ["certificate.pem", "key.pem"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  private static func spawn(_ words: [String]) throws -> (child: pid_t, input: Int32, output: Int32) {
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var output: [Int32] = [0, 0]
    var input: [Int32] = [0, 0]
    guard pipe(&output) == 0, pipe(&input) == 0 else { throw Failed() }
    for end in output + input { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var child = pid_t()
    let failed = posix_spawnp(&child, words[0], &actions, nil, arguments, environ)
    close(output[1])
    close(input[0])
    guard failed == 0 else { throw Failed() }
    return (child, input[1], output[0])
  }
}
