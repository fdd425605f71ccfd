import CDBus

/// A message of libdbus. Made and read by the connection's thread alone.
///
/// The descriptors in it are closed with it; what is read from it has descriptors of its own.
final class WireMessage {
  fileprivate let pointer: OpaquePointer

  fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { dbus_message_unref(pointer) }

  /// Builds a message whose names and arguments have been found valid.
  init(_ header: Header, _ arguments: [DBusValue]) throws(DBusError) {
    guard let pointer = dbus_message_new(header.kind.rawValue) else { throw WireWriter.noMemory }
    self.pointer = pointer
    var isComplete = true
    func set(_ value: String?, _ setter: (OpaquePointer?, UnsafePointer<CChar>?) -> dbus_bool_t) {
      if let value, setter(pointer, value) == 0 { isComplete = false }
    }
    set(header.destination, dbus_message_set_destination)
    set(header.path.isEmpty ? nil : header.path, dbus_message_set_path)
    set(header.interface, dbus_message_set_interface)
    set(header.member.isEmpty ? nil : header.member, dbus_message_set_member)
    set(header.errorName, dbus_message_set_error_name)
    if header.replySerial != 0, dbus_message_set_reply_serial(pointer, header.replySerial) == 0 {
      isComplete = false
    }
    dbus_message_set_auto_start(pointer, header.autoStart ? 1 : 0)
    dbus_message_set_no_reply(pointer, header.kind == .call && header.wantsReply ? 0 : 1)
    guard isComplete else { throw WireWriter.noMemory }
    var writer = WireWriter()
    dbus_message_iter_init_append(pointer, &writer.iterator)
    for argument in arguments { try writer.append(argument) }
  }

  /// The header of a message that was received; nil for a type that we do not know, which is to be ignored.
  var header: Header? {
    guard let kind = Header.Kind(rawValue: dbus_message_get_type(pointer)) else { return nil }
    func text(_ value: UnsafePointer<CChar>?) -> String? { value.map { String(cString: $0) } }
    return Header(
      kind: kind, sender: text(dbus_message_get_sender(pointer)) ?? "",
      destination: text(dbus_message_get_destination(pointer)),
      path: text(dbus_message_get_path(pointer)) ?? "",
      interface: text(dbus_message_get_interface(pointer)),
      member: text(dbus_message_get_member(pointer)) ?? "",
      errorName: text(dbus_message_get_error_name(pointer)), serial: dbus_message_get_serial(pointer),
      replySerial: dbus_message_get_reply_serial(pointer),
      wantsReply: dbus_message_get_no_reply(pointer) == 0)
  }

  /// The signature of the arguments.
  var signature: String { dbus_message_get_signature(pointer).map { String(cString: $0) } ?? "" }

  /// The arguments; libdbus has found their form valid when it received the message.
  func arguments() throws(DBusError) -> [DBusValue] {
    var reader = WireReader()
    guard dbus_message_iter_init(pointer, &reader.iterator) != 0 else { return [] }
    return try reader.all()
  }
}

/// Appends single values to a message. Types are given as characters, since `DBUS_TYPE_*` are casts that do not import.
struct WireWriter {
  static let noMemory = DBusError(.unavailable, "no memory for a message")

  fileprivate var iterator = DBusMessageIter()

