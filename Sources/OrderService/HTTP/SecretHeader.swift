import Glibc

/// A header field whose value lies in a file: a token that is neither in the configuration nor on a command line.
public struct SecretHeader: Sendable, Equatable {
  /// The field's name.
  public var name: String
  /// What stands before the secret, with its space: `Bearer `.
  public var prefix: String
  /// The file; its first line is the secret.
  public var file: String

  /// Creates a field; by default a bearer token (RFC 6750).
  public init(name: String = "Authorization", prefix: String = "Bearer ", file: String) {
    self.name = name
    self.prefix = prefix
    self.file = file
  }

  /// The field's value, and a warning where others can read the file. Reads the file: not for the cooperative pool's hot paths.
  func read() throws(HTTPOrderService.Fault) -> (value: String, warning: String?) {
    func fault(_ message: String) -> HTTPOrderService.Fault {
      HTTPOrderService.Fault(part: .secret, message: "\(file) \(message)")
    }
    let isName = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
    }
    guard isName, !name.isEmpty, prefix.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      throw HTTPOrderService.Fault(part: .secret, message: "the header's name or prefix is not plain ASCII")
    }
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw fault("cannot be read: \(String(cString: strerror(errno))); check the path and its owner")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw fault("is not a file")
    }
    var bytes = [UInt8](repeating: 0, count: 8193)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard (1...8192).contains(count) else { throw fault("is empty, or longer than 8192 bytes") }
    let line = bytes[..<count].prefix { $0 != 0x0A && $0 != 0x0D }
    let rest = bytes[line.count..<count]
    guard !line.isEmpty, line.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw fault("does not begin with a secret of printable ASCII characters without spaces")
    }
    guard rest.allSatisfy({ $0 == 0x0A || $0 == 0x0D }) else { throw fault("has more than one line") }
    let isOpen = status.st_mode & 0o077 & ~0o040 != 0
    let warning = isOpen ? "\(file) can be read by everybody; chmod 640 it" : nil
    return (prefix + String(decoding: line, as: UTF8.self), warning)
  }
}
