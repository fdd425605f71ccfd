import Announcer
import Glibc
import PrintTestKit
import Sound
import SpokenAmounts
import Testing

@testable import printd

@Suite("The commands of the voice", .timeLimit(.minutes(3)))
struct VoiceCommandTests {
  private let folder: TemporaryFolder
  private let configuration: String

  init() throws {
    folder = try TemporaryFolder()
    configuration = try folder.write(
      """
      {printers: [{name: "a", link: "virtual", profile: "generic-80", address: "paper"}], state_directory: "state",
       orders: {directory: "orders"}, control: {socket: "\(folder.path("control.sock"))"},
       voice: {language: "zh", currency: "CNY", output: "file", device: "said.wav"}}
      """, to: "printd.json5")
  }

  private func run(_ words: String...) async throws -> (code: Int32?, output: String) {
    try await CommandLineTests.run(words, in: folder)
  }

  @Test(
    "announce --words prints what would be said, and says nothing",
    arguments: [
      ("12.50 --pay wx --language zh", "微信收款十二点五元\n"),
      ("10 --pay 2 --order 12.50 --language zh", "支付宝收款十元，订单金额十二点五元\n"),
      ("12.50 --refund --language zh", "退款十二点五元\n"), ("--language zh -- -12.50", "退款十二点五元\n"),
      ("1.01 --language en --currency GBP", "Received one pound and one penny\n"),
      ("21 --language es --currency EUR --pay card", "Cobro con tarjeta: veintiún euros\n"),
      ("12.50 --currency USD", "收款十二点五美元\n"),
    ])
  func words(_ line: String, _ expected: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    let (code, output) = try await CommandLineTests.run(
      ["announce", "--words", "--config", configuration] + words, in: folder)
    #expect(output == expected)
    #expect(code == 0)
    #expect(access(folder.path("said.wav"), F_OK) != 0)
  }

  @Test(
    "announce refuses what it cannot say, and says why",
    arguments: [
      ("12,5", 65, "decimal string"), ("0", 65, "nothing was received"),
      ("0.00 --refund", 65, "nothing was received"), ("-5", 64, "not understood"),
      ("", 64, "missing"),
      ("1 --language tlh", 64, "no voice for"), ("1 --currency XXX", 64, "no words for"),
      ("1000000000000", 0, "too large to be said"),
    ] as [(String, Int32, String)])
  func refuses(_ line: String, _ expected: Int32, _ says: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    let (code, output) = try await CommandLineTests.run(
      ["announce", "--words", "--config", configuration] + words, in: folder)
    #expect(code == expected, "\(output)")
    #expect(output.contains(says), "\(output)")
  }

  @Test(
    "announce says zero nowhere, with or without words, speaker or file",
    arguments: ["", "-o a.wav", "--language en"])
  func zero(_ more: String) async throws {
    let words = ["announce", "0.00", "--config", configuration] + more.split(separator: " ").map(String.init)
    let (code, output) = try await CommandLineTests.run(words, in: folder)
    #expect(code == 65)
    #expect(output.contains("amount: is zero") && output.contains("try: printd announce 12.50"), "\(output)")
    #expect(access(folder.path("said.wav"), F_OK) != 0)
  }

  @Test(
    "a device that is a card's name is a card, and no sink of a sound server",
    arguments: [("hw:1", true), ("plughw:1,0", true), ("alsa_output.usb", false), (nil, false)])
  func card(_ device: String?, _ isCard: Bool) throws {
    var voice = Configuration.Voice(currency: .cny)
    (voice.language, voice.device) = (.mandarin, device)
    #expect(try VoicePlan(voice, Configuration()).output is ALSAOutput == isCard)
  }

