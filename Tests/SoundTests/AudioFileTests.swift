import ESCPOS
import Glibc
import PrintTestKit
import Sound
import Testing

struct AudioFileTests {
  private func tone() throws -> PCM { try AudioFile.read(Fixtures.path("sound/tone.wav")) }

  @Test("WAV and FLAC come back sample by sample")
  func exact() throws {
    let tone = try tone()
    #expect(tone == Tones.sine(5512))
    #expect(try AudioFile.read(Fixtures.path("sound/tone.flac")) == tone)
    #expect(try AudioFile.read(Fixtures.bytes("sound/tone.flac"), name: "tone") == tone)
  }

  @Test(
    "MP3, Vorbis and Opus have the tone's length and pitch", arguments: ["tone.mp3", "tone.oga", "opus.oga"])
  func lossy(name: String) throws {
    let sound = try AudioFile.read(Fixtures.path("sound/\(name)"))
    #expect(abs(Int(sound.duration.milliseconds.rounded()) - 250) <= 1)
    #expect(abs(Tones.rises(sound) - 110) <= 2)
    #expect((7000...9500).contains(sound.peak))
  }

  @Test("What is written is read again")
  func writes() throws {
    let folder = try TemporaryFolder()
    let sound = PCM(samples: [0, 1, -1, .max, .min, 12_345], rate: 44_100)
    try AudioFile.writeWAV(Tones.sine(10), to: folder.path("a.wav"))
    try AudioFile.writeWAV(sound, to: folder.path("a.wav"))
    #expect(try AudioFile.read(folder.path("a.wav")) == sound)
    #expect(try WaveBytes.names(in: folder.path) == ["a.wav"])
  }

