import Glibc

/// Whether the kernel's radio switch stands against Bluetooth (`/sys/class/rfkill`, kernel documentation "rfkill").
public enum RFKill: Sendable {
  /// No.
  case no
  /// By software: it can be unblocked.
  case soft
  /// By a switch or key of the machine.
  case hard

  /// Reads the state of all Bluetooth radios: the worst of them; `no` where the kernel does not tell.
  public static func bluetooth(_ folder: String = "/sys/class/rfkill") -> RFKill {
    guard let directory = opendir(folder) else { return .no }
    defer { closedir(directory) }
    var worst = RFKill.no
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix("."), read("\(folder)/\(name)/type") == "bluetooth" else { continue }
      if read("\(folder)/\(name)/hard") == "1" { return .hard }
      if read("\(folder)/\(name)/soft") == "1" { worst = .soft }
    }
    return worst
  }

  private static func read(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
