import Announcer
import Curl
import ESCPOS
import PrintJobs
import Sound
import SpokenAmounts

/// A shop's voice as it is configured: what it says, where its sets are, who speaks.
struct VoicePlan: Sendable {
  var voice: Configuration.Voice
  var language: SpokenLanguage
  var stateDirectory: String
  /// The daemon's socket, by whose path its commands know one another.
  var controlSocket: String

  /// Puts the voice of a configuration together.
  ///
  /// - Throws: ``Failure`` when neither `voice` nor `locale` names a language that can be spoken.
  init(_ voice: Configuration.Voice, _ configuration: Configuration) throws(Failure) {
    guard let language = voice.language ?? SpokenLanguage(tag: configuration.locale) else {
      throw Failure(
        .configuration, "\"\(configuration.locale)\" cannot be spoken",
        remedy: "name voice.language: \(SpokenLanguage.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.voice = voice
    self.language = language
    stateDirectory = configuration.stateDirectory
    controlSocket = configuration.control.socket
  }

  /// The voice for a command: of the configuration where there is one, else the usual one of a language.
  init(_ options: CommonOptions, language: String?, currency: String?) throws(Failure) {
    let configuration = options.hasConfiguration ? try options.load().configuration : Configuration()
    let wanted = try language.map { tag throws(Failure) in
      guard let known = SpokenLanguage(tag: tag) else {
        throw Failure(
          .usage, "there is no voice for \"\(tag)\"",
          remedy: "--language \(SpokenLanguage.allCases.map(\.rawValue).joined(separator: "|"))")
      }
      return known
    }
    let money = try currency.map { code throws(Failure) in
      guard let known = SpokenCurrency(rawValue: code.uppercased()) else {
        throw Failure(
          .usage, "there are no words for \"\(code)\"",
          remedy: "--currency \(SpokenCurrency.allCases.map(\.rawValue).joined(separator: "|"))")
      }
      return known
    }
    let usual =
      wanted ?? configuration.voice?.language ?? SpokenLanguage(tag: configuration.locale) ?? .english
    var voice = configuration.voice ?? Configuration.Voice(currency: money ?? usual.usualCurrency)
    if let wanted, wanted != voice.language ?? SpokenLanguage(tag: configuration.locale) {
      voice.becomes(wanted, money ?? (configuration.voice == nil ? wanted.usualCurrency : voice.currency))
    }
    if let money { voice.currency = money }
    try self.init(voice, configuration)
  }

  /// What the shop says.
  var phrasebook: Phrasebook {
    var templates = PhraseTemplates.standard(language)
    templates.templates.merge(voice.templates.templates) { $1 }
    templates.fixed = voice.templates.fixed ?? templates.fixed
    templates.fixedRefund = voice.templates.fixedRefund ?? templates.fixedRefund
    return Phrasebook(
      reader: AmountReader(
        language: language, currency: voice.currency, usesJiaoAndFen: voice.usesJiaoAndFen,
        usesLiang: voice.usesLiang),
      brand: voice.brand, templates: templates, payTypes: voice.payTypes)
  }

  /// The folder with all sets.
  var setsFolder: String { "\(stateDirectory)/voice/sets" }

  /// The folder of the set in use.
  var setFolder: String { folder(ofSet: voice.set ?? language.rawValue) }

  /// The folder of a set: a name, or a path.
  func folder(ofSet name: String) -> String { name.contains("/") ? name : "\(setsFolder)/\(name)" }

  /// The synthesiser, where one is wanted.
  var synthesiser: Synthesiser? { voice.synthesiser.map { Synthesiser(program: $0, prosody: voice.prosody) } }

  /// The group's folder; its id was checked with the configuration.
  var group: SoundGroup? { SoundGroup(voice.group, stateDirectory: stateDirectory) }

  /// Makes the speaker, and says what it lacks. Nothing is written meanwhile.
  ///
  /// - Parameter keepsAnswers: Whether what the online voice says is kept in the state directory, as only the daemon does:
  ///   a command may be root's, and what root makes there is closed to the daemon.
  func speaker(keepsAnswers: Bool) -> (speaker: ShopSpeaker, lacks: [String]) {
    var lacks: [String] = []
    var speaker = ShopSpeaker(
      phrasebook: phrasebook, synthesiser: synthesiser, group: group, leavesFiles: voice.leavesFiles)
    speaker.times = voice.times
    do throws(SoundError) {
      speaker.clips = try ClipSet.read(setFolder, for: phrasebook, prosody: voice.prosody)
    } catch {
      lacks.append(error.message)
    }
    do throws(SoundError) {
      speaker.chime = try chime(rate: speaker.clips?.rate ?? 22_050)
    } catch {
      lacks.append(error.message)
    }
    do throws(OnlineVoice.Fault) {
      speaker.online = try online(keepsAnswers: keepsAnswers)
    } catch {
      lacks.append("voice.online.url \(error)")
    }
    return (speaker, lacks)
  }

  /// The voice somewhere else, where one is configured.
  ///
  /// - Throws: `OnlineVoice.Fault` for an address that cannot be asked.
  func online(keepsAnswers: Bool) throws(OnlineVoice.Fault) -> OnlineVoice? {
    guard let online = voice.online else { return nil }
    return try OnlineVoice(
      template: online.url, patience: .milliseconds(online.deadlineMilliseconds),
      client: HTTPClient(.init(certificateFile: online.caFile)),
      cache: SpeechCache(
        folder: "\(stateDirectory)/voice/online", limit: online.cacheMegabytes << 20,
        isReadOnly: !keepsAnswers),
      prosody: voice.prosody)
  }

  /// Makes the group's folder and takes old phrases out of it, as only the daemon does, for the same reason.
  ///
  /// - Returns: What is wrong with it, or nil.
  func readyGroup() -> String? {
    do throws(SoundError) {
      try group?.make()
      group?.reap()
      return nil
    } catch {
      return error.message
    }
  }

  private func chime(rate: Int) throws(SoundError) -> PCM? {
    switch voice.chime {
    case .none: nil
    case .builtIn: Chime.sound(rate: rate)
    case .file(let path): try AudioFile.read(path, longest: .seconds(10)).resampled(to: rate)
    }
  }
}

extension Configuration.Voice {
  /// The shop's own ways of paying that are refunds, in small letters.
  var refundPayTypes: Set<String> { Set(payTypes.filter { $0.value == .refund }.keys) }

  /// A voice with nothing but its defaults.
  init(currency: SpokenCurrency) { self.currency = currency }

  /// Another language, for one command: the shop's own words and set are of no use for it.
  fileprivate mutating func becomes(_ language: SpokenLanguage, _ currency: SpokenCurrency) {
    self.language = language
    self.currency = currency
    set = nil
    brand = ""
    templates = Templates()
  }
}

extension SpokenLanguage {
  /// What a command takes where nobody says which currency.
  fileprivate var usualCurrency: SpokenCurrency {
    switch self {
    case .mandarin: .cny
    case .cantonese: .hkd
    case .english: .usd
    case .german, .french, .spanish: .eur
    case .japanese: .jpy
    }
  }
}