  /// Appends a number of the exact width of its type.
  mutating func number<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) throws(DBusError) {
    var value = value
    guard dbus_message_iter_append_basic(&iterator, Int32(type.value), &value) != 0 else {
      throw Self.noMemory
    }
  }

  mutating func boolean(_ value: Bool) throws(DBusError) {
    try number("b", dbus_bool_t(value ? 1 : 0))
  }

  mutating func text(_ type: Unicode.Scalar, _ text: String) throws(DBusError) {
    let appended = text.withCString { start in
      var start: UnsafePointer<CChar>? = start
      return dbus_message_iter_append_basic(&iterator, Int32(type.value), &start)
    }
    guard appended != 0 else { throw Self.noMemory }
  }

  /// Appends a duplicate, which libdbus makes.
  mutating func descriptor(_ number: Int32) -> Bool {
    var number = number
    return dbus_message_iter_append_basic(&iterator, Int32(UInt8(ascii: "h")), &number) != 0
  }

  /// Appends bytes inside a container of type `ay`.
  mutating func bytes(_ bytes: [UInt8]) throws(DBusError) {
    let appended = bytes.withUnsafeBufferPointer { buffer in
      guard var start = buffer.baseAddress, !buffer.isEmpty else { return true }
      return dbus_message_iter_append_fixed_array(
        &iterator, Int32(UInt8(ascii: "y")), &start, Int32(buffer.count)) != 0
    }
    guard appended else { throw Self.noMemory }
  }

  mutating func container(
    _ type: Unicode.Scalar, _ signature: String?, _ body: (inout WireWriter) throws(DBusError) -> Void
  ) throws(DBusError) {
    var inner = WireWriter()
    guard dbus_message_iter_open_container(&iterator, Int32(type.value), signature, &inner.iterator) != 0
    else {
      throw Self.noMemory
    }
    do { try body(&inner) } catch {
      dbus_message_iter_abandon_container(&iterator, &inner.iterator)
      throw error
    }
    guard dbus_message_iter_close_container(&iterator, &inner.iterator) != 0 else { throw Self.noMemory }
  }
}

/// Reads single values from a message.
struct WireReader {
  fileprivate var iterator = DBusMessageIter()

  /// The type at the reader's place; nil at the end of the container.
  var type: Unicode.Scalar? {
    mutating get {
      let type = dbus_message_iter_get_arg_type(&iterator)
      return type == 0 ? nil : Unicode.Scalar(UInt32(bitPattern: type))
    }
  }

  mutating func next() { dbus_message_iter_next(&iterator) }

  /// A reader for what is inside the container at the reader's place.
  mutating func inner() -> WireReader {
    var inner = WireReader()
    dbus_message_iter_recurse(&iterator, &inner.iterator)
    return inner
  }

  /// The bytes inside an `ay`.
  mutating func bytes() -> [UInt8] {
    var start: UnsafePointer<UInt8>?
    var count: Int32 = 0
    dbus_message_iter_get_fixed_array(&iterator, &start, &count)
    guard let start else { return [] }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  /// The signature of the value at the reader's place.
  mutating func signature() throws(DBusError) -> String {
    guard let text = dbus_message_iter_get_signature(&iterator) else { throw WireWriter.noMemory }
    defer { dbus_free(text) }
    return String(cString: text)
  }

  /// The value at the reader's place, which is no container.
  mutating func basic(_ type: Unicode.Scalar) throws(DBusError) -> DBusValue {
    var basic = DBusBasicValue()
    dbus_message_iter_get_basic(&iterator, &basic)
    switch type {
    case "y": return .byte(basic.byt)
    case "b": return .boolean(basic.bool_val != 0)
    case "n": return .int16(basic.i16)
    case "q": return .uint16(basic.u16)
    case "i": return .int32(basic.i32)
    case "u": return .uint32(basic.u32)
    case "x": return .int64(Int64(basic.i64))
    case "t": return .uint64(UInt64(basic.u64))
    case "d": return .double(basic.dbl)
    case "s": return .string(basic.str.map { String(cString: $0) } ?? "")
    case "o": return .objectPath(basic.str.map { String(cString: $0) } ?? "")
    case "g": return .signature(basic.str.map { String(cString: $0) } ?? "")
    case "h":
      // A duplicate of the message's own, with CLOEXEC; ours to close.
      guard basic.fd >= 0 else {
        throw DBusError(.malformed, "a descriptor is missing, or this process has none left")
      }
      return .descriptor(DBusDescriptor(owning: basic.fd))
    default: throw DBusError(.malformed, "a value of the unknown type \(type)")
    }
  }
}

/// A private connection of libdbus; used by its thread alone, from the first call to the last.
final class WireConnection {
  private let pointer: OpaquePointer
  private let watches: Watches

