import Glibc

/// Keeps small what a resting daemon holds in memory.
enum Residence {
  /// Gives back what only the start needed: the code that ran once.
  ///
  /// Code is a private mapping of files that nobody writes (`r-xp` in proc(5)); after `MADV_DONTNEED` (madvise(2)) the
  /// kernel maps it again from its cache as it is called. Mappings that are or were writable are left alone: relocated
  /// data would be lost with them. Without /proc it does nothing.
  static func giveBack() {
    guard let bytes = try? Files.read("/proc/self/maps", limit: 4 << 20) else { return }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      // 7f0c8a400000-7f0c8a428000 r-xp 00028000 fe:00 1234   /usr/lib/x86_64-linux-gnu/libc.so.6
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
      let ends = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
      guard ends.count == 2, ends[0] < ends[1] else { continue }
      madvise(UnsafeMutableRawPointer(bitPattern: ends[0]), Int(ends[1] - ends[0]), MADV_DONTNEED)
    }
  }
}
