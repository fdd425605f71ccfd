import DBus
import Dispatch
import Glibc
import PrintTestKit
import Synchronization

/// A peer that speaks the wire protocol by hand over a unix socket, so that it can say what no library would send.
final class RawBus: Sendable {
  /// What it does when a call comes: the bytes to send, or nil to hang up.
  typealias Script = @Sendable (_ member: String, _ serial: UInt32) -> [UInt8]?

  let address: DBusAddress
  private let folder: TemporaryFolder
  private let listener: Int32

  /// Listens; every connection is authenticated, its `Hello` answered, and all else left to the script.
  ///
  /// - Parameter hangsUp: Whether it closes the connection behind the script's first answer.
  init(hangsUp: Bool = false, _ script: @escaping Script) throws {
    folder = try TemporaryFolder()
    let path = folder.path("raw")
    address = DBusAddress("unix:path=\(path)")
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, listen(listener, 16) == 0 else {
      close(listener)
      throw Fixtures.Missing(path: path)
    }
    self.listener = listener
    DispatchQueue(label: "raw-bus").async {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        DispatchQueue(label: "raw-bus").async {
          Self.serve(client, hangsUp, script)
          close(client)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func serve(_ client: Int32, _ hangsUp: Bool, _ script: Script) {
    guard let nul = read(client, 1), nul == [0] else { return }
    while let line = line(client) {
      if line.hasPrefix("AUTH") { say(client, "OK 0123456789abcdef0123456789abcdef\r\n") }
      if line.hasPrefix("NEGOTIATE") { say(client, "AGREE_UNIX_FD\r\n") }
      if line.hasPrefix("BEGIN") { break }
    }
    while let head = read(client, 16) {
      let length = Int(number(head, 4))
      let serial = number(head, 8)
      let fields = Int(number(head, 12))
      guard let rest = read(client, (fields + 7) / 8 * 8 + length) else { return }
      let member = member(rest)
      let answer =
        member == "Hello"
        ? RawMessage.reply(to: serial, "s", RawMessage.text(":raw.1")) : script(member, serial)
      guard let answer else { return }
      send(client, answer)
      if hangsUp, member != "Hello" { return }
    }
  }

  /// The member, which is field 3 of type `s`.
  private static func member(_ fields: [UInt8]) -> String {
    for place in stride(from: 0, to: max(0, fields.count - 8), by: 8)
    where fields[place..<place + 4] == [3, 1, 115, 0] {
      let length = Int(number(fields, place + 4))
      return String(decoding: fields.dropFirst(place + 8).prefix(length), as: UTF8.self)
    }
    return ""
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
  }

  private static func read(_ client: Int32, _ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var buffer = [UInt8](repeating: 0, count: count - bytes.count)
      let got = Glibc.read(client, &buffer, buffer.count)
      guard got > 0 else { return nil }
      bytes += buffer.prefix(got)
    }
    return bytes
  }

  private static func line(_ client: Int32) -> String? {
    var bytes: [UInt8] = []
    while let byte = read(client, 1) {
      if byte == [10] { return String(decoding: bytes, as: UTF8.self) }
      bytes += byte
    }
    return nil
  }

  private static func say(_ client: Int32, _ text: String) { send(client, Array(text.utf8)) }

  private static func send(_ client: Int32, _ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

/// Messages, byte by byte (D-Bus Specification, "Message Protocol"), little-endian.
enum RawMessage {
  static func number(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A string as a value; the length need not be the true one.
  static func text(_ text: String, length: Int? = nil) -> [UInt8] {
    number(UInt32(length ?? text.utf8.count)) + Array(text.utf8) + [0]
  }

  /// A method's return with a body of that signature, whatever the body is.
  static func reply(
    to serial: UInt32, _ signature: String, _ body: [UInt8], type: UInt8 = 2,
    sender: String = "org.freedesktop.DBus", descriptors: UInt32? = nil
  )
    -> [UInt8]
  {
    var fields: [UInt8] = [5, 1, UInt8(ascii: "u"), 0] + number(serial)
    fields += pad(fields) + [7, 1, UInt8(ascii: "s"), 0] + text(sender)
    if type == 3 { fields += pad(fields) + [4, 1, UInt8(ascii: "s"), 0] + text("test.Error.Raw") }
    if !signature.isEmpty {
      fields += pad(fields) + [8, 1, UInt8(ascii: "g"), 0, UInt8(truncatingIfNeeded: signature.utf8.count)]
      fields += Array(signature.utf8) + [0]
    }
    if let descriptors { fields += pad(fields) + [9, 1, UInt8(ascii: "u"), 0] + number(descriptors) }
    return header(type, serial &+ 1000, UInt32(body.count)) + number(UInt32(fields.count)) + fields
      + pad(fields) + body
  }

  static func header(_ type: UInt8, _ serial: UInt32, _ length: UInt32) -> [UInt8] {
    [UInt8(ascii: "l"), type, 1, 1] + number(length) + number(serial)
  }

  private static func pad(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
  }
}
