public import ESCPOS
import Glibc

/// The clock on the wall of the shop: what time it shows, by the rules of its time zone.
///
/// The rules are read once, from the system's time zone files, and do not depend on the process's own time zone.
public struct WallClock: Equatable, Sendable {
  /// The folder of the time zone files, and the file that holds the system's own zone.
  private static let folder = "/usr/share/zoneinfo"
  private static let systemZone = "/etc/localtime"
  private let rules: ZoneRules

  /// A clock that shows UTC.
  public static let utc = WallClock(rules: ZoneRules(fixedOffset: 0))

  private init(rules: ZoneRules) {
    self.rules = rules
  }

  /// Creates a clock.
  ///
  /// - Parameter zone: A name of the tz database such as `Europe/Berlin`, or nil for the system's own zone (UTC when the
  ///   system has none).
  /// - Throws: ``DocumentFault`` when there is no such zone or its file cannot be read.
  public init(zone: String?) throws(DocumentFault) {
    guard let zone else {
      self = Self.readFile(Self.systemZone).flatMap(ZoneRules.init(file:)).map(WallClock.init(rules:)) ?? .utc
      return
    }
    guard Self.isName(zone), let bytes = Self.readFile("\(Self.folder)/\(zone)") else {
      if zone == "UTC" {
        self = .utc
        return
      }
      throw DocumentFault(
        path: "",
        message:
          "there is no time zone \"\(zone)\"; expected a name such as \"Europe/Berlin\" (package tzdata)")
    }
    guard let rules = ZoneRules(file: bytes) else {
      throw DocumentFault(path: "", message: "\(Self.folder)/\(zone) is not a time zone file")
    }
    self.rules = rules
  }

  /// What the clock shows `seconds` after 1970 began.
  public func time(at seconds: Double) -> CivilTime {
    // What no calendar holds is shown as its beginning.
    let whole = Int(exactly: seconds.rounded(.down)).flatMap { abs($0) < 1 << 47 ? $0 : nil } ?? 0
    return CivilTime(secondsSince1970: whole + rules.offset(at: whole))
  }

  private static func isName(_ zone: String) -> Bool {
    zone.utf8.count <= 64 && !zone.contains("..")
      && zone.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
      && zone.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"): true
        default: false
        }
      }
  }

  private static func readFile(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rbe") else { return nil }
    defer { fclose(file) }
    // The largest zone has a few kilobytes.
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    let count = fread(&buffer, 1, buffer.count, file)
    return count > 0 && count < buffer.count ? Array(buffer.prefix(count)) : nil
  }
}