  /// Connects; may block for as long as the kernel's `connect` does.
  ///
  /// - Throws: `.unavailable`.
  init(_ address: String, watches: Watches) throws(DBusError) {
    dbus_threads_init_default()
    // The thread blocks SIGPIPE; ignoring it in the whole process is not libdbus's to decide.
    dbus_connection_set_change_sigpipe(0)
    var fault = CDBus.DBusError()
    dbus_error_init(&fault)
    defer { dbus_error_free(&fault) }
    guard let pointer = dbus_connection_open_private(address, &fault) else {
      let reason = fault.message.map { String(cString: $0) } ?? "no reason given"
      throw DBusError(.unavailable, "\(address): \(reason)")
    }
    self.pointer = pointer
    self.watches = watches
    dbus_connection_set_exit_on_disconnect(pointer, 0)
    // The thread blocks SIGPIPE; ignoring it in the whole process is not libdbus's to decide.
    dbus_connection_set_change_sigpipe(0)
    let context = Unmanaged.passUnretained(watches).toOpaque()
    // libdbus holds its own lock while it calls these, so they only note what is to be done.
    _ = dbus_connection_set_watch_functions(
      pointer,
      { watch, context in
        guard let watch, let context else { return 0 }
        Watches.at(context).add(
          watch, descriptor: dbus_watch_get_unix_fd(watch), WireConnection.wanted(watch))
        return 1
      },
      { watch, context in
        if let watch, let context {
          Watches.at(context).remove(watch, descriptor: dbus_watch_get_unix_fd(watch))
        }
      },
      { watch, context in
        guard let watch, let context else { return }
        Watches.at(context).change(
          watch, descriptor: dbus_watch_get_unix_fd(watch), WireConnection.wanted(watch))
      }, context, nil)
    _ = dbus_connection_set_timeout_functions(
      pointer,
      { timeout, context in
        guard let timeout, let context else { return 0 }
        Watches.at(context).set(timeout, interval: WireConnection.interval(timeout))
        return 1
      },
      { timeout, context in
        if let timeout, let context { Watches.at(context).set(timeout, interval: nil) }
      },
      { timeout, context in
        guard let timeout, let context else { return }
        Watches.at(context).set(timeout, interval: WireConnection.interval(timeout))
      }, context, nil)
  }

  deinit { dbus_connection_unref(pointer) }

  /// Closes the socket; nothing more is sent or received.
  func close() { dbus_connection_close(pointer) }

  var isConnected: Bool { dbus_connection_get_is_connected(pointer) != 0 }

  /// Whether the authenticated peer takes descriptors.
  var takesDescriptors: Bool { dbus_connection_can_send_type(pointer, Int32(UInt8(ascii: "h"))) != 0 }

  /// Queues a message and writes what the socket takes.
  ///
  /// - Returns: The serial number by which a reply names it.
  func send(_ message: WireMessage) throws(DBusError) -> UInt32 {
    var serial: UInt32 = 0
    guard dbus_connection_send(pointer, message.pointer, &serial) != 0 else { throw WireWriter.noMemory }
    return serial
  }

  /// The next message that has been received.
  func next() -> WireMessage? { dbus_connection_pop_message(pointer).map { WireMessage($0) } }

  private static let flags: [(flag: UInt32, readiness: Readiness)] = [
    (DBUS_WATCH_READABLE.rawValue, .reading), (DBUS_WATCH_WRITABLE.rawValue, .writing),
    (DBUS_WATCH_ERROR.rawValue, .failed), (DBUS_WATCH_HANGUP.rawValue, .hungUp),
  ]

  /// Lets libdbus read or write.
  static func handle(_ watch: OpaquePointer, _ ready: Readiness) {
    dbus_watch_handle(watch, flags.reduce(0) { ready.contains($1.readiness) ? $0 | $1.flag : $0 })
  }

  /// Tells libdbus that an interval has passed.
  static func fire(_ timeout: OpaquePointer) { dbus_timeout_handle(timeout) }

  /// What a watch waits for; nil when it is disabled.
  private static func wanted(_ watch: OpaquePointer) -> Readiness? {
    guard dbus_watch_get_enabled(watch) != 0 else { return nil }
    let wanted = dbus_watch_get_flags(watch)
    return Readiness(flags.filter { wanted & $0.flag != 0 }.map(\.readiness))
  }

  /// A timeout's interval in milliseconds; nil when it is disabled.
  private static func interval(_ timeout: OpaquePointer) -> Int32? {
    dbus_timeout_get_enabled(timeout) != 0 ? dbus_timeout_get_interval(timeout) : nil
  }

  /// The identity of this machine, or nil where it has none.
  static var machine: String? {
    guard let text = dbus_try_get_local_machine_id(nil) else { return nil }
    defer { dbus_free(text) }
    return String(cString: text)
  }
}
