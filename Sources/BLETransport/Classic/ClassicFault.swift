import ESCPOS
import Glibc
import PrinterLinks

/// Why a Classic printer could not be asked or connected.
enum ClassicFault: Error, Equatable {
  /// The kernel's word for it.
  case system(SystemError)
  /// The time was over.
  case deadline
  /// The task was cancelled.
  case cancelled
  /// What its SDP server answered is no list of records.
  case malformed(SDPElement.Malformed)
}

extension ClassicFault {
  /// The error for whoever wanted to print, which names the printer, the cause and the remedy.
  ///
  /// Source: the kernel's `bt_to_errno` (net/bluetooth/lib.c) for what the controller reports, `rfcomm/core.c` for the
  /// rest.
  func linkError(_ printer: BluetoothPrinter) -> LinkError {
    let title = printer.title
    switch self {
    case .cancelled: return .cancelled
    case .deadline: return LinkError(.deadline, "\(title) was not connected in time")
    case .malformed(let malformed):
      return LinkError(
        .unreachable,
        "\(title) does not say where its serial port is: \(malformed.fault) at byte \(malformed.offset)")
    case .system(let error):
      switch error.number {
      case EHOSTDOWN, ETIMEDOUT:
        return LinkError(
          .unreachable, "\(title) does not answer: it is off, asleep, out of range or used by another host")
      case EHOSTUNREACH, ENODEV, ENETDOWN, ENETUNREACH, EADDRNOTAVAIL: return .adapterOff(title)
      case ECONNREFUSED:
        return LinkError(
          .busy,
          "\(title) refuses: another host (a phone?) is using it, or it has no serial port; disconnect it there"
        )
      case EBUSY, EALREADY, EMLINK:
        return LinkError(
          .busy, "\(title): its last link is not down yet, or another program here holds it (\(error.words))")
      case EACCES, EPERM, EBADE, EKEYREJECTED:
        return LinkError(
          .refused,
          "\(title) does not accept our pairing (\(error.words)); run: printd printers pair \(printer.address)"
        )
      case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
        return LinkError(
          .refused,
          "\(title): this process may not open Bluetooth sockets (\(error.words)); it must not run in a container or "
            + "with a network of its own, systemd's RestrictAddressFamilies must have AF_BLUETOOTH, and the kernel "
            + "its module rfcomm")
      default:
        return LinkError(.unreachable, "\(title) cannot be connected: \(error.words)")
      }
    }
  }
}

extension ClassicFault {
  /// Whether it tells nothing of the way that was taken, but that the printer was not reached, or not in time.
  var isOfReach: Bool {
    switch self {
    case .deadline, .cancelled: true
    case .malformed: false
    case .system(let error):
      [EHOSTDOWN, ETIMEDOUT, EHOSTUNREACH, ENODEV, ENETDOWN, ENETUNREACH].contains(error.number)
    }
  }
}

extension SystemError {
  /// The error that a socket has to tell (`SO_ERROR`), told once.
  static func pending(on descriptor: Int32) -> SystemError? {
    var number: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else { return .last }
    return number == 0 ? nil : SystemError(number: number)
  }

  /// Whether it lies in our last link, which the kernel is still taking down, the new one with it (rfcomm core).
  var isOfLastLink: Bool { [EBUSY, ECONNRESET, EALREADY].contains(number) }

  /// Whether asking another service or channel of the same printer may do better.
  var isOfService: Bool {
    [ECONNREFUSED, ECONNRESET, EPROTO, EPIPE, ENOTCONN, ETIMEDOUT, EBUSY, EALREADY].contains(number)
  }
}
