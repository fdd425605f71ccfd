/// The plain commands that a printer knows, looked up once per renderer.
struct Abilities: OptionSet, Sendable {
  let rawValue: UInt32

  static let peripheral = Abilities(rawValue: 1 << 0)
  static let international = Abilities(rawValue: 1 << 1)
  static let spacing = Abilities(rawValue: 1 << 2)
  static let kanjiOff = Abilities(rawValue: 1 << 3)
  static let font = Abilities(rawValue: 1 << 4)
  static let align = Abilities(rawValue: 1 << 5)
  static let size = Abilities(rawValue: 1 << 6)
  static let underline = Abilities(rawValue: 1 << 7)
  static let bold = Abilities(rawValue: 1 << 8)
  static let invert = Abilities(rawValue: 1 << 9)
  static let leftMargin = Abilities(rawValue: 1 << 10)
  static let areaWidth = Abilities(rawValue: 1 << 11)
  static let kanjiUnderline = Abilities(rawValue: 1 << 12)
  static let feed = Abilities(rawValue: 1 << 13)
  static let mode = Abilities(rawValue: 1 << 14)

  /// What `ESC !` sets at once; it stands for commands that the printer knows singly.
  static let modeParts: Abilities = [.mode, .font, .size, .bold, .underline]

  /// The mnemonics that ``PrinterProfile/withoutCommands`` may name.
  static let mnemonics: [(name: String, ability: Abilities)] = [
    ("ESC =", .peripheral), ("ESC R", .international), ("ESC 2", .spacing), ("FS .", .kanjiOff),
    ("ESC M", .font),
    ("ESC a", .align), ("GS !", .size), ("ESC -", .underline), ("ESC E", .bold), ("GS B", .invert),
    ("GS L", .leftMargin), ("GS W", .areaWidth), ("FS -", .kanjiUnderline), ("ESC d", .feed),
    ("ESC !", .mode),
  ]

  init(rawValue: UInt32) { self.rawValue = rawValue }

  init(_ profile: PrinterProfile) {
    self.init(Self.mnemonics.filter { profile.knows($0.name) }.map(\.ability))
  }
}
