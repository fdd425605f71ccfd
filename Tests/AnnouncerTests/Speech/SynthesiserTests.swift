import Announcer
import ESCPOS
import PrintTestKit
import Sound
import SpokenAmounts
import Testing

@Suite("The synthesiser of this machine", .timeLimit(.minutes(2)))
struct SynthesiserTests {
  @Test("says a phrase in every language", arguments: SpokenLanguage.allCases)
  func speaks(_ language: SpokenLanguage) async throws {
    let book = Phrasebook(reader: AmountReader(language: language, currency: .eur))
    guard case .phrase(let words) = book.saying(for: payment("12.50", payType: "card")) else {
      Issue.record("no phrase")
      return
    }
    let pcm = try await Synthesiser().speak(words.reading, in: language, by: .soon(.seconds(30)))
    #expect(pcm.rate == 22_050)
    #expect(pcm.duration > .milliseconds(900) && pcm.duration < .seconds(8))
    #expect(pcm.peak > 8000)
  }

  @Test("says the same twice, and more slowly when told to")
  func speed() async throws {
    let usual = try await Synthesiser().speak("收款十二点五元", in: .mandarin, by: .soon(.seconds(30)))
    #expect(try await Synthesiser().speak("收款十二点五元", in: .mandarin, by: .soon(.seconds(30))) == usual)
    let slow = try await Synthesiser(prosody: Prosody(rate: 0.8)).speak(
      "收款十二点五元", in: .mandarin, by: .soon(.seconds(30)))
    #expect(slow.duration > usual.duration * 1.15)
  }

  @Test("is given the text as input, not as an option or a command")
  func text() async throws {
    let script = try Script(
      "cat > \"$(dirname \"$0\")/input\"\nprintf '%s ' \"$@\" > \"$(dirname \"$0\")/words\"")
    _ = try? await Synthesiser(program: script.path).speak(
      "-w /tmp/x; $(reboot)", in: .english, by: .soon(.seconds(30)))
    #expect(try Fixtures.text(ofFile: script.folder.path("input")) == "-w /tmp/x; $(reboot)\n")
    #expect(try Fixtures.text(ofFile: script.folder.path("words")) == "-v en-us -b 1 --stdin --stdout ")
  }

  @Test("is not believed when what it gives is no sound")
  func noSound() async throws {
    let liar = try Script("cat >/dev/null\necho nonsense")
    await #expect(throws: SoundError.self) {
      try await Synthesiser(program: liar.path).speak("x", in: .english, by: .soon(.seconds(30)))
    }
    let silent = try Script("cat >/dev/null")
    await #expect(throws: SoundError.self) {
      try await Synthesiser(program: silent.path).speak("x", in: .english, by: .soon(.seconds(30)))
    }
  }

  @Test(
    "makes a whole set of clips",
    arguments: [(SpokenLanguage.mandarin, SpokenCurrency.cny), (.cantonese, .hkd)])
  func builds(_ language: SpokenLanguage, _ currency: SpokenCurrency) async throws {
    let folder = try TemporaryFolder()
    let book = Phrasebook(
      reader: AmountReader(language: language, currency: currency, usesJiaoAndFen: true, usesLiang: true))
    let manifest = try await ClipSetFolder(folder.path("set")).build(book, with: Synthesiser())
    #expect(manifest.engine.hasPrefix("espeak-ng 1."))
    let set = try ClipSet.read(folder.path("set"), for: book)
    #expect(set.missing(of: book.phrases + book.numbers).isEmpty)
    guard case .phrase(let words) = book.saying(for: payment("20002.05", payType: "wx")) else {
      Issue.record("no phrase")
      return
    }
    let phrase = try #require(set.joined(words))
    #expect(
      phrase.samples.count
        == words.reduce(0) { sum, word in
          sum + (manifest.clips.first { $0.id == word.id }?.frames ?? 0)
        })
    #expect(phrase.peak > 8000)
  }
}
