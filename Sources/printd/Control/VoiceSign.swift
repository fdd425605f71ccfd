import ESCPOS
import Glibc
import Threads

/// Says to the other commands of a shop that one of them speaks, where no daemon is between them.
///
/// It is a name in the kernel's own space of socket names (unix(7), "abstract"): it needs no folder that all users may write,
/// and is gone with its process, however that ends. Any program of the machine can take the name; then a search waits once in
/// vain for as long as it would for a long text.
final class VoiceSign: Sendable {
  private let descriptor: Locked<Int32?>

  private init(_ descriptor: Int32) { self.descriptor = Locked(descriptor) }

  /// Raises the sign.
  ///
  /// - Parameter shop: The path of the control socket that the commands share.
  /// - Returns: Nil when another command has raised it.
  static func raise(for shop: String) -> VoiceSign? {
    guard let (descriptor, answer) = call(bind, shop) else { return nil }
    guard answer == 0 else {
      close(descriptor)
      return nil
    }
    return VoiceSign(descriptor)
  }

  /// Whether a command speaks.
  static func isRaised(for shop: String) -> Bool {
    guard let (descriptor, answer) = call(connect, shop) else { return false }
    close(descriptor)
    return answer == 0
  }

  /// Takes the sign down; a second call does nothing.
  func lower() {
    let descriptor = descriptor.withLock { descriptor in
      defer { descriptor = nil }
      return descriptor
    }
    if let descriptor { close(descriptor) }
  }

  deinit { lower() }

  private static func call(
    _ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ shop: String
  ) -> (descriptor: Int32, answer: Int32)? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = name(of: shop)
    // The first byte stays 0: that makes the name an abstract one.
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      for (index, byte) in name.enumerated() { path[index + 1] = byte }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.count)
    let answer = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, length) }
    }
    return (descriptor, answer)
  }

  /// `printd-voice-` and the path's FNV-1a hash, since a path with anything before it may be too long for a name.
  private static func name(of shop: String) -> [UInt8] {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in shop.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Array("printd-voice-\(String(hash, radix: 16))".utf8)
  }
}
