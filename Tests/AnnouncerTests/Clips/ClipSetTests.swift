import ESCPOS
import Glibc
import PrintTestKit
import Sound
import SpokenAmounts
import Testing

@testable import Announcer

/// Folders that stay as long as the test.
final class Kept {
  var folders: [TemporaryFolder] = []
}

/// Recordings for every word, each of another length, as a shop would bring them.
struct ShopRecordings {
  let folder: TemporaryFolder
  let book: Phrasebook
  private(set) var pcm: [String: PCM] = [:]

  /// Writes one file for each word: its name, or for some its text or an old app's name.
  init(_ kept: Kept, _ book: Phrasebook, rate: Int = 16_000, leavingOut: Set<String> = []) throws {
    folder = try TemporaryFolder()
    kept.folders.append(folder)
    self.book = book
    for (index, word) in (book.phrases + book.numbers).enumerated() where !leavingOut.contains(word.id) {
      let length = 800 + index * 7
      let sound = PCM(
        samples: (0..<length).map { Int16(clamping: 9000 - ($0 + index) % 40 * 450) }, rate: rate)
      let name = index % 3 == 0 ? word.text : index % 3 == 1 ? word.id : "tts_\(word.id)"
      try AudioFile.writeWAV(sound, to: folder.path("\(name).wav"))
      pcm[word.id] = sound
    }
  }

  /// Imports them into a set of their own.
  func imported() throws -> (path: String, set: ClipSet) {
    let path = folder.path("set")
    _ = try ClipSetFolder(path).take(from: folder.path, book, licence: "our own voices")
    return (path, try ClipSet.read(path, for: book))
  }
}

@Suite("Sets of clips")
struct ClipSetTests {
  private let kept = Kept()
  private let book = Phrasebook.mandarin

  @Test("are made of a shop's recordings, by name, text or an old app's name")
  func recordings() throws {
    let (path, set) = try ShopRecordings(kept, book).imported()
    #expect(set.missing(of: book.phrases + book.numbers).isEmpty)
    #expect(set.manifest.engine == "recordings")
    #expect(set.manifest.licence == "our own voices")
    #expect(try ClipSet.manifest(in: path) == set.manifest)
  }

  @Test("join a phrase to exactly the samples of its clips, in order")
  func joined() throws {
    let (path, set) = try ShopRecordings(kept, book).imported()
    guard case .phrase(let words) = book.saying(for: payment("120034.05", payType: "wx")) else {
      Issue.record("no phrase")
      return
    }
    let phrase = try #require(set.joined(words))
    let files = try words.map { word in
      let entry = try #require(set.manifest.clips.first { $0.id == word.id })
      return try AudioFile.read("\(path)/\(entry.file)").faded(.milliseconds(3))
    }
    #expect(phrase.samples == files.flatMap(\.samples))
    #expect(phrase.samples.count == set.frames(of: words))
    #expect(words.count == 1 + "十二万零三十四点零五元".count)
  }

  @Test("say a phrase whole or not at all, whichever clip is missing")
  func missing() throws {
    guard case .phrase(let words) = book.saying(for: payment("12.05", payType: "wx")) else {
      Issue.record("no phrase")
      return
    }
    for word in Set(words.map(\.id)) {
      let recordings = try ShopRecordings(kept, book, leavingOut: [word])
      if word == "wx" {
        #expect(try recordings.imported().set.joined(words) == nil)
      } else {
        let error = #expect(throws: SoundError.self) { try recordings.imported() }
        #expect(error?.message.contains(word) == true)
        #expect(access(recordings.folder.path("set/set.json"), F_OK) != 0, "nothing is installed")
      }
    }
  }

  @Test("say nothing in the words of another phrase of the same name")
  func otherWords() throws {
    let (path, _) = try ShopRecordings(kept, book).imported()
    var other = book
    other.templates.templates[.wx] = try PhraseTemplate("微信到账{amount}")
    let set = try ClipSet.read(path, for: other)
    guard case .phrase(let words) = other.saying(for: payment("1", payType: "wx")) else {
      Issue.record("no phrase")
      return
    }
    #expect(set.missing(of: words).map(\.text) == ["微信到账"])
    #expect(set.joined(words) == nil)
  }

  @Test("need the words that an option needs")
  func options() throws {
    let (path, _) = try ShopRecordings(kept, book).imported()
    var liang = book
    liang.reader.usesLiang = true
    let error = #expect(throws: SoundError.self) { try ClipSet.read(path, for: liang) }
    #expect(error?.message.contains("liang (两)") == true)
  }

  @Test("are refused when any of their files is another, or gone, or a link")
  func tampered() throws {
    let (path, set) = try ShopRecordings(kept, book).imported()
    let file = "\(path)/\(set.manifest.clips[4].file)"
    try AudioFile.writeWAV(PCM(samples: [1, 2, 3], rate: 16_000), to: file)
    #expect(throws: SoundError.self) { try ClipSet.read(path, for: book) }
    unlink(file)
    #expect(throws: SoundError.self) { try ClipSet.read(path, for: book) }
    symlink("/etc/passwd", file)
    let error = #expect(throws: SoundError.self) { try ClipSet.read(path, for: book) }
    #expect(error?.message.contains("link") == true)
  }

