import Announcer
import ESCPOS
import Sound
import SpokenAmounts

extension Configuration {
  /// The voice that says payments aloud.
  struct Voice: Decodable, Equatable, Sendable {
    /// Ways to be heard.
    enum Output: String, CaseIterable, Sendable {
      /// The sound server, or where there is none the sound card.
      case auto
      /// A PulseAudio or PipeWire server; `device` is the name of a sink.
      case pulse
      /// A sound card; `device` is the name of an ALSA device.
      case alsa
      /// A WAV file, written anew for each announcement; `device` is its path.
      case file
      /// Nowhere, for trying out.
      case none
    }

    /// What is played before a payment.
    enum Chime: Equatable, Sendable {
      case builtIn
      case none
      case file(String)
    }

    /// A shop's own phrases.
    struct Templates: Decodable, Equatable, Sendable {
      /// The phrases around amounts.
      var templates: [PhraseTemplates.Kind: PhraseTemplate] = [:]
      /// Said where an amount cannot be said; nil for printd's own.
      var fixed: String?
      /// The same for a refund.
      var fixedRefund: String?
    }

    /// A voice somewhere else.
    struct Online: Decodable, Equatable, Sendable {
      /// URL template with `{text}` and, if wanted, `{language}`.
      var url: String
      /// How long it may take for one text, milliseconds.
      var deadlineMilliseconds = 1500
      /// What is kept of what it has said, MB.
      var cacheMegabytes = 32
      /// A file with the CA certificates to trust instead of the system's.
      var caFile: String?
    }

    /// Whether payments are said at all.
    var isEnabled = true
    /// The language; nil for the one of `locale`.
    var language: SpokenLanguage?
    /// The currency of the shop.
    var currency: SpokenCurrency
    /// The set of clips: a name in the state directory, or a folder; nil for the language's name.
    var set: String?
    /// Said before everything.
    var brand = ""
    /// What it says in other words than printd's own.
    var templates = Templates()
    /// More ways of paying.
    var payTypes: [String: PhraseTemplates.Kind] = [:]
    /// Chinese: 角 and 分.
    var usesJiaoAndFen = false
    /// Chinese: 两.
    var usesLiang = false
    /// How fast, how high and how loud it speaks.
    var prosody = Prosody()
    /// How often it says each phrase.
    var times = 1
    var chime = Chime.builtIn
    /// The synthesiser: a path, or a name in `PATH`; nil for none.
    var synthesiser: String? = "espeak-ng"
    var online: Online?
    /// Shows on a screen what was said; nil for no screen.
    var screen: Screen?
    /// The id of the group whose folder has the prepared sounds.
    var group = "printd"
    /// Whether each phrase is also left there as a file.
    var leavesFiles = false
    var output = Output.auto
    /// The sink, device or file of `output`; nil for the default one.
    var device: String?
    /// The address of the sound server, `unix:/run/pulse/native`; nil for the usual places.
    var server: String?
    var mute = AnnouncerOptions.Mute.respect
    var others = AnnouncerOptions.Others.mix
    /// By how much other sound is lowered, decibels.
    var duckDecibels = 20.0
    /// A quieter speaker is raised to this, percent; 0 leaves it alone.
    var minimumVolume = 0
    /// An older announcement is not said, seconds.
    var maximumAgeSeconds = 30
    /// Whether it says how many were too old.
    var sumsUp = false
    /// Announcements that may wait.
    var queue = 64
    /// Silence before the sound for a speaker on a cable, milliseconds.
    var preRollMilliseconds = 0
    /// The same for a Bluetooth speaker.
    var bluetoothPreRollMilliseconds = 700
  }
}

