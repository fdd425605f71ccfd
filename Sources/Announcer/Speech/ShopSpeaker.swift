public import ESCPOS
public import Sound
import SpokenAmounts
import Threads

/// A shop's voice: the best speech there is, one rung after the other.
///
/// Clips, joined in memory; the online voice, where there is one; the synthesiser; a fixed phrase without the amount; the
/// chime. Each rung has its own time, so that the last ones can still be heard.
public struct ShopSpeaker: Speaker {
  /// What is said.
  public var phrasebook: Phrasebook
  /// The clips, where there is a set.
  public var clips: ClipSet?
  /// The voice somewhere else, where one is configured.
  public var online: OnlineVoice?
  /// The synthesiser of this machine, where one is wanted.
  public var synthesiser: Synthesiser?
  /// The prepared sounds.
  public var group: SoundGroup?
  /// Whether the phrase of each event is left in the group's folder.
  public var leavesFiles: Bool
  /// Played before every phrase; nil for none.
  public var chime: PCM?
  /// How often the words are said, one time after the other.
  public var times = 1
  private let leaving = FewAtATime()
  /// The fixed phrases by their words, spoken beforehand where the clips lack them.
  private var fixed: [String: PCM] = [:]

  /// Silence behind every phrase, so that nothing cuts its last sound.
  static let tail = Duration.milliseconds(100)
  /// Silence between the words and the same words again.
  static let pause = Duration.milliseconds(500)
  /// How long the synthesiser may take for one text: it needs a tenth of a second, and one that hangs must leave time
  /// for the fixed phrase.
  static let patience = Duration.seconds(4)
  /// Kept of the time for what follows the synthesiser.
  static let reserve = Duration.milliseconds(50)

  /// Creates a speaker; ``prepare(by:)`` makes its fixed phrases ready.
  public init(
    phrasebook: Phrasebook, clips: ClipSet? = nil, online: OnlineVoice? = nil,
    synthesiser: Synthesiser? = nil,
    group: SoundGroup? = nil, leavesFiles: Bool = false, chime: PCM? = nil
  ) {
    self.phrasebook = phrasebook
    self.clips = clips
    self.online = online
    self.synthesiser = synthesiser
    self.group = group
    self.leavesFiles = leavesFiles
    self.chime = chime
  }

  /// Speaks the fixed phrases once, so that they are there when nothing else is.
  public mutating func prepare(by deadline: BootInstant) async {
    guard let synthesiser else { return }
    for words in phrasebook.fixedPhrases where clips?.joined(words) == nil {
      fixed[words.text] = try? await synthesiser.speak(
        words.reading, in: phrasebook.reader.language, by: deadline)
    }
  }

  /// The best speech that can be had by `deadline`.
  public func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech {
    var speech = await found(for: announcement, by: deadline)
    speech.pcm = finished(speech)
    if leavesFiles, let group {
      let (pcm, id) = (speech.pcm, announcement.fileID ?? announcement.id)
      // For others; nobody here waits for it, and a full disk must not keep the voice from speaking.
      leaving.start { _ = try? group.leave(pcm, for: id) }
    }
    return speech
  }

  private func found(for announcement: Announcement, by deadline: BootInstant) async -> Speech {
    let saying = phrasebook.saying(for: announcement)
    var shortfall: String?
    switch saying {
    case .phrase(let words):
      if let pcm = clips?.joined(words) { return Speech(pcm: pcm, text: words.text, source: .clips) }
      if let clips {
        shortfall = "no clip for " + clips.missing(of: words).map(\.text).joined(separator: ", ")
      }
      if let speech = await spoken(words.reading, as: words.text, by: deadline, &shortfall) { return speech }
    case .text(let text):
      if announcement.amount == nil, let prepared = await prepared(announcement, &shortfall) {
        return prepared
      }
      if let clean = SpeakableText.clean(text, phrasebook.reader) {
        let isReadable = SpeakableText.isReadable(clean, in: phrasebook.reader.language)
        if let speech = await spoken(clean, as: clean, isReadable: isReadable, by: deadline, &shortfall) {
          return speech
        }
      } else {
        shortfall = "the text is too long, or has no word in it"
      }
    case .fixed(_, let reason): shortfall = reason
    case .nothing(let reason): shortfall = reason
    }
    if let speech = fixedPhrase(for: announcement) {
      return Speech(pcm: speech.pcm, text: speech.text, source: .fixed, shortfall: shortfall)
    }
    // With an amount, a prepared sound would say that it was received, or another one.
    if case .nothing = saying, announcement.amount == nil,
      let prepared = await prepared(announcement, &shortfall)
    {
      return prepared
    }
    return Speech(
      pcm: chime ?? Chime.sound(rate: clips?.rate ?? 22_050), text: "", source: .chime, shortfall: shortfall)
  }

