import ESCPOS
import Glibc

/// What a system call left in `errno`.
package struct SystemError: Error, Equatable {
  /// The number.
  package let number: Int32

  /// An error of a number that is known.
  package init(number: Int32) {
    self.number = number
  }

  /// The number that the last call left.
  package static var last: SystemError { SystemError(number: errno) }

  /// The C library's words for it.
  package var words: String {
    var buffer = [CChar](repeating: 0, count: 256)
    _ = strerror_r(number, &buffer, buffer.count)
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether a call that does not block would have had to.
  var wouldBlock: Bool { number == EAGAIN || number == EWOULDBLOCK }

  /// Whether a device that failed with it may have passed some of the bytes on. `EIO` of usblp(4) comes after the
  /// transfer was begun; the others say that there is no device to write to.
  var mayHaveWritten: Bool { ![ENODEV, ENXIO, EBADF, EINVAL].contains(number) }

  /// What it means for a link that is being opened to `target`.
  func opening(_ target: String) -> LinkError {
    switch number {
    case EACCES, EPERM:
      LinkError(.refused, "\(target): \(words); check the permissions of the user that printd runs as")
    case EBUSY: LinkError(.busy, "\(target): \(words); another program has the printer open")
    default: LinkError(.unreachable, "\(target): \(words)")
    }
  }

  /// What it means for a link that was open to `target`.
  func using(_ target: String) -> LinkError {
    LinkError(.lost, "\(target): \(words)")
  }
}

/// Calls again while a signal interrupts.
package func retrying(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