extension Configuration.Voice {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case enabled, language, currency, set, brand, templates, jiaofen, liang, rate, pitch, chime, synthesiser,
      online,
      screen, group
    case gain = "gain_db"
    case times = "repeat"
    case payTypes = "pay_types"
    case eventFiles = "event_files"
    case output, device, server, mute, others, queue, summary
    case duckDecibels = "duck_db"
    case minimumVolume = "minimum_volume"
    case maximumAgeSeconds = "max_age_seconds"
    case preRoll = "pre_roll_ms"
    case bluetoothPreRoll = "bluetooth_pre_roll_ms"
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    currency = try fields.choice(.currency, SpokenCurrency.self)
    try fields.read(.enabled, into: &isEnabled)
    if fields.container.contains(.language) {
      let tag = try fields.container.decode(String.self, forKey: .language)
      guard let known = SpokenLanguage(tag: tag) else {
        let words = SpokenLanguage.allCases.map(\.rawValue).joined(separator: ", ")
        throw fields.fault(.language, "must be one of \(words)")
      }
      language = known
    }
    try fields.read(.set, into: &set)
    if let set, set.isEmpty || !set.contains("/") && SoundName(set) == nil {
      throw fields.fault(.set, "must be the name of a set, or the path of its folder")
    }
    try fields.read(.brand, into: &brand)
    guard brand.count <= 40 else { throw fields.fault(.brand, "must be at most 40 characters long") }
    try fields.read(.templates, into: &templates)
    try readPayTypes(fields)
    try fields.read(.jiaofen, into: &usesJiaoAndFen)
    try fields.read(.liang, into: &usesLiang)
    try fields.read(.rate, into: &prosody.rate, in: PCM.speeds)
    try fields.read(.pitch, into: &prosody.pitch, in: PCM.pitches)
    try fields.read(.gain, into: &prosody.gain, in: -40...12)
    try fields.read(.times, into: &times, in: 1...3)
    chime = try Self.chime(fields)
    if fields.container.contains(.synthesiser) {
      let program = try fields.container.decode(String.self, forKey: .synthesiser)
      synthesiser = program == "none" ? nil : program
      guard !program.isEmpty else { throw fields.fault(.synthesiser, "must be a program, or \"none\"") }
    }
    try fields.read(.online, into: &online)
    try readScreen(fields)
    try fields.read(.group, into: &group)
    guard SoundName(group) != nil else {
      throw fields.fault(.group, "must be a name without slashes and without a dot in front")
    }
    try fields.read(.eventFiles, into: &leavesFiles)
    try readPlaying(fields)
  }

  private mutating func readScreen(_ fields: Fields<CodingKeys>) throws {
    guard fields.container.contains(.screen) else { return }
    let words = try fields.container.decode([String].self, forKey: .screen)
    do throws(Screen.Fault) {
      screen = try Screen(words)
    } catch {
      throw fields.fault(.screen, error.description)
    }
  }

  private mutating func readPayTypes(_ fields: Fields<CodingKeys>) throws {
    var ways: [String: String] = [:]
    try fields.read(.payTypes, into: &ways)
    for (way, word) in ways {
      guard let kind = PhraseTemplates.Kind(rawValue: word), kind != .order else {
        throw fields.fault(.payTypes, "\"\(way)\" must be one of wx, zfb, vipcard, card, cash, other, refund")
      }
      payTypes[way.lowercased()] = kind
    }
  }

  private static func chime(_ fields: Fields<CodingKeys>) throws -> Chime {
    guard fields.container.contains(.chime) else { return .builtIn }
    if let isWanted = try? fields.container.decode(Bool.self, forKey: .chime) {
      return isWanted ? .builtIn : .none
    }
    guard let path = try? fields.container.decode(String.self, forKey: .chime), !path.isEmpty else {
      throw fields.fault(.chime, "must be true, false, or the path of a sound")
    }
    return .file(path)
  }

  private mutating func readPlaying(_ fields: Fields<CodingKeys>) throws {
    if fields.container.contains(.output) { output = try fields.choice(.output, Output.self) }
    try fields.read(.device, into: &device)
    try fields.read(.server, into: &server)
    if output == .file, device?.isEmpty ?? true {
      throw fields.fault(.device, "is needed for output \"file\": the path of the WAV file")
    }
    if fields.container.contains(.mute) { mute = try fields.choice(.mute, AnnouncerOptions.Mute.self) }
    if fields.container.contains(.others) {
      others = try fields.choice(.others, AnnouncerOptions.Others.self)
    }
    try fields.read(.duckDecibels, into: &duckDecibels, in: 0...60)
    try fields.read(.minimumVolume, into: &minimumVolume, in: 0...100)
    try fields.read(.maximumAgeSeconds, into: &maximumAgeSeconds, in: 1...3600)
    try fields.read(.summary, into: &sumsUp)
    try fields.read(.queue, into: &queue, in: 1...1000)
    try fields.read(.preRoll, into: &preRollMilliseconds, in: 0...3000)
    try fields.read(.bluetoothPreRoll, into: &bluetoothPreRollMilliseconds, in: 0...3000)
  }

  /// Makes relative paths relative to the folder of the configuration file.
  mutating func resolvePaths(_ absolute: (String) -> String) {
    if let set, set.contains("/") { self.set = absolute(set) }
    if case .file(let path) = chime { chime = .file(absolute(path)) }
    if let synthesiser, synthesiser.contains("/") { self.synthesiser = absolute(synthesiser) }
    if let words = screen?.words, words[0].contains("/") {
      screen = (try? Screen([absolute(words[0])] + words.dropFirst())) ?? screen
    }
    if output == .file { device = device.map(absolute) }
    if let file = online?.caFile { online?.caFile = absolute(file) }
  }
}

extension Configuration.Voice.Templates {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case wx, zfb, vipcard, card, cash, other, refund, order, fixed
    case fixedRefund = "fixed_refund"
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    for key in CodingKeys.allCases where fields.container.contains(key) {
      let text = try fields.container.decode(String.self, forKey: key)
      guard let kind = PhraseTemplates.Kind(rawValue: key.rawValue) else {
        guard (1...100).contains(text.count), !text.contains("{") else {
          throw fields.fault(key, "must be a phrase of at most 100 characters without an amount")
        }
        if key == .fixed { fixed = text } else { fixedRefund = text }
        continue
      }
      do throws(PhraseTemplate.Fault) {
        templates[kind] = try PhraseTemplate(text)
      } catch {
        throw fields.fault(key, error.description)
      }
    }
  }
}

extension Configuration.Voice.Online {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case url
    case deadlineMilliseconds = "deadline_ms"
    case cacheMegabytes = "cache_mb"
    case caFile = "ca_file"
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    url = try fields.container.decode(String.self, forKey: .url)
    do throws(OnlineVoice.Fault) {
      try OnlineVoice.check(template: url)
    } catch {
      throw fields.fault(.url, error.description)
    }
    try fields.read(.deadlineMilliseconds, into: &deadlineMilliseconds, in: 100...10_000)
    try fields.read(.cacheMegabytes, into: &cacheMegabytes, in: 1...1024)
    try fields.read(.caFile, into: &caFile)
  }
}
