import ESCPOS
import FoundationEssentials

/// What a folder of clips holds: its file `set.json`. JSON Schema: `Docs/schema/voice-set.schema.json`.
public struct ClipManifest: Codable, Equatable, Sendable {
  /// The file's name in the folder of the set.
  public static let fileName = "set.json"
  /// The form of the file that is written and read.
  static let form = 1

  /// The form of the file: 1.
  public var form: Int
  /// The language: `zh`, `yue`, `en`, `de`, `fr`, `es`, `ja`.
  public var language: String
  /// Who speaks: `espeak-ng 1.51, cmn-latn-pinyin`, or whoever recorded it.
  public var engine: String
  /// What may be done with the clips.
  public var licence: String
  /// Samples per second of every clip.
  public var rate: Int
  /// The clips.
  public var clips: [Clip]

  /// One clip.
  public struct Clip: Codable, Equatable, Sendable {
    /// Its name: `7`, `hundred`, `wx`.
    public var id: String
    /// What is said in it.
    public var text: String
    /// The WAV file in the folder of the set.
    public var file: String
    /// Its length in samples.
    public var frames: Int
    /// SHA-256 of the file.
    public var sha256: String

    enum CodingKeys: String, CodingKey, CaseIterable { case id, text, file, frames, sha256 }

    init(id: String, text: String, file: String, frames: Int, sha256: String) {
      self.id = id
      self.text = text
      self.file = file
      self.frames = frames
      self.sha256 = sha256
    }

    /// Reads a clip strictly: a file name that leaves the folder is refused.
    public init(from decoder: any Decoder) throws {
      try decoder.refuseUnknownKeys(known: CodingKeys.allCases.map(\.rawValue))
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      func fault(_ key: CodingKeys, _ message: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: fields, debugDescription: message)
      }
      id = try fields.decode(String.self, forKey: .id)
      text = try fields.decode(String.self, forKey: .text)
      file = try fields.decode(String.self, forKey: .file)
      frames = try fields.decode(Int.self, forKey: .frames)
      sha256 = try fields.decode(String.self, forKey: .sha256)
      guard SoundName(file) != nil else {
        throw fault(.file, "must be the name of a file in the set's folder")
      }
      guard (1...ClipSet.longestClip).contains(frames) else {
        throw fault(.frames, "must be from 1 to \(ClipSet.longestClip)")
      }
      guard sha256.utf8.count == 64 else { throw fault(.sha256, "must be 64 hexadecimal digits") }
    }
  }

  enum CodingKeys: String, CodingKey, CaseIterable { case form, language, engine, licence, rate, clips }

  init(language: String, engine: String, licence: String, rate: Int, clips: [Clip]) {
    form = Self.form
    self.language = language
    self.engine = engine
    self.licence = licence
    self.rate = rate
    self.clips = clips
  }

  /// Reads a manifest strictly.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(known: CodingKeys.allCases.map(\.rawValue))
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    func fault(_ key: CodingKeys, _ message: String) -> DecodingError {
      .dataCorruptedError(forKey: key, in: fields, debugDescription: message)
    }
    form = try fields.decode(Int.self, forKey: .form)
    guard form == Self.form else { throw fault(.form, "is \(form); this printd reads \(Self.form)") }
    language = try fields.decode(String.self, forKey: .language)
    engine = try fields.decode(String.self, forKey: .engine)
    licence = try fields.decode(String.self, forKey: .licence)
    rate = try fields.decode(Int.self, forKey: .rate)
    guard ClipSet.rates.contains(rate) else {
      throw fault(.rate, "must be from \(ClipSet.rates.lowerBound) to \(ClipSet.rates.upperBound)")
    }
    clips = try fields.decode([Clip].self, forKey: .clips)
    guard clips.count <= ClipSet.mostClips else {
      throw fault(.clips, "must be at most \(ClipSet.mostClips)")
    }
    var ids: Set<String> = []
    if let twice = clips.first(where: { !ids.insert($0.id).inserted }) {
      throw fault(.clips, "name \"\(twice.id)\" twice")
    }
  }

  /// The file's text, keys in order.
  func json() -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Strings and whole numbers only: there is nothing in it that could not be written.
    return (try? encoder.encode(self)).map { Array($0) + [0x0A] } ?? []
  }
}
