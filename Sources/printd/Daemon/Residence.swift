import Glibc

/// Keeps small what a resting daemon holds in memory.
enum Residence {
  /// Gives back what only the start needed: code that ran once, and tables that only the linker reads.
  ///
  /// These are private mappings of files that nobody has written to: code (`r-xp` in proc(5)), and the read-only start of
  /// a program or library (`r--p` at offset 0, where relocated data never is). After `MADV_DONTNEED` (madvise(2)) the
  /// kernel maps them again from its cache as they are used. Everything else is left alone: what was written to would be
  /// lost with it. Without /proc it does nothing.
  static func giveBack() {
    guard let bytes = try? Files.read("/proc/self/maps", limit: 4 << 20) else { return }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      // 7f0c8a400000-7f0c8a428000 r-xp 00028000 fe:00 1234   /usr/lib/x86_64-linux-gnu/libc.so.6
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6, fields[5].contains("/") else { continue }
      guard fields[1] == "r-xp" || (fields[1] == "r--p" && UInt(fields[2], radix: 16) == 0) else { continue }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2, ends[0] < ends[1] else { continue }
      madvise(UnsafeMutableRawPointer(bitPattern: ends[0]), Int(ends[1] - ends[0]), MADV_DONTNEED)
    }
  }
}
