import CBluetooth
import Glibc
import PrinterLinks

/// The kernel's RFCOMM sockets. No privilege is needed, but they exist only in the first network namespace.
///
/// Source: `bluetooth/rfcomm.h`, `bluetooth/bluetooth.h` of libbluetooth; rfcomm(7) is not written.
enum RFCOMMSocket {
  /// Channels that a printer can listen on.
  static let channels: ClosedRange<UInt8> = 1...30

  /// Opens a socket that does not block and starts to connect it.
  ///
  /// `BT_SECURITY` is low: no pairing of our own accord. The printer may still ask for it, a bond that is there is used,
  /// and a link between two devices that know Secure Simple Pairing is encrypted all the same.
  ///
  /// - Parameters:
  ///   - address: `00:11:22:33:44:55`.
  ///   - adapter: The address of the adapter to use, or nil for any.
  /// - Returns: The descriptor, the caller's to close; it can be written when it is connected, and has an error when it
  ///   cannot be. `EINVAL` when an address is none, `EAFNOSUPPORT` where there is no Bluetooth.
  static func connecting(
    to address: String, channel: UInt8, from adapter: String? = nil
  ) -> Result<Int32, SystemError> {
    guard let peer = bdaddr_t(text: address), channels.contains(channel) else {
      return .failure(SystemError(number: EINVAL))
    }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_BLUETOOTH, type, BTPROTO_RFCOMM)
    guard descriptor >= 0 else { return .failure(.last) }
    func fail(_ error: SystemError) -> Result<Int32, SystemError> {
      close(descriptor)
      return .failure(error)
    }
    var level = bt_security(
      level: UInt8(BT_SECURITY_LOW), key_size: 0)
    let size = socklen_t(MemoryLayout<bt_security>.size)
    guard setsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &level, size) == 0 else { return fail(.last) }
    if let adapter {
      guard let local = bdaddr_t(text: adapter) else { return fail(SystemError(number: EINVAL)) }
      guard call(bind, descriptor, local, channel: 0) == 0 else { return fail(.last) }
    }
    guard call(connect, descriptor, peer, channel: channel) == 0 || errno == EINPROGRESS || errno == EINTR
    else {
      return fail(.last)
    }
    return .success(descriptor)
  }

  /// The channel at the other end of a connected socket; nil when it is no RFCOMM socket.
  static func channel(of descriptor: Int32) -> UInt8? {
    var address = sockaddr_rc()
    var length = socklen_t(MemoryLayout<sockaddr_rc>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
    }
    guard status == 0, Int32(address.rc_family) == AF_BLUETOOTH, channels.contains(address.rc_channel) else {
      return nil
    }
    return address.rc_channel
  }

  /// Whether a descriptor is a socket that carries a stream, as a printer's must: bluetoothd hands out one that keeps
  /// packets apart when a printer's record names an L2CAP channel.
  static func isStream(_ descriptor: Int32) -> Bool {
    var type: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0
      && type == Int32(SOCK_STREAM.rawValue)
  }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32,
    _ address: bdaddr_t, channel: UInt8
  ) -> Int32 {
    var address = sockaddr_rc(rc_family: sa_family_t(AF_BLUETOOTH), rc_bdaddr: address, rc_channel: channel)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_rc>.size))
      }
    }
  }
}

/// One question to a device's SDP server, asked by libbluetooth over a socket that does not block.
///
/// libbluetooth moves the protocol's packets; what is in them is a stranger's, and read in Swift
/// (``SerialPortRecords``). Used by one task at a time.
///
/// Source: `bluetooth/sdp_lib.h`.
final class SDPSession {
  /// What has come of the question so far.
  enum Progress: Equatable {
    /// The next part of the answer has been asked for.
    case waiting
    /// The attribute lists, whole.
    case answered([UInt8])
    /// The server, or what it sent, was at fault.
    case failed(SystemError)
  }

  /// The socket, to be waited for; the session owns it.
  let descriptor: Int32
  private let session: UnsafeMutablePointer<sdp_session_t>
  private var answer: [UInt8]?

  /// Starts to connect to the SDP server of a device; the socket can be written when that is done.
  static func connecting(to address: String, from adapter: String? = nil) -> Result<SDPSession, SystemError> {
    guard var peer = bdaddr_t(text: address), var local = adapter.map({ bdaddr_t(text: $0) }) ?? bdaddr_t()
    else {
      return .failure(SystemError(number: EINVAL))
    }
    guard let session = sdp_connect(&local, &peer, UInt32(SDP_NON_BLOCKING)) else { return .failure(.last) }
    return .success(SDPSession(session))
  }

  /// Takes over a connected socket that does not block and keeps packets apart; nil when there is no memory.
  convenience init?(descriptor: Int32) {
    guard let session = sdp_create(descriptor, UInt32(SDP_NON_BLOCKING)) else { return nil }
    self.init(session)
  }

  private init(_ session: UnsafeMutablePointer<sdp_session_t>) {
    self.session = session
    descriptor = sdp_get_socket(session)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    // This closes the socket too.
    sdp_close(session)
  }

  /// Sends the question: all attributes of the services that have this class.
  ///
  /// All, because servers of cheap printers answer nothing else well.
  func ask(forService uuid: UInt16) -> SystemError? {
    let notified = sdp_set_notify(
      session,
      { kind, status, bytes, count, session in
        guard let bytes, let session, Int32(kind) == SDP_SVC_SEARCH_ATTR_RSP, status == 0 else { return }
        // Called by sdp_process(), so by a method of a session that lives.
        Unmanaged<SDPSession>.fromOpaque(session).takeUnretainedValue().answer =
          Array(UnsafeBufferPointer(start: bytes, count: count))
      }, Unmanaged.passUnretained(self).toOpaque())
    guard notified == 0 else { return SystemError(number: EINVAL) }
    var service = uuid_t()
    sdp_uuid16_create(&service, uuid)
    var range: UInt32 = 0x0000_FFFF
    return withUnsafeMutablePointer(to: &service) { service in
      withUnsafeMutablePointer(to: &range) { range in
        let services = sdp_list_append(nil, service)
        let ranges = sdp_list_append(nil, range)
        defer {
          sdp_list_free(services, nil)
          sdp_list_free(ranges, nil)
        }
        return sdp_service_search_attr_async(session, services, SDP_ATTR_REQ_RANGE, ranges) == 0 ? nil : error
      }
    }
  }

  /// Takes one packet that has arrived.
  func process() -> Progress {
    let status = sdp_process(session)
    if let answer { return .answered(answer) }
    return status == 0 ? .waiting : .failed(error)
  }

  /// What libbluetooth noted of its last failure; `EPROTO` when it says nothing.
  private var error: SystemError {
    let number = sdp_get_error(session)
    return SystemError(number: number > 0 ? number : EPROTO)
  }
}

extension bdaddr_t {
  /// The address that the text `00:11:22:33:44:55` means; nil for any other text, and for the two addresses that are no
  /// device: all zeroes, and the one by which libbluetooth means this machine.
  fileprivate init?(text: String) {
    var address = bdaddr_t()
    guard str2ba(text, &address) == 0 else { return nil }
    let octets = withUnsafeBytes(of: address) { Array($0) }
    guard octets.contains(where: { $0 != 0 }), octets != [0, 0, 0, 0xFF, 0xFF, 0xFF] else { return nil }
    self = address
  }
}
