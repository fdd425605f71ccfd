import Glibc
import PrintJobs

/// The folder of order files. All calls block.
struct OrderFolder: Sendable {
  let path: String

  private static let suffix = ".json"
  /// A file that was changed within this many seconds and is no JSON may still be in the making.
  private static let settling = 10

  /// The order's bytes.
  func order(_ id: String) throws(OrderServiceError) -> [UInt8] {
    if let fault = OrderDocument.fault(ofID: id) { throw OrderServiceError(.refused, fault) }
    guard !id.contains("/"), !id.hasPrefix(".") else {
      throw OrderServiceError(
        .refused, "an order id that names a file has no / in it and no full stop before it")
    }
    let directory = try openFolder()
    defer { close(directory) }
    // Not through links, which could point at any file of the machine, and not waiting for the writer of a pipe.
    let file = openat(directory, id + OrderFolder.suffix, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { throw OrderFolder.failure(errno, "the order's file") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw OrderServiceError(.refused, "what has the order's name is not a file")
    }
    guard status.st_size <= OrderDocument.limit else {
      throw OrderServiceError(.refused, "the order's file is longer than \(OrderDocument.limit) bytes")
    }
    let bytes = try OrderFolder.read(file)
    guard !OrderDocument.isObject(bytes) else { return bytes }
    let age = time(nil) - status.st_mtim.tv_sec
    guard !(0...OrderFolder.settling).contains(age) else {
      throw OrderServiceError(
        .unavailable, "the order's file is being written; write it under another name and rename it")
    }
    throw OrderServiceError(.refused, "the order's file is not one JSON object")
  }

  /// All order files with the time they arrived.
  func arrivals() throws(OrderServiceError) -> [PendingOrders.Arrival] {
    let directory = try openFolder()
    guard let stream = fdopendir(directory) else {
      let cause = errno
      close(directory)
      throw OrderFolder.failure(cause, "the folder of orders")
    }
    defer { closedir(stream) }
    var arrivals: [PendingOrders.Arrival] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let name, name.hasSuffix(OrderFolder.suffix), !name.hasPrefix(".") else { continue }
      let id = String(name.dropLast(OrderFolder.suffix.count))
      var status = stat()
      guard OrderDocument.fault(ofID: id) == nil, fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { continue }
      let time = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
      arrivals.append(PendingOrders.Arrival(time: time, id: id))
    }
    return arrivals
  }

  /// Now by the clock that files are stamped with, nanoseconds since 1970.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private func openFolder() throws(OrderServiceError) -> Int32 {
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory < 0 else { return directory }
    throw OrderServiceError(
      .unavailable,
      "the folder \(path) cannot be opened: \(String(cString: strerror(errno))); make it, or mend its owner and mode"
    )
  }

  private static func read(_ file: Int32) throws(OrderServiceError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while bytes.count <= OrderDocument.limit {
      let count = Glibc.read(file, &piece, piece.count)
      if count == 0 { return bytes }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(errno, "the order's file") }
      bytes += piece[..<count]
    }
    throw OrderServiceError(.refused, "the order's file is longer than \(OrderDocument.limit) bytes")
  }

  private static func failure(_ cause: Int32, _ what: String) -> OrderServiceError {
    let reason = String(cString: strerror(cause))
    return switch cause {
    case ENOENT: OrderServiceError(.notFound, "there is no file of that order")
    case ELOOP: OrderServiceError(.refused, "\(what) is a link; put the file itself there")
    case ENAMETOOLONG, ENXIO: OrderServiceError(.refused, "\(what) cannot be opened: \(reason)")
    default: OrderServiceError(.unavailable, "\(what) cannot be read: \(reason); mend its owner and mode")
    }
  }
}