  @Test("A file that cannot be put in place leaves nothing behind")
  func writeFails() throws {
    let folder = try TemporaryFolder()
    mkdir(folder.path("a.wav"), 0o755)
    let error = #expect(throws: SoundError.self) {
      try AudioFile.writeWAV(Tones.sine(10), to: folder.path("a.wav"))
    }
    #expect(error?.code == .file)
    #expect(try WaveBytes.names(in: folder.path) == ["a.wav"])
    #expect(throws: SoundError.self) { try AudioFile.writeWAV(Tones.sine(10), to: folder.path("none/a.wav")) }
  }

  @Test("Several channels become one, and floating point is taken as it is meant")
  func mixes() throws {
    let stereo = WaveBytes(channels: 2, rate: 16_000, data: WaveBytes.words([1000, 3000, -500, 500]))
    #expect(try stereo.read() == PCM(samples: [2000, 0], rate: 16_000))
    let float = WaveBytes(format: 3, bits: 32, data: WaveBytes.floats([0, 0.5, -1, 1.5]))
    #expect(try float.read().samples == [0, 16_384, -32_768, 32_767])
    let byte = WaveBytes(bits: 8, data: [128, 255, 0])
    #expect(try byte.read().samples == [0, 32_512, -32_768])
  }

  @Test("The length that a pipe or espeak-ng writes is no fault", arguments: [0xFFFF_FFFF, 0x7FFF_F000])
  func unknownLength(length: Int) throws {
    let wave = WaveBytes(data: WaveBytes.words([1, 2, 3]), dataLength: length)
    #expect(try wave.read().samples == [1, 2, 3])
  }

  /// A name, the bytes, and a word of the refusal.
  static let hostile: [(String, [UInt8], String)] = {
    let words = WaveBytes.words([Int16](repeating: 77, count: 500))
    let whole = WaveBytes(data: words).bytes
    var cases: [(String, [UInt8], String)] = [
      ("nothing", [], "neither"),
      ("text", Array("this is no sound at all, only words".utf8), "neither"),
      ("AIFF", Array("FORM\u{0}\u{0}\u{0}\u{4}AIFF".utf8), "neither"),
      ("a bare RIFF", Array("RIFF".utf8), "neither"),
      ("a WAV header only", Array(whole[..<20]), "breaks off"),
      ("a WAV without data", Array(whole[..<36]), "breaks off"),
      ("a WAV broken off", Array(whole[..<500]), "breaks off"),
      ("an empty WAV", WaveBytes(data: []).bytes, ""),
      ("no rate", WaveBytes(rate: 0, data: words).bytes, ""),
      ("a rate of 1 Hz", WaveBytes(rate: 1, data: words).bytes, "1 samples a second"),
      ("a rate of 4 GHz", WaveBytes(rate: 0xFFFF_FFFF, data: words).bytes, ""),
      ("2^31 frames", WaveBytes(bits: 8, data: words, dataLength: 1 << 31).bytes, "breaks off"),
      ("no channel", WaveBytes(channels: 0, data: words).bytes, ""),
      ("a hundred channels", WaveBytes(channels: 100, data: words).bytes, ""),
      ("65,535 channels", WaveBytes(channels: 65_535, data: words).bytes, ""),
      (
        "no number", WaveBytes(format: 3, bits: 32, data: WaveBytes.floats([0, .nan])).bytes,
        "sample 2 is not"
      ),
      (
        "infinity", WaveBytes(format: 3, bits: 32, data: WaveBytes.floats([.infinity])).bytes,
        "sample 1 is not"
      ),
      ("ADPCM", WaveBytes(format: 0x11, bits: 4, data: words).bytes, ""),
      (
        "two minutes",
        WaveBytes(rate: 8000, data: WaveBytes.words([Int16](repeating: 1, count: 960_000))).bytes, "longer"
      ),
      ("an ID3 tag for ever", Array("ID3\u{4}\u{0}\u{0}\u{7F}\u{7F}\u{7F}\u{7F}".utf8), ""),
      ("MP3 sync and zeros", [0xFF, 0xFB] + [UInt8](repeating: 0, count: 4096), ""),
    ]
    // A chunk before the data that claims to be larger than the file.
    var huge = Array(whole[..<12])
    huge += Array("LIST".utf8) + [0xFF, 0xFF, 0xFF, 0x7F] + Array(whole[12...])
    cases.append(("a huge chunk", huge, "breaks off"))
    return cases
  }()

  @Test("Hostile bytes are refused with their name and a reason", arguments: hostile)
  func refuses(what: String, bytes: [UInt8], word: String) throws {
    let error = #expect(throws: SoundError.self, "\(what)") { try AudioFile.read(bytes, name: "clip 7") }
    #expect(error?.code == .content)
    #expect(error?.message.hasPrefix("clip 7: ") == true)
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
  }

  @Test(
    "Every beginning of a file is refused or, for MP3 and FLAC, a whole sound",
    arguments: ["tone.wav", "tone.flac", "tone.oga", "opus.oga"])
  func truncated(name: String) throws {
    let bytes = try Fixtures.bytes("sound/\(name)")
    for count in stride(from: 0, to: bytes.count - 1, by: 37) {
      #expect(throws: SoundError.self, "\(name), \(count) of \(bytes.count) bytes") {
        try AudioFile.read(Array(bytes[..<count]), name: name)
      }
    }
  }

  @Test(
    "No changed byte ends the program",
    arguments: ["tone.wav", "tone.flac", "tone.oga", "opus.oga", "tone.mp3"])
  func damaged(name: String) throws {
    let bytes = try Fixtures.bytes("sound/\(name)")
    var random = SystemRandomNumberGenerator()
    var refused = 0
    for round in 0..<400 {
      var damaged = bytes
      // The headers are where a number decides about memory.
      for _ in 0...(round % 4) {
        damaged[Int.random(in: 0..<min(300, bytes.count), using: &random)] = .random(
          in: 0...255, using: &random)
      }
      do {
        let sound = try AudioFile.read(damaged, name: name)
        #expect(sound.duration <= AudioFile.longest)
      } catch {
        refused += 1
        #expect(error.code == .content)
      }
    }
    #expect(refused > 0)
  }

  @Test("A folder, a pipe, a missing and a forbidden file are refused without waiting")
  func noFiles() throws {
    let folder = try TemporaryFolder()
    mkfifo(folder.path("pipe.wav"), 0o644)
    for path in [folder.path, folder.path("pipe.wav"), folder.path("none.wav"), "/dev/zero"] {
      let error = #expect(throws: SoundError.self) { try AudioFile.read(path) }
      #expect(error?.code == .file)
    }
  }

  @Test("A file of gigabytes is refused before it is read")
  func sparse() throws {
    let folder = try TemporaryFolder()
    try folder.write("RIFF", to: "large.wav")
    truncate(folder.path("large.wav"), 5 << 30)
    let error = #expect(throws: SoundError.self) { try AudioFile.read(folder.path("large.wav")) }
    #expect(error?.message.contains("larger than 64 MB") == true)
  }

  @Test("Many readers at once do not disturb each other")
  func concurrent() async throws {
    let tone = try tone()
    let bytes = try Fixtures.bytes("sound/tone.flac")
    await withTaskGroup(of: Bool.self) { group in
      for round in 0..<64 {
        group.addTask {
          round % 2 == 0
            ? (try? AudioFile.read(bytes, name: "a")) == tone
            : (try? AudioFile.read(Array(bytes[..<900]), name: "b")) == nil
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}

/// A WAV file with whatever header.
struct WaveBytes {
  var format = 1
  var channels = 1
  var rate = 22_050
  var bits = 16
  var data: [UInt8]
  var dataLength: Int?

  var bytes: [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let block = max(1, channels * bits / 8)
    let head = little(format, 2) + little(channels, 2) + little(rate, 4) + little(rate * block, 4)
    let form = head + little(block, 2) + little(bits, 2)
    let length = little(dataLength ?? data.count, 4)
    return Array("RIFF".utf8) + little(36 + data.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + form
      + Array("data".utf8) + length + data
  }

  func read() throws -> PCM { try AudioFile.read(bytes, name: "wave") }

  static func words(_ samples: [Int16]) -> [UInt8] {
    samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }

  static func floats(_ samples: [Float]) -> [UInt8] {
    samples.flatMap { sample in (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) } }
  }

  static func names(in folder: String) throws -> [String] {
    guard let directory = opendir(folder) else { throw Fixtures.Missing(path: folder) }
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
