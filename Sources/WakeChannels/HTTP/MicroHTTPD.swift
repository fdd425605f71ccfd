import CMicroHTTPD
import Glibc
import Synchronization
import Threads

/// A libmicrohttpd daemon: one thread with epoll, connections suspended while their handlers work.
///
/// The only file that knows the library.
final class MicroHTTPD: Sendable {
  private struct Daemon: @unchecked Sendable {
    // Taken out of the state under its lock; the library allows its calls from any thread.
    let pointer: OpaquePointer
  }

  private struct State {
    var daemon: Daemon?
    var isStopping = false
    /// Requests from the start of their handler to the last byte of their reply.
    var inHand = 0
    var drained: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let socket: ListeningSocket
  private let limits: HTTPServer.Limits
  private let deadlines: ConnectionDeadlines
  private let log: @Sendable (String) -> Void
  private let handle: @Sendable (HTTPServer.Request) async -> HTTPServer.Response

  /// Starts the daemon, which owns the socket from then on; until ``stop()`` it also owns this object.
  init(
    socket: ListeningSocket, limits: HTTPServer.Limits, log: @escaping @Sendable (String) -> Void,
    handle: @escaping @Sendable (HTTPServer.Request) async -> HTTPServer.Response
  ) throws(HTTPServerError) {
    self.socket = socket
    self.limits = limits
    self.log = log
    self.handle = handle
    deadlines = ConnectionDeadlines(receive: limits.receive, reply: limits.reply)
    let context = Unmanaged.passRetained(self)
    let callbacks = cmhd_callbacks(
      request: requestCallback, completed: completedCallback, connection: connectionCallback,
      log: logCallback,
      context: context.toOpaque())
    let memory = max(32768, 2 * limits.headerBytes)
    let daemon = cmhd_start(
      socket.descriptor, limits.connections, limits.connectionsPerAddress, memory, callbacks)
    guard let daemon else {
      socket.shutDown()
      context.release()
      throw HTTPServerError(.system, "libmicrohttpd cannot serve here; the log above says why")
    }
    let running = Daemon(pointer: daemon)
    state.withLock { $0.daemon = running }
  }

  /// Refuses new connections, waits for the requests in hand, and ends the thread. To be called once.
  func stop() async {
    state.withLock { state in
      state.isStopping = true
      if let daemon = state.daemon { MHD_quiesce_daemon(daemon.pointer) }
    }
    socket.shutDown()
    await withCheckedContinuation { continuation in
      let isDrained = state.withLock { state in
        if state.inHand > 0 { state.drained = continuation }
        return state.inHand == 0
      }
      if isDrained { continuation.resume() }
    }
    // Joins the library's thread, so not on the cooperative pool.
    await WorkThreads().run {
      let daemon = self.state.withLock { state -> Daemon? in
        defer { state.daemon = nil }
        return state.daemon
      }
      if let daemon {
        MHD_stop_daemon(daemon.pointer)
        close(self.socket.descriptor)
        Unmanaged.passUnretained(self).release()
      }
    }
  }

  // MARK: On the daemon's thread

  fileprivate func begin(_ head: RequestHead) -> Exchange { Exchange(head: head, limits: limits) }

  fileprivate func opened(_ connection: OpaquePointer) {
    deadlines.opened(connection, descriptor: cmhd_descriptor(connection))
  }

  fileprivate func closes(_ connection: OpaquePointer) { deadlines.closes(connection) }

  fileprivate func complain(_ line: String) { log(line) }

  /// Hands a whole request to its handler; false while stopping.
  fileprivate func start(_ exchange: Exchange, on connection: OpaquePointer) -> Bool {
    let isAccepted = state.withLock { state in
      if !state.isStopping { state.inHand += 1 }
      return !state.isStopping
    }
    guard isAccepted else { return false }
    exchange.isInHand = true
    deadlines.isHandled(connection)
    MHD_suspend_connection(connection)
    let suspended = SuspendedConnection(connection: connection)
    let request = exchange.request
    Task { [handle] in
      let response = await handle(request)
      exchange.answer.withLock { $0 = response }
      suspended.resume()
    }
    return true
  }

  fileprivate func reply(_ response: HTTPServer.Response, on connection: OpaquePointer) -> MHD_Result {
    deadlines.replies(connection)
    let reply = response.breaksOff ? halfReply(response.body) : wholeReply(response.body)
    guard let reply else { return .NO }
    defer { MHD_destroy_response(reply) }
    // The library itself refuses a name or value with a line break in it.
    for field in response.fields.entries { MHD_add_response_header(reply, field.name, field.value) }
    if state.withLock({ $0.isStopping }) {
      MHD_add_response_header(reply, "Connection", "close")
    }
    let status = (200...599).contains(response.status) ? response.status : 500
    return MHD_queue_response(connection, UInt32(status), reply)
  }

  fileprivate func completed(_ exchange: Exchange, on connection: OpaquePointer) {
    deadlines.awaitsRequest(connection)
    guard exchange.isInHand else { return }
    let drained = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.inHand -= 1
      guard state.inHand == 0 else { return nil }
      defer { state.drained = nil }
      return state.drained
    }
    drained?.resume()
  }
}

