import Glibc

/// The text of a client's address: `192.168.1.7`, `::1`, or `unix`.
func peerName(_ address: UnsafePointer<sockaddr>?) -> String {
  guard let address else { return "unix" }
  let size: Int
  switch Int32(address.pointee.sa_family) {
  case AF_INET: size = MemoryLayout<sockaddr_in>.size
  case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
  default: return "unix"
  }
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
    let failed = getnameinfo(
      address, socklen_t(size), text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    guard failed == 0, let start = text.baseAddress else { return "unknown" }
    return String(cString: start)
  }
}