  @Test("announce and test say why there was nothing to hear, and what to do")
  func noSpeaker() async throws {
    let text = try Fixtures.text(ofFile: configuration).replacing(
      #"output: "file", device: "said.wav""#,
      with: #"output: "pulse", server: "unix:\#(folder.path("none"))""#)
    try folder.write(text, to: "printd.json5")
    for words in [["announce", "12.50"], ["voice", "test"]] {
      let (code, output) = try await CommandLineTests.run(words + ["--config", configuration], in: folder)
      #expect(code == 69, "\(output)")
      #expect(output.contains("no-device: no sound server answers"), "\(output)")
      #expect(output.contains("  try: connect a speaker"), "\(output)")
    }
  }

  @Test(
    "The doctor knows a sound server that only another user gets at, whoever asks",
    arguments: [
      ("unix:/run/user/4242/pulse/native", true), ("/run/user/4242/pulse/native", true),
      ("unix:/run/user/\(geteuid())/pulse/native", false), ("unix:/run/pulse/native", false),
      ("tcp:127.0.0.1:4713", false), (nil, false),
    ])
  func closedServer(server: String?, isClosed: Bool) throws {
    var voice = Configuration.Voice(currency: .cny)
    (voice.language, voice.server) = (.mandarin, server)
    var whole = Configuration()
    whole.stateDirectory = folder.path
    let finding = VoiceCheck.closedServer(try VoicePlan(voice, whole))
    #expect((finding != nil) == isClosed)
    #expect(finding?.text.contains("voice.server is in the folder of user 4242") ?? true)
    #expect(finding?.text.contains(#"server: "tcp:127.0.0.1:4713""#) ?? true)
  }

  @Test("import names the folder, what is wrong with it and what to do")
  func importsNothing() async throws {
    mkdir(folder.path("empty"), 0o755)
    try folder.write("x", to: "file")
    for (name, says) in [
      ("nowhere", "there is no such folder; give the one with the recordings"),
      ("file", "is no folder; give the one that the recordings are in"),
      ("empty", "there are no recordings in this folder (WAV, FLAC, Ogg, MP3); `printd voice script` lists"),
    ] {
      let (code, output) = try await run("voice", "import", folder.path(name), "--config", configuration)
      #expect(code == 65)
      #expect(output.contains("\(folder.path(name)): \(says)"), "\(output)")
      #expect(access(folder.path("state/voice/sets/zh"), F_OK) != 0)
    }
  }

  @Test("The doctor looks at the folder of prepared sounds, and at the program of the screen")
  func group() async throws {
    let sounds = folder.path("state/groups/printd/Library/Sounds")
    let whole = try ConfigurationFile.load(configuration).configuration
    let plan = try VoicePlan(try #require(whole.voice), whole)
    #expect(
      await VoiceCheck.group(plan).text
        == "ok       voice sounds: \(sounds) is made at the daemon's next start")
    try Files.makeFolder(sounds)
    #expect(await VoiceCheck.group(plan).text == "ok       voice sounds: \(sounds)")
    chmod(sounds, 0o777)
    #expect(
      await VoiceCheck.group(plan).text.hasPrefix("warning  voice sounds: everybody may put sounds into"))
    chmod(sounds, 0o500)
    #expect(
      await VoiceCheck.group(plan).text.hasPrefix("warning  voice sounds: \(sounds) is not the daemon's"))
    #expect(
      VoiceCheck.screen(try Screen(["/nowhere/show", "{body}"])).text.hasPrefix(
        "wrong    voice screen: /nowhere/show is no program"))
    // Both are among what the command says.
    let text = try Fixtures.text(ofFile: configuration)
    try folder.write(
      text.replacing(#"output: "file""#, with: #"screen: ["true", "{body}"], output: "file""#),
      to: "printd.json5")
    let (_, output) = try await run("doctor", "--config", configuration)
    #expect(output.contains("warning  voice sounds: \(sounds) is not the daemon's"), "\(output)")
    #expect(output.contains("ok       voice screen: /"), "\(output)")
  }

  @Test("build makes a set that list, doctor, announce and test use")
  func build() async throws {
    let missing = try await run("voice", "list", "--config", configuration)
    #expect(missing.output.contains("set.json: is not there"), "\(missing.output)")
    let built = try await run("voice", "build", "--config", configuration)
    #expect(built.code == 0, "\(built.output)")
    let list = try await run("voice", "--config", configuration)
    #expect(list.output.contains("clips, espeak-ng 1."))
    #expect(list.output.contains("; complete\n"), "\(list.output)")
    let doctor = try await run("doctor", "--config", configuration)
    #expect(
      doctor.output.contains("ok       voice clips: \(folder.path("state/voice/sets/zh"))"),
      "\(doctor.output)")
    #expect(doctor.output.contains("ok       voice synthesiser: espeak-ng 1."))
    #expect(doctor.output.contains("ok       voice output: \(folder.path("said.wav"))"))

    let written = try await run(
      "announce", "12.05", "--pay", "wx", "-o", folder.path("a.wav"), "--config", configuration)
    #expect(written.code == 0, "\(written.output)")
    #expect(written.output.contains("微信收款十二点零五元  [clips,"))
    let set = try ClipSet.read(folder.path("state/voice/sets/zh"), for: nil)
    let words = ["wx", "10", "2", "dot", "0", "5", "cny"]
    let frames = words.reduce(0) { sum, id in sum + (set.manifest.clips.first { $0.id == id }?.frames ?? 0) }
    let pcm = try AudioFile.read(folder.path("a.wav"))
    #expect(pcm.samples.count == Chime.sound(rate: set.rate).samples.count + frames + set.rate / 10)

    let said = try await run("announce", "12.05", "--pay", "wx", "--config", configuration)
    #expect(said.code == 0 && said.output.hasSuffix("played\n"), "\(said.output)")
    #expect(try AudioFile.read(folder.path("said.wav")) == pcm, "what is played is what is written")
    let tested = try await run("voice", "test", "--config", configuration)
    #expect(
      tested.output.hasPrefix("收款十二点五元  [clips,") && tested.output.hasSuffix("played\n"), "\(tested.output)")
  }

  @Test("build says what is missing when there is no espeak-ng, and so does the doctor")
  func noSynthesiser() async throws {
    let text = try Fixtures.text(ofFile: configuration).replacing(
      #"output: "file""#, with: #"synthesiser: "/nowhere/e", output: "file""#)
    try folder.write(text, to: "printd.json5")
    let built = try await run("voice", "build", "--config", configuration)
    #expect(built.code == 69 && built.output.contains("apt install espeak-ng"), "\(built.output)")
    let doctor = try await run("doctor", "--config", configuration)
    #expect(
      doctor.output.contains("wrong    voice synthesiser: /nowhere/e cannot be started"), "\(doctor.output)")
    #expect(doctor.output.contains("warning  voice clips:"))
    #expect(doctor.output.contains("try: printd voice build"))
    #expect(doctor.code == 69)
  }

  @Test("import takes recordings of what script lists, and names every one that is missing")
  func imports() async throws {
    let script = try await run("voice", "script", "--config", configuration)
    let lines = script.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(lines.contains(["7", "七"]) && lines.contains(["wx", "微信收款"]))
    mkdir(folder.path("recordings"), 0o755)
    for (index, line) in lines.enumerated() {
      let tone = PCM(samples: (0..<900 + index).map { Int16($0 % 60 * 200 - 6000) }, rate: 16_000)
      try AudioFile.writeWAV(tone, to: folder.path("recordings/\(line[index % 2]).wav"))
    }
    for name in ["7", "七", "wx", "微信收款"] { unlink(folder.path("recordings/\(name).wav")) }
    try folder.write("x", to: "recordings/notes.txt")
    let refused = try await run(
      "voice", "import", folder.path("recordings"), "--set", "ours", "--config", configuration)
    #expect(refused.code == 65)
    #expect(refused.output.contains("it lacks 7 (七)"), "\(refused.output)")
    #expect(access(folder.path("state/voice/sets/ours/set.json"), F_OK) != 0)

    try AudioFile.writeWAV(
      PCM(samples: [Int16](repeating: 7000, count: 800), rate: 16_000),
      to: folder.path("recordings/tts_7.wav"))
    let taken = try await run(
      "voice", "import", folder.path("recordings"), "--set", "ours", "--licence", "our own voices",
      "--config",
      configuration)
    #expect(taken.code == 0, "\(taken.output)")
    #expect(taken.output.contains("notes.txt is no word of this voice"))
    #expect(taken.output.contains("no recording of wx (微信收款)"))
    let set = try ClipSet.read(folder.path("state/voice/sets/ours"), for: nil)
    #expect(set.manifest.licence == "our own voices")
  }

  @Test("A command line that is wrong is answered with what would be right")
  func usage() async throws {
    let cases: [(words: [String], says: String)] = [
      (["voice", "biuld"], "biuld is none of list, build"), (["voice", "import"], "FOLDER is missing"),
      (["voice", "build", "--set", ".."], "no name for a set"),
      (["voice", "build", "--langauge", "zh"], #"did you mean "--language"?"#),
      (["announce", "1", "2"], "2 is not understood"),
    ]
    for (words, says) in cases {
      let (code, output) = try await CommandLineTests.run(words + ["--config", configuration], in: folder)
      #expect(code == 64, "\(words): \(output)")
      #expect(output.contains(says), "\(words): \(output)")
    }
  }
}
