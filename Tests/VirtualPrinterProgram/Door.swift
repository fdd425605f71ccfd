import Dispatch
import ESCPOS
import Glibc
import PrinterLinks
import VirtualPrinter

/// The socket at which hosts knock, and what goes on between one of them and the printer.
struct Door {
  /// The hosts that have connected, in their order.
  let hosts: AsyncStream<Int32>

  /// Starts to listen, on a thread of its own.
  init(path: String) throws(Fault) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.utf8.count <= room else { throw Fault("\(path): more than \(room) bytes") }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    unlink(path)
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 8) == 0
      }
    }
    guard isBound else { throw Fault("\(path): \(String(cString: strerror(errno)))") }
    let (hosts, arrivals) = AsyncStream.makeStream(of: Int32.self)
    self.hosts = hosts
    DispatchQueue(label: "virtual-printer.door").async {
      while true {
        let host = accept(listener, nil, nil)
        if host >= 0 {
          arrivals.yield(host)
        } else if errno != EINTR && errno != ECONNABORTED {
          return arrivals.finish()
        }
      }
    }
  }

  /// Carries bytes both ways until the host hangs up or the printer breaks the link.
  static func join(_ descriptor: Int32, to printer: VirtualPrinter) async {
    let never = BootClock().now.advanced(by: .seconds(365 * 86_400))
    let host = DescriptorLink(
      descriptor: descriptor, kind: .socket, target: "the host", clock: BootClock())
    if let link = try? await printer.opener().open(by: never) {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await carry(from: host, to: link) }
        group.addTask { await carry(from: link, to: host) }
        await group.next()
        group.cancelAll()
      }
      await link.close()
    }
    await host.close()
  }

  private static func carry(from source: any PrinterLink, to target: any PrinterLink) async {
    let never = BootClock().now.advanced(by: .seconds(365 * 86_400))
    while let bytes = try? await source.receive(by: never) {
      guard (try? await target.send(bytes[...], by: never)) != nil else { return }
    }
  }
}