/// A connection that nobody touches until it is resumed, once; the library allows that from any thread.
private struct SuspendedConnection: @unchecked Sendable {
  // The library's own lock guards the connection's place in its lists.
  let connection: OpaquePointer

  func resume() { MHD_resume_connection(connection) }
}

private func wholeReply(_ body: [UInt8]) -> OpaquePointer? {
  body.withUnsafeBytes {
    MHD_create_response_from_buffer(
      $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
  }
}

/// A reply that announces the whole body, sends the first half of it and cuts the connection.
private func halfReply(_ body: [UInt8]) -> OpaquePointer? {
  final class Half {
    let bytes: ArraySlice<UInt8>
    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }
  }
  return MHD_create_response_from_callback(
    UInt64(body.count), 4096,
    { context, position, buffer, room in
      guard let context, let buffer else { return -2 }
      let rest = Unmanaged<Half>.fromOpaque(context).takeUnretainedValue().bytes.dropFirst(Int(position))
      guard !rest.isEmpty else { return -2 }  // MHD_CONTENT_READER_END_WITH_ERROR
      let piece = rest.prefix(room)
      UnsafeMutableRawBufferPointer(start: buffer, count: room).copyBytes(from: piece)
      return piece.count
    }, Unmanaged.passRetained(Half(body.prefix(body.count / 2))).toOpaque(),
    { context in
      if let context { Unmanaged<Half>.fromOpaque(context).release() }
    })
}

private func server(_ context: UnsafeMutableRawPointer?) -> MicroHTTPD? {
  context.map { Unmanaged<MicroHTTPD>.fromOpaque($0).takeUnretainedValue() }
}

private let requestCallback: MHD_AccessHandlerCallback = {
  context, connection, path, method, _, piece, count, slot in
  guard let server = server(context), let connection, let slot, let count else { return .NO }
  guard let known = slot.pointee else {
    let head = RequestHead(connection, method: method, path: path)
    let exchange = server.begin(head)
    slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    return exchange.refusal.map { server.reply($0, on: connection) } ?? .YES
  }
  let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
  if count.pointee > 0, let piece {
    let bytes = UnsafeRawBufferPointer(start: piece, count: count.pointee)
    count.pointee = 0
    return exchange.take(bytes.bindMemory(to: UInt8.self)) ? .YES : .NO
  }
  if let answer = exchange.answer.withLock({ $0 }) ?? exchange.lateRefusal {
    return server.reply(answer, on: connection)
  }
  guard server.start(exchange, on: connection) else {
    return server.reply(
      .error(503, "printd is stopping", remedy: "send it again in a moment"), on: connection)
  }
  return .YES
}

private let completedCallback: MHD_RequestCompletedCallback = { context, connection, slot, _ in
  guard let server = server(context), let connection, let slot, let known = slot.pointee else { return }
  slot.pointee = nil
  server.completed(Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue(), on: connection)
}

private let connectionCallback: MHD_NotifyConnectionCallback = { context, connection, _, event in
  guard let server = server(context), let connection else { return }
  if event == .CONNECTION_NOTIFY_STARTED { server.opened(connection) } else { server.closes(connection) }
}

private let logCallback: MHD_LogCallback = { context, format, arguments in
  guard let server = server(context), let format, let arguments else { return }
  var line = [CChar](repeating: 0, count: 512)
  vsnprintf(&line, line.count, format, arguments)
  let text = line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  server.complain(String(text.split(whereSeparator: \.isNewline).joined(separator: " ")))
}

extension RequestHead {
  /// Reads what stands before the body. The library has replaced `+` in the query by a space already.
  fileprivate init(_ connection: OpaquePointer, method: UnsafePointer<CChar>?, path: UnsafePointer<CChar>?) {
    let query = RequestHead.values(connection, .GET_ARGUMENT_KIND)
    let decoded = query.compactMap { entry -> (name: String, value: String)? in
      guard let name = PercentCoding.decoded(entry.name), let value = PercentCoding.decoded(entry.value)
      else { return nil }
      return (name, value)
    }
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    self.init(
      method: method.map { String(cString: $0) } ?? "", path: path.map { String(cString: $0) } ?? "",
      query: decoded.count == query.count ? decoded : nil,
      fields: HTTPFields(RequestHead.values(connection, .HEADER_KIND)),
      peer: peerName(cmhd_peer(connection)),
      acceptedAt: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
  }

  private static func values(
    _ connection: OpaquePointer, _ kind: MHD_ValueKind
  ) -> [(name: String, value: String)] {
    var entries: [(name: String, value: String)] = []
    withUnsafeMutablePointer(to: &entries) { entries in
      _ = MHD_get_connection_values(
        connection, kind,
        { context, _, name, value in
          guard let context, let name else { return .NO }
          let entries = context.assumingMemoryBound(to: [(name: String, value: String)].self)
          entries.pointee.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
          return .YES
        }, entries)
    }
    return entries
  }
}
