/// What the names tell that printers give themselves.
///
/// Sources: the names in the supported-device lists of open programs for each family, and in reports of their users.
enum PrinterName {
  /// What a name stands for.
  enum Meaning: Equatable {
    case printer(PrinterLanguage)
    /// Something that shares its services with printers.
    case other(String)
  }

  private enum Pattern {
    /// The name begins so.
    case starts(String)
    /// The name's first word is this: the name ends behind it, or goes on with `-`, `_`, ` `, `.` or `(`.
    case word(String)
    /// The words are somewhere in the name.
    case holds(String)
  }

  /// The meaning of a name, or nil when it tells nothing.
  ///
  /// - Parameter isAlone: Whether nothing else points to a printer. Names of two letters are then passed over: `K3` is a
  ///   keyboard, too.
  static func meaning(_ name: String, isAlone: Bool) -> Meaning? {
    let name = name.lowercased()
    if isAlone, name.prefix(while: { !"-_ .(".contains($0) }).count <= 2 { return nil }
    return table.first { row in row.patterns.contains { matches(name, $0) } }?.meaning
  }

  private static func matches(_ name: String, _ pattern: Pattern) -> Bool {
    switch pattern {
    case .starts(let start): return name.hasPrefix(start)
    case .word(let word):
      guard name.hasPrefix(word) else { return false }
      guard let next = name.dropFirst(word.count).first else { return true }
      return "-_ .(".contains(next)
    case .holds(let part): return name.contains(part)
    }
  }

  private static func words(_ all: String) -> [Pattern] {
    all.split(separator: " ").map { .word(String($0)) }
  }
  private static func starts(_ all: String) -> [Pattern] {
    all.split(separator: " ").map { .starts(String($0)) }
  }

  /// The first row that matches counts: what must not be taken stands before what may be.
  private static let table: [(patterns: [Pattern], meaning: Meaning)] = [
    (
      starts(
        "obd elm327 v-link vlink ios-vlink android-vlink icar vgate veepeak carista konnwei viecar vlinker")
        + [.holds("obdii"), .holds("obd2"), .holds("obdlink"), .holds("elm327")],
      .other("a car's diagnosis plug")
    ),
    (
      words(
        "gb01 gb02 gb03 gt01 gt02 mx05 mx06 mx07 mx08 mx09 mx10 mx11 mxw01 mxtp yt01 sc03 sc03h sc05 x5 x5h x6 x6h"
      ),
      .printer(.cat)
    ),
    (
      words("b1 b1s b18 b18s b21 b21s b3 b3s b31 b203 d11 d11s d101 d110 d41 d61 h1 h1s k2 k3 z401")
        + starts("niimbot d11_h d110_m"),
      .printer(.niimbot)
    ),
    (
      starts("marklife p12_ p15_ p15r_ p50_ l11_ l13_ polono makeid") + words("p31s p21"), .printer(.marklife)
    ),
    (
      words(
        "d30 d30s d35 q30 q30s q31 m02 m02s m02pro m03 m04 m04s m04as m08f m110 m110s m120 m200 m220 m221")
        + words("t02 t02e t04 p12 p12pro p3100 pm-241 pm-246s") + starts("phomemo peripage"),
      .printer(.phomemo)
    ),
    (starts("letratag") + [.holds("dymo"), .holds("letratag")], .printer(.letraTag)),
    (starts("pt-p3 pt-p7 pt-p9 pt-d pt-e ql-8 ql-1 td-2 td-4 vc-500 pj-7"), .printer(.brother)),
    (
      starts("zebra zq1 zq2 zq3 zq5 zq6 zd4 zd5 zd6 zt2 zt4 imz2 imz3 ql2 ql3 ql4 rw2 rw4"), .printer(.linkOS)
    ),
    (starts("sp410 sp420 itpp941 itpp129 rp421 tdl- d520bt qr-368 tsc- alpha-"), .printer(.tspl)),
    (
      starts("star_ tsp mc-print mcprint sm-l sm-s sm-t mpop bsc10") + [.holds("star l"), .holds("star s")],
      .printer(.starLine)
    ),
    (starts("officejet deskjet laserjet envy pixma"), .printer(.pages)),
    (
      starts(
        "mpt mtp- pt-2 pt2 rpp0 rpp-0 pos- pos5 pos8 xprinter xp- printer0 innerprinter tm-p tm-m tm-t tm-l")
        + starts(
          "tm-u tm-h btp- hm-a hm-e zj- zj5 zj8 spp-r goojprt nt- netum munbyn rongta gprinter gp- cashino")
        + starts(
          "csn- hop- hoin jp- epson seiko rp-d rp-f mp-b mp-a bixolon lk-p lk-t mht-p er-5 er-8 citizen")
        + starts("cmp- ct-s pp-2 nyear nbp thermal rj-2 rj-3")
        + [.holds("printer"), .holds("receipt"), .holds("pos-"), .holds("thermal")],
      .printer(.escpos)
    ),
  ]
}
