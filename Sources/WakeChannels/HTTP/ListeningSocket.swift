import Glibc

/// A socket that listens, made here or handed over by systemd.
struct ListeningSocket {
  let descriptor: Int32
  /// The port, for TCP.
  var port: UInt16?
  /// Where the socket lies in the file system, and which file it is there.
  private var file: (path: String, device: dev_t, inode: ino_t)?
  /// Whether the socket is ours to shut down; one from systemd goes on queueing for the next process.
  private let isOwn: Bool

  /// Binds and listens.
  init(_ listen: HTTPServer.Listen) throws(HTTPServerError) {
    switch listen {
    case .tcp(let host, let port): try self.init(host: host, port: port)
    case .unix(let path, let mode): try self.init(path: path, mode: mode)
    case .descriptor(let descriptor): try self.init(inherited: descriptor)
    }
  }

  /// Refuses new connections from now on, and takes the file away when it is still this socket.
  func shutDown() {
    guard isOwn else { return }
    if let file {
      var status = stat()
      if lstat(file.path, &status) == 0, status.st_dev == file.device, status.st_ino == file.inode {
        unlink(file.path)
      }
    }
    shutdown(descriptor, Int32(SHUT_RD))
  }

  private init(inherited descriptor: Int32) throws(HTTPServerError) {
    var listens: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0, listens != 0 else {
      throw HTTPServerError(
        .address, "descriptor \(descriptor) is not a listening socket; check the .socket unit")
    }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    self.descriptor = descriptor
    isOwn = false
    port = ListeningSocket.port(of: descriptor)
  }

  private init(host: String, port: UInt16) throws(HTTPServerError) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    let name = host == "localhost" ? "127.0.0.1" : host
    guard getaddrinfo(name, String(port), &hints, &found) == 0, let found else {
      throw HTTPServerError(
        .address, "cannot listen on \(host): give an IP address such as 127.0.0.1, 0.0.0.0 or ::1")
    }
    defer { freeaddrinfo(found) }
    let place = "\(host):\(port)"
    let descriptor = try ListeningSocket.open(found.pointee.ai_family, place)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
      Glibc.listen(descriptor, 256) == 0
    else { throw ListeningSocket.failure("listen on \(place)", closing: descriptor) }
    self.descriptor = descriptor
    isOwn = true
    self.port = ListeningSocket.port(of: descriptor)
  }

  /// The socket gets its mode before it listens and its name after that, so that nobody can connect by a wider mode
  /// than the one asked for, and a stale file is replaced in one step. (`umask` would be the whole process's.)
  private init(path: String, mode: UInt32) throws(HTTPServerError) {
    try ListeningSocket.checkFree(path)
    let draft = "\(path).\(getpid())"
    let descriptor = try ListeningSocket.open(AF_UNIX, path)
    unlink(draft)
    let bound = try ListeningSocket.withAddress(draft) { bind(descriptor, $0, $1) }
    var status = stat()
    guard bound == 0, chmod(draft, mode) == 0, Glibc.listen(descriptor, 256) == 0, lstat(draft, &status) == 0,
      rename(draft, path) == 0
    else {
      let error = ListeningSocket.failure("listen on \(path)", closing: descriptor)
      unlink(draft)
      throw error
    }
    self.descriptor = descriptor
    isOwn = true
    file = (path, status.st_dev, status.st_ino)
  }

  /// Refuses a path where something lies that is not a socket, or a socket on which somebody listens.
  private static func checkFree(_ path: String) throws(HTTPServerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw HTTPServerError(.inUse, "\(path) exists and is not a socket; move it away or choose another path")
    }
    let probe = try open(AF_UNIX, path)
    defer { close(probe) }
    let answer = try withAddress(path) { connect(probe, $0, $1) }
    guard answer == 0 || errno != ECONNREFUSED else { return }
    throw HTTPServerError(.inUse, "somebody listens on \(path) already; stop that process first")
  }

  private static func open(_ family: Int32, _ place: String) throws(HTTPServerError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { throw failure("listen on \(place)", closing: -1) }
    return descriptor
  }

  private static func failure(_ what: String, closing descriptor: Int32) -> HTTPServerError {
    let cause = errno
    if descriptor >= 0 { close(descriptor) }
    let reason = String(cString: strerror(cause))
    return HTTPServerError(cause == EADDRINUSE ? .inUse : .system, "cannot \(what): \(reason)")
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(HTTPServerError) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < room, !path.utf8.contains(0), !path.isEmpty else {
      throw HTTPServerError(
        .address, "the socket path \(path) must have 1 to \(room - 12) bytes; choose a shorter one")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static func port(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { storage -> UInt16? in
      let known = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &size) == 0
      }
      guard known else { return nil }
      switch Int32(storage.pointee.ss_family) {
      case AF_INET:
        return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          UInt16(bigEndian: $0.pointee.sin_port)
        }
      case AF_INET6:
        return storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          UInt16(bigEndian: $0.pointee.sin6_port)
        }
      default: return nil
      }
    }
  }
}