  @Test(
    "are refused with a manifest that is not right",
    arguments: [
      #"{"form": 2, "language": "zh", "engine": "", "licence": "", "rate": 22050, "clips": []}"#,
      #"{"form": 1, "language": "zh", "engine": "", "licence": "", "rate": 1, "clips": []}"#,
      #"{"form": 1, "language": "zh", "engine": "", "licence": "", "rate": 22050, "clips": [], "more": 1}"#,
      #"{"form": 1, "language": "zh", "engine": "", "licence": "", "rate": 22050, "clips": [{"id": "1", "text": "一", "#
        + #""file": "../1.wav", "frames": 10, "sha256": "\#(String(repeating: "0", count: 64))"}]}"#,
      #"{"form": 1, "language": "zh", "engine": "", "licence": "", "rate": 22050, "clips": [{"id": "1", "text": "一", "#
        + #""file": "1.wav", "frames": 0, "sha256": "\#(String(repeating: "0", count: 64))"}]}"#,
      "[]", "", "{",
    ])
  func manifest(_ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "set.json")
    let error = #expect(throws: SoundError.self) { try ClipSet.read(folder.path, for: nil) }
    #expect(error?.message.contains("set.json") == true)
  }

  @Test("are refused in another language")
  func language() throws {
    let (path, _) = try ShopRecordings(kept, book).imported()
    #expect(throws: SoundError.self) { try ClipSet.read(path, for: .english) }
  }

  @Test("are faster or slower as asked, and still as long as their clips")
  func speed() throws {
    let (path, set) = try ShopRecordings(kept, book).imported()
    let fast = try ClipSet.read(path, for: book, prosody: Prosody(rate: 1.25))
    guard case .phrase(let words) = book.saying(for: payment("12.50")) else {
      Issue.record("no phrase")
      return
    }
    let (usual, faster) = (try #require(set.frames(of: words)), try #require(fast.frames(of: words)))
    #expect(faster < usual * 9 / 10)
    #expect(fast.joined(words)?.samples.count == faster)
  }

  @Test("replace the one before in one step, and leave nothing of it")
  func replaced() throws {
    let recordings = try ShopRecordings(kept, book)
    let (path, first) = try recordings.imported()
    try AudioFile.writeWAV(
      PCM(samples: (0..<3000).map { Int16($0 % 50 * 300) }, rate: 16_000), to: recordings.folder.path("一.wav")
    )
    unlink(recordings.folder.path("1.wav"))
    unlink(recordings.folder.path("tts_1.wav"))
    let (_, second) = try recordings.imported()
    #expect(first != second)
    #expect(try Fixtures.names(inFolder: path).count == second.manifest.clips.count + 1)
  }

  @Test("are not made of two recordings for one word, nor of a silent one")
  func doubtful() throws {
    let twice = try ShopRecordings(kept, book)
    try AudioFile.writeWAV(
      PCM(samples: [Int16](repeating: 5000, count: 900), rate: 16_000), to: twice.folder.path("dot.wav"))
    try AudioFile.writeWAV(
      PCM(samples: [Int16](repeating: 5000, count: 900), rate: 16_000), to: twice.folder.path("点.wav"))
    let doubled = #expect(throws: SoundError.self) { try twice.imported() }
    #expect(doubled?.message.contains("keep one") == true)
    let silent = try ShopRecordings(kept, book, leavingOut: ["dot"])
    try AudioFile.writeWAV(PCM.silence(.seconds(1), rate: 16_000), to: silent.folder.path("dot.wav"))
    let quiet = #expect(throws: SoundError.self) { try silent.imported() }
    #expect(quiet?.message.contains("silent") == true)
  }

  @Test("take recordings of several rates and kinds, and name the files that are no word")
  func mixed() throws {
    let recordings = try ShopRecordings(kept, book, rate: 22_050, leavingOut: ["dot", "7"])
    let tone = try Fixtures.bytes("sound/tone.mp3")
    #expect(!tone.isEmpty)
    for (fixture, name) in [("tone.mp3", "点.MP3"), ("tone.flac", "7.flac"), ("tone.oga", "whistle.ogg")] {
      let bytes = try Fixtures.bytes("sound/\(fixture)")
      let file = try #require(fopen(recordings.folder.path(name), "wb"))
      fwrite(bytes, 1, bytes.count, file)
      fclose(file)
    }
    let (manifest, unused) = try ClipSetFolder(recordings.folder.path("set")).take(
      from: recordings.folder.path, book, licence: "")
    #expect(unused == ["whistle.ogg"])
    #expect(manifest.clips.count == (book.phrases + book.numbers).count)
    #expect(try ClipSet.read(recordings.folder.path("set"), for: book).rate == manifest.rate)
  }

  @Test("leaves the folder as it was when it cannot be written whole")
  func halfWritten() throws {
    let (path, set) = try ShopRecordings(kept, book).imported()
    let before = try Fixtures.names(inFolder: path).sorted()
    let tone = PCM(samples: [Int16](repeating: 900, count: 800), rate: set.rate)
    let other = PCM(samples: tone.samples, rate: set.rate * 2)
    let recordings = zip(book.numbers, [tone, tone, other]).map { ClipSetFolder.Recording(word: $0, pcm: $1) }
    #expect(throws: SoundError.self) {
      try ClipSetFolder(path).install(recordings, language: .mandarin, engine: "x", licence: "x")
    }
    #expect(try Fixtures.names(inFolder: path).sorted() == before)
    #expect(try ClipSet.read(path, for: book) == set)
  }
}

extension Fixtures {
  /// The names in any folder.
  static func names(inFolder path: String) throws -> [String] {
    let directory = try #require(opendir(path))
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
