public import ESCPOS
public import Sound
public import SpokenAmounts
import Threads

/// The synthesiser of this machine: espeak-ng, run as a program for each text.
///
/// The text goes to its standard input, never to its command line; it is killed at the deadline.
public struct Synthesiser: Sendable, Equatable {
  /// The longest text in bytes.
  static let longestText = 4096
  /// Bytes of sound at most: two minutes.
  static let outputLimit = 6 << 20

  private static let remedy = "apt install espeak-ng"

  /// The program: a path, or a name in `PATH`.
  public var program: String
  /// How it speaks.
  public var prosody: Prosody

  /// Creates the synthesiser; nothing is started.
  public init(program: String = "espeak-ng", prosody: Prosody = Prosody()) {
    self.program = program
    self.prosody = prosody
  }

  /// The voice of a language.
  ///
  /// Not `cmn`: in espeak-ng 1.51 it spells Chinese characters out in Latin letters.
  public static func voice(_ language: SpokenLanguage) -> String {
    switch language {
    case .mandarin: "cmn-latn-pinyin"
    case .cantonese: "yue"
    case .english: "en-us"
    case .german: "de"
    case .french: "fr-fr"
    case .spanish: "es"
    case .japanese: "ja"
    }
  }

  /// Speaks a text that is fit for it (no digits in Chinese): trimmed, levelled, with its prosody.
  ///
  /// - Throws: ``SoundError``: `unavailable` without the program, `deadline`, `failed`, `content` for what is no sound.
  public func speak(
    _ text: String, in language: SpokenLanguage, by deadline: BootInstant
  ) async throws(SoundError) -> PCM {
    let input = Array(text.utf8)
    guard input.count <= Self.longestText else {
      throw SoundError(.invalid, "a text of \(input.count) bytes is too long to be spoken")
    }
    let run = Program(
      path: program, arguments: ["-v", Self.voice(language), "-b", "1", "--stdin", "--stdout"],
      outputLimit: Self.outputLimit, remedy: Self.remedy)
    let bytes = try await run.run(input + [0x0A], by: deadline)
    let prosody = prosody
    let result = await WorkThreads.speech.run { () -> Result<PCM, SoundError> in
      do throws(SoundError) {
        return .success(try Self.sound(bytes, prosody))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func sound(_ bytes: [UInt8], _ prosody: Prosody) throws(SoundError) -> PCM {
    let pcm = try AudioFile.read(withLengths(bytes), name: "the synthesiser's sound", longest: .seconds(120))
    let spoken = pcm.trimmed().levelled()
    guard !spoken.samples.isEmpty else { throw SoundError(.content, "the synthesiser said nothing") }
    return try prosody.applied(to: spoken)
  }

  /// A WAV file that was written to a stream does not know its length; this writes it into the header.
  static func withLengths(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 44, Array(bytes[36..<40]) == Array("data".utf8) else { return bytes }
    var bytes = bytes
    for (offset, length) in [(4, bytes.count - 8), (40, bytes.count - 44)] {
      for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: length >> (8 * byte)) }
    }
    return bytes
  }

  /// What the program calls itself: `espeak-ng 1.51`.
  ///
  /// - Throws: ``SoundError``.
  public func version(by deadline: BootInstant) async throws(SoundError) -> String {
    let run = Program(path: program, arguments: ["--version"], outputLimit: 65_536, remedy: Self.remedy)
    let line = String(decoding: try await run.run([], by: deadline), as: UTF8.self).prefix { $0 != "\n" }
    let words = line.split(separator: " ").map(String.init)
    guard let number = words.first(where: { $0.first?.isNumber ?? false }) else {
      throw SoundError(.content, "\(program) does not say its version; is it espeak-ng?")
    }
    return "espeak-ng \(number)"
  }
}
