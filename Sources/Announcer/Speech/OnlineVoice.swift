public import Curl
public import ESCPOS
public import Sound
public import SpokenAmounts
import Threads

/// A voice somewhere else, asked over HTTP by a URL template; its answers are kept.
public struct OnlineVoice: Sendable {
  /// A template that no voice can be asked by.
  public struct Fault: Error, Equatable, CustomStringConvertible {
    /// The fault, with the remedy.
    public let description: String
  }

  /// Bytes of an answer at most.
  static let answerLimit = 4 << 20
  /// Its longest speech.
  static let longest = Duration.seconds(30)

  private let template: String
  private let patience: Duration
  private let client: HTTPClient
  private let cache: SpeechCache
  private let prosody: Prosody

  /// Checks a template.
  ///
  /// - Parameters:
  ///   - template: `https://voice.example/say?lang={language}&text={text}`; both places are filled percent-encoded.
  ///   - patience: How long it may take for one text; never beyond the announcement's own deadline.
  ///   - client: Sends the questions.
  ///   - cache: Keeps the answers, as they came.
  ///   - prosody: How they are to be heard.
  /// - Throws: ``Fault``.
  public init(
    template: String, patience: Duration = .milliseconds(1500), client: HTTPClient, cache: SpeechCache,
    prosody: Prosody = Prosody()
  ) throws(Fault) {
    try Self.check(template: template)
    self.template = template
    self.patience = patience
    self.client = client
    self.cache = cache
    self.prosody = prosody
  }

  /// Checks a template without asking anybody.
  ///
  /// - Throws: ``Fault``.
  public static func check(template: String) throws(Fault) {
    guard template.hasPrefix("https://") || template.hasPrefix("http://") else {
      throw Fault(description: "must begin with https:// or http://")
    }
    guard template.contains("{text}") else {
      throw Fault(description: "must have {text} where the text goes")
    }
    guard template.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Fault(description: "must be ASCII without spaces; encode other characters as %XX")
    }
    let host = template.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" && $0 != "?" }
    guard !host.isEmpty, !host.contains("{") else {
      throw Fault(description: "must name its host before {text}")
    }
  }

  /// Asks for a text, past the cache, to see whether it answers.
  ///
  /// - Throws: ``SoundError``, as it would be in earnest.
  public func probe(_ text: String, in language: SpokenLanguage, by deadline: BootInstant)
    async throws(SoundError)
  {
    _ = try await ask(Self.fill(template, text, language), by: deadline)
  }

  /// What it says: from the cache, or asked for now.
  ///
  /// - Throws: ``SoundError``: `unavailable`, `deadline`, or `content` for an answer that is no sound.
  func speak(_ text: String, in language: SpokenLanguage, by deadline: BootInstant) async throws(SoundError)
    -> PCM
  {
    let url = Self.fill(template, text, language)
    let cache = cache
    if let known = await WorkThreads.speech.run({ cache.sound(for: url) }) { return try await spoken(known) }
    let pcm = try await ask(url, by: deadline)
    await WorkThreads.speech.run { try? cache.keep(pcm, for: url) }
    return try await spoken(pcm)
  }

  /// A sound with the shop's prosody; half a minute of it takes a while.
  private func spoken(_ pcm: PCM) async throws(SoundError) -> PCM {
    let prosody = prosody
    guard prosody != Prosody() else { return pcm }
    let result = await WorkThreads.speech.run { () -> Result<PCM, SoundError> in
      do throws(SoundError) {
        return .success(try prosody.applied(to: pcm))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func ask(_ url: String, by deadline: BootInstant) async throws(SoundError) -> PCM {
    let response: HTTPClient.Response
    do throws(HTTPClientError) {
      response = try await client.send(
        HTTPClient.Request(.get, url, headers: [("Accept", "audio/*")], responseLimit: Self.answerLimit),
        by: min(deadline, BootClock().now.advanced(by: patience)))
    } catch {
      throw SoundError(
        error.code == .deadline ? .deadline : .unavailable, "the online voice: \(error.message)")
    }
    guard response.status == 200 else {
      throw SoundError(.unavailable, "the online voice answers \(response.status)")
    }
    let result = await WorkThreads.speech.run { () -> Result<PCM, SoundError> in
      do throws(SoundError) {
        let read = try AudioFile.read(response.body, name: "the online voice's answer", longest: Self.longest)
        let pcm = read.trimmed().levelled()
        guard !pcm.samples.isEmpty else { throw SoundError(.content, "the online voice said nothing") }
        return .success(pcm)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The address to ask for a text.
  static func fill(_ template: String, _ text: String, _ language: SpokenLanguage) -> String {
    var url = ""
    var rest = Substring(template)
    while let character = rest.first {
      if rest.hasPrefix("{text}") {
        url += encoded(text)
        rest = rest.dropFirst("{text}".count)
      } else if rest.hasPrefix("{language}") {
        url += language.rawValue
        rest = rest.dropFirst("{language}".count)
      } else {
        url.append(character)
        rest = rest.dropFirst()
      }
    }
    return url
  }

  /// Percent-encoded, all but the unreserved characters (RFC 3986, 2.3).
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
