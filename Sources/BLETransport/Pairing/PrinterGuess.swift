import ESCPOS

/// What kind of paper a printer has, as far as its names tell.
public struct PrinterGuess: Equatable, Sendable {
  /// The built-in profile's name: `generic-58`, `generic-80`, `epson-tm-m30`.
  public var profile: String
  /// What it is taken from, for a person: `model "TM-m30II"`; nil when nothing tells, and 58 mm is the careful choice.
  public var reason: String?

  /// Guesses by the model that the printer has told, else by the name that it has on the air.
  ///
  /// With nothing to go by it is the 58 mm profile: on a wider printer its receipts are narrow, but whole.
  public init(model: String?, name: String?) {
    for (kind, text) in [("model", model), ("name", name)] {
      guard let text, let profile = Self.profile(of: text) else { continue }
      self.init(profile: profile, reason: "\(kind) \"\(text)\"")
      return
    }
    self.init(profile: "generic-58", reason: nil)
  }

  private init(profile: String, reason: String?) {
    self.profile = profile
    self.reason = reason
  }

  private static func profile(of text: String) -> String? {
    let text = text.lowercased().replacing(" ", with: "-")
    let parts = table.flatMap { row in
      row.parts.filter(text.contains).map { (part: $0, profile: row.profile) }
    }
    return parts.max { $0.part.utf8.count < $1.part.utf8.count }?.profile
  }

  /// The longest part that the name holds counts. Sources: the makers' data sheets.
  private static let table: [(parts: [String], profile: String)] = [
    (["tm-m30", "tm-m50"], "epson-tm-m30"),
    (
      [
        "tm-p20", "tm-m10", "mpt-2", "mpt-ii", "mtp-2", "mtp-ii", "mtp-f", "pt-210", "pt210", "rpp02",
        "rpp-02", "rpp200",
        "spp-r200", "spp-r210", "pos-58", "pos58", "xp-58", "xp-p2", "zj-58", "5802", "5805", "5807", "5809",
        "5890",
        "nt-18", "mp-b20", "ct-s281", "cmp-20", "58mm", "innerprinter",
      ], "generic-58"
    ),
    (
      [
        "tm-p80", "tm-t20", "tm-t70", "tm-t8", "mpt-3", "mpt-iii", "mtp-3", "mtp-iii", "rpp03", "rpp300",
        "rpp-03", "spp-r300",
        "spp-r310", "spp-r400", "pos-80", "pos80", "xp-80", "xp-p3", "xp-n1", "zj-80", "8001", "8002", "8250",
        "8330", "8360",
        "8390", "80mm", "rp-f10", "rp-d10", "ct-s3", "ct-s6", "ct-s8", "cmp-30", "mht-p8", "jp-8", "itpp047",
      ], "generic-80"
    ),
  ]
}
