import Curl
import ESCPOS
import Glibc
import PrintTestKit
import Sound
import SpokenAmounts
import Synchronization
import Testing
import WakeChannels

@testable import Announcer

/// A voice that answers what it is told to, and remembers what it was asked.
final class VoiceServer: Sendable {
  private final class Questions: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ question: String) { list.withLock { $0.append(question) } }
  }

  private let asked = Questions()
  private let server: HTTPServer

  var questions: [String] { asked.all }
  var template: String { "http://127.0.0.1:\(server.port ?? 0)/say?lang={language}&text={text}" }

  /// - Parameter gate: Where there is one, no answer comes before somebody says "answer" there.
  init(_ answer: HTTPServer.Response, waitingFor gate: Events? = nil) throws {
    server = try HTTPServer(listen: .tcp(host: "127.0.0.1", port: 0)) { [asked] request in
      asked.add("\(request.query("lang") ?? "")|\(request.query("text") ?? "")")
      await gate?.heard("answer")
      return answer
    }
  }

  func voice(
    _ folder: TemporaryFolder, patience: Duration = .seconds(20), limit: Int = 1 << 20,
    prosody: Prosody = Prosody(), isReadOnly: Bool = false
  ) throws -> OnlineVoice {
    try OnlineVoice(
      template: template, patience: patience, client: HTTPClient(),
      cache: SpeechCache(folder: folder.path("online"), limit: limit, isReadOnly: isReadOnly),
      prosody: prosody)
  }

  func stop() async { await server.stop() }
}

@Suite("The online voice", .timeLimit(.minutes(1)))
struct OnlineVoiceTests {
  private let tone = HTTPServer.Response(status: 200, body: AudioFile.wav(Chime.sound(rate: 16_000)))

  @Test("is asked once for a text, and remembers what it said")
  func cache() async throws {
    let folder = try TemporaryFolder()
    let server = try VoiceServer(tone)
    let first = try await server.voice(folder).speak("收款 十元 & mehr?", in: .mandarin, by: .soon(.seconds(30)))
    let second = try await server.voice(folder).speak("收款 十元 & mehr?", in: .mandarin, by: .soon(.seconds(30)))
    #expect(first == second)
    #expect(!first.samples.isEmpty)
    #expect(server.questions == ["zh|收款 十元 & mehr?"])
    _ = try await server.voice(folder).speak("十元", in: .cantonese, by: .soon(.seconds(30)))
    #expect(server.questions.count == 2)
    await server.stop()
  }

  @Test(
    "is asked by a command past what was kept, where that is spoilt, and the command changes nothing there")
  func readOnly() async throws {
    let folder = try TemporaryFolder()
    let server = try VoiceServer(tone)
    let command = try server.voice(folder, isReadOnly: true)
    _ = try await command.speak("十元", in: .mandarin, by: .soon(.seconds(30)))
    #expect(access(folder.path("online"), F_OK) != 0)
    _ = try await server.voice(folder).speak("十元", in: .mandarin, by: .soon(.seconds(30)))
    _ = try await command.speak("十元", in: .mandarin, by: .soon(.seconds(30)))
    #expect(server.questions.count == 2, "what the daemon has kept is read")
    let name = try #require(Fixtures.names(inFolder: folder.path("online")).first)
    try folder.write("spoilt", to: "online/\(name)")
    _ = try await command.speak("十元", in: .mandarin, by: .soon(.seconds(30)))
    #expect(server.questions.count == 3)
    #expect(try Fixtures.text(ofFile: folder.path("online/\(name)")) == "spoilt")
    await server.stop()
  }

  @Test("speaks as the shop wants it, and is not asked again when that changes")
  func prosody() async throws {
    let folder = try TemporaryFolder()
    let server = try VoiceServer(tone)
    let plain = try await server.voice(folder).speak("十元", in: .mandarin, by: .soon(.seconds(30)))
    let fast = try await server.voice(folder, prosody: Prosody(rate: 1.25, gain: -6)).speak(
      "十元", in: .mandarin, by: .soon(.seconds(30)))
    let ratio = Double(fast.samples.count) / Double(plain.samples.count)
    #expect(abs(ratio - 0.8) < 0.05)
    #expect(Double(fast.peak) < Double(plain.peak) * 0.6)
    #expect(server.questions.count == 1)
    await server.stop()
  }

  @Test("is given up when its own time is over, though the announcement has more")
  func patience() async throws {
    let gate = Events()
    let server = try VoiceServer(tone, waitingFor: gate)
    let error = await #expect(throws: SoundError.self) {
      try await server.voice(TemporaryFolder(), patience: .milliseconds(200)).speak(
        "x", in: .english, by: .soon(.seconds(3600)))
    }
    #expect(error?.code == .deadline)
    // The voice must not wait for a test that is over.
    gate.add("answer")
    await server.stop()
  }

  @Test(
    "is not believed when it answers with a fault, with no sound, or with too much",
    arguments: [
      HTTPServer.Response(status: 500), HTTPServer.Response(status: 204),
      HTTPServer.Response(status: 200, body: Array("<html>".utf8)), HTTPServer.Response(status: 200),
      HTTPServer.Response(status: 200, body: [UInt8](repeating: 0, count: OnlineVoice.answerLimit + 1)),
      HTTPServer.Response(status: 200, body: AudioFile.wav(.silence(.seconds(1), rate: 16_000))),
      HTTPServer.Response(status: 200, body: AudioFile.wav(.silence(.seconds(31), rate: 8000))),
    ])
  func nonsense(_ answer: HTTPServer.Response) async throws {
    let folder = try TemporaryFolder()
    let server = try VoiceServer(answer)
    await #expect(throws: SoundError.self) {
      try await server.voice(folder).speak("x", in: .english, by: .soon(.seconds(30)))
    }
    #expect(access(folder.path("online"), F_OK) != 0, "nothing is kept")
    await server.stop()
  }

  @Test("keeps no more than it may, the newest first, and takes a spoilt file away")
  func limit() async throws {
    let folder = try TemporaryFolder()
    let size = AudioFile.wav(Chime.sound(rate: 16_000).trimmed()).count
    let server = try VoiceServer(tone)
    let voice = try server.voice(folder, limit: size * 3)
    for text in ["a", "b", "c", "d", "e"] {
      _ = try await voice.speak(text, in: .english, by: .soon(.seconds(30)))
    }
    #expect(try Fixtures.names(inFolder: folder.path("online")).count == 3)
    _ = try await voice.speak("e", in: .english, by: .soon(.seconds(30)))
    #expect(server.questions.count == 5)
    for name in try Fixtures.names(inFolder: folder.path("online")) {
      try folder.write("spoilt", to: "online/\(name)")
    }
    _ = try await voice.speak("e", in: .english, by: .soon(.seconds(30)))
    #expect(server.questions.count == 6)
    await server.stop()
  }

  @Test(
    "is refused as a template that cannot be filled safely",
    arguments: [
      "ftp://x/{text}", "https://x/", "https://{text}/", "https://x/ {text}", "https://声音/{text}", "{text}",
      "https://?{text}",
    ])
  func templates(_ template: String) {
    #expect(throws: OnlineVoice.Fault.self) {
      try OnlineVoice(template: template, client: HTTPClient(), cache: SpeechCache(folder: "/nowhere"))
    }
  }

  @Test("gets texts that cannot break out of their place")
  func encoding() {
    #expect(
      OnlineVoice.fill("https://x/{language}?t={text}", "a&b=c#d/../ü{text}\n", .german)
        == "https://x/de?t=a%26b%3Dc%23d%2F..%2F%C3%BC%7Btext%7D%0A")
  }
}
