public import ESCPOS
import Glibc
import Threads

/// Opens a printer that is a file: a character device such as `/dev/usb/lp0`, or a regular file that jobs are appended to.
///
/// There is no back channel. A terminal device (`/dev/ttyS0`) is set to pass bytes as they are; its speed stays what it
/// is.
public struct FileLinkOpener: LinkOpener {
  private let path: String
  private let clock: any BootTimeClock

  /// Creates an opener for a path; a regular file need not exist, its folder must.
  public init(path: String, clock: any BootTimeClock) {
    self.path = path
    self.clock = clock
  }

  /// Opens the file or the device.
  ///
  /// - Throws: ``LinkError``: `.refused` for permissions or a path that is no printer, `.busy` when another program has
  ///   the device, `.unreachable` when it is not there (a USB printer that is off), `.deadline`, `.cancelled`.
  public func open(by deadline: BootInstant) async throws(LinkError) -> any PrinterLink {
    guard clock.now < deadline else { throw LinkError(.deadline, "\(path): not opened in time") }
    let (path, clock) = (path, clock)
    let result = await WorkThreads.opening.run(
      unless: { .failure(await clock.end(of: deadline, "\(path): not opened in time")) },
      discard: { late in
        if case .success((let descriptor, isDevice: _)) = late { close(descriptor) }
      }
    ) { Self.open(path) }
    switch result {
    case .failure(let error): throw error
    case .success((let descriptor, isDevice: true)):
      return DescriptorLink(
        descriptor: descriptor, kind: .device(hasBackChannel: false), target: path, clock: clock)
    case .success((let descriptor, isDevice: false)):
      return FileLink(descriptor: descriptor, path: path, clock: clock)
    }
  }

  private static func open(_ path: String) -> Result<(Int32, isDevice: Bool), LinkError> {
    // Not blocking, so that a FIFO or a device that waits for something cannot hold the thread.
    let flags = O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    var descriptor = Int32(retrying { Int(Glibc.open(path, flags)) })
    // A device that is not there is a printer that is off: nothing is made in its place.
    if descriptor < 0, errno == ENOENT, !path.hasPrefix("/dev/") {
      descriptor = Int32(retrying { Int(Glibc.open(path, flags | O_CREAT, 0o640)) })
    }
    guard descriptor >= 0 else {
      let error = SystemError.last
      guard error.number != EISDIR else { return .failure(LinkError(.refused, "\(path): is a folder")) }
      return .failure(error.opening(path))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      defer { close(descriptor) }
      return .failure(SystemError.last.opening(path))
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .success((descriptor, isDevice: false))
    case S_IFCHR:
      makeRaw(descriptor)
      return .success((descriptor, isDevice: true))
    default:
      close(descriptor)
      return .failure(LinkError(.refused, "\(path): is neither a regular file nor a character device"))
    }
  }

  private static func makeRaw(_ descriptor: Int32) {
    var settings = termios()
    guard isatty(descriptor) == 1, tcgetattr(descriptor, &settings) == 0 else { return }
    cfmakeraw(&settings)
    _ = tcsetattr(descriptor, TCSANOW, &settings)
  }
}