  private func fixedPhrase(for announcement: Announcement) -> (pcm: PCM, text: String)? {
    let words = phrasebook.fixed(for: announcement)
    guard !words.isEmpty, let pcm = clips?.joined(words) ?? fixed[words.text] else { return nil }
    return (pcm, words.text)
  }

  private func spoken(
    _ reading: String, as text: String, isReadable: Bool = true, by deadline: BootInstant,
    _ shortfall: inout String?
  ) async -> Speech? {
    let language = phrasebook.reader.language
    let deadline = deadline.advanced(by: .zero - Self.reserve)
    if let online {
      do throws(SoundError) {
        let pcm = try Self.checked(await online.speak(text, in: language, by: deadline))
        return Speech(pcm: pcm, text: text, source: .online, shortfall: shortfall)
      } catch {
        shortfall = error.message
      }
    }
    guard let synthesiser else { return nil }
    do throws(SoundError) {
      guard isReadable else {
        throw SoundError(.content, "the synthesiser cannot read the characters of \(language)")
      }
      let pcm = try Self.checked(
        await synthesiser.speak(
          reading, in: language, by: min(deadline, BootClock().now.advanced(by: Self.patience))))
      return Speech(pcm: pcm, text: text, source: .synthesis, shortfall: shortfall)
    } catch {
      shortfall = [shortfall, error.message].compactMap(\.self).joined(separator: "; ")
      return nil
    }
  }

  /// What takes longer than half a minute would let the payments behind it grow too old.
  private static func checked(_ pcm: PCM) throws(SoundError) -> PCM {
    guard pcm.duration <= SoundGroup.longest else {
      let (seconds, longest) = (pcm.duration.components.seconds, SoundGroup.longest.components.seconds)
      throw SoundError(.invalid, "the text takes \(seconds) s to say, and \(longest) s is the most")
    }
    return pcm
  }

  private func prepared(_ announcement: Announcement, _ shortfall: inout String?) async -> Speech? {
    guard let group, let name = announcement.soundName else { return nil }
    let result = await WorkThreads.speech.run { () -> Result<PCM?, SoundError> in
      do throws(SoundError) {
        return .success(try group.prepared(name))
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let pcm):
      return pcm.map { Speech(pcm: $0, text: name, source: .prepared, shortfall: shortfall) }
    case .failure(let error):
      shortfall = error.message
      return nil
    }
  }

  /// As often as it is wanted, and as half a minute has room for.
  private func repeated(_ words: PCM) -> PCM {
    let again = words.padded(before: Self.pause)
    var whole = (chime?.duration ?? .zero) + words.duration + Self.tail
    var count = 0
    while count + 1 < times, whole + again.duration <= SoundGroup.longest {
      whole += again.duration
      count += 1
    }
    guard count > 0 else { return words }
    return (try? PCM.joined([words] + [PCM](repeating: again, count: count))) ?? words
  }

  /// The chime before words, silence behind them; a prepared sound is played as it is.
  private func finished(_ speech: Speech) -> PCM {
    switch speech.source {
    case .prepared, .chime: return speech.pcm
    case .clips, .synthesis, .online, .fixed:
      let words = repeated(speech.pcm).padded(after: Self.tail)
      guard let chime, let same = try? chime.resampled(to: words.rate) else { return words }
      return (try? PCM.joined([same, words])) ?? words
    }
  }
}
