import ESCPOS
import Glibc
import PrintTestKit
import Sound
import SpokenAmounts
import Testing
import WakeChannels

@testable import Announcer

@Suite("The shop's voice", .timeLimit(.minutes(2)))
struct ShopSpeakerTests {
  private let kept = Kept()
  private let book = Phrasebook.mandarin
  private let gone = Synthesiser(program: "/nowhere/espeak-ng")

  @Test("joins the clips: chime, phrase and a moment of silence, to the sample")
  func clips() async throws {
    let (_, set) = try ShopRecordings(kept, book, rate: 22_050).imported()
    let chime = Chime.sound(rate: 22_050)
    let speaker = ShopSpeaker(phrasebook: book, clips: set, chime: chime)
    let speech = await speaker.speech(for: payment("120034.05", payType: "3"), by: .soon(.seconds(30)))
    #expect(speech.source == .clips)
    #expect(speech.text == "微信收款十二万零三十四点零五元")
    #expect(speech.shortfall == nil)
    guard case .phrase(let words) = book.saying(for: payment("120034.05", payType: "3")) else {
      Issue.record("no phrase")
      return
    }
    let phrase = try #require(set.joined(words))
    #expect(speech.pcm.samples == chime.samples + phrase.samples + [Int16](repeating: 0, count: 2205))
  }

  @Test("says the words as often as it is asked to, after one chime")
  func times() async throws {
    let (_, set) = try ShopRecordings(kept, book, rate: 22_050).imported()
    let chime = Chime.sound(rate: 22_050)
    var speaker = ShopSpeaker(phrasebook: book, clips: set, chime: chime)
    speaker.times = 3
    let speech = await speaker.speech(for: payment("12.50"), by: .soon(.seconds(30)))
    guard case .phrase(let words) = book.saying(for: payment("12.50")) else {
      Issue.record("no phrase")
      return
    }
    let phrase = try #require(set.joined(words)).samples
    let pause = [Int16](repeating: 0, count: 11_025)
    #expect(
      speech.pcm.samples
        == chime.samples + phrase + pause + phrase + pause + phrase + [Int16](repeating: 0, count: 2205))
    #expect(speech.text == "收款十二点五元")
    let alone = await speaker.speech(for: payment("0"), by: .soon(.seconds(30)))
    #expect(alone.pcm == chime, "a chime is no words")
  }

  @Test("gives the synthesiser no digit of the shop's own phrases either, in languages that it misreads")
  func digitsOfPhrases() async throws {
    let script = try Script("cat > \"$(dirname \"$0\")/input\"\nexit 1")
    for (language, brand, template, expected) in [
      (SpokenLanguage.mandarin, "１号店，", "第2桌收款{amount}", "一号店，第二桌收款十二点五元\n"),
      (.cantonese, "24小時店，", "收到{amount}", "二十四小時店，收到十二點五元\n"),
      (.german, "Laden 7,", "erhalten: {amount}", "Laden 7, erhalten: zwölf Yuan fünfzig\n"),
    ] {
      var book = Phrasebook(reader: AmountReader(language: language, currency: .cny), brand: brand)
      book.templates.templates[.other] = try PhraseTemplate(template)
      let speaker = ShopSpeaker(phrasebook: book, synthesiser: Synthesiser(program: script.path))
      _ = await speaker.speech(for: payment("12.50"), by: .soon(.seconds(30)))
      #expect(try Fixtures.text(ofFile: script.folder.path("input")) == expected)
      #expect(book.phrases.allSatisfy { !$0.text.isEmpty })
      #expect(book.phrases.first?.text == brand, "as it is written")
    }
  }

  @Test("says the whole phrase by the synthesiser when one clip of it is missing")
  func synthesis() async throws {
    let (_, set) = try ShopRecordings(kept, book, leavingOut: ["wx"]).imported()
    let speaker = ShopSpeaker(phrasebook: book, clips: set, synthesiser: Synthesiser())
    let speech = await speaker.speech(for: payment("12.50", payType: "wx"), by: .soon(.seconds(30)))
    #expect(speech.source == .synthesis)
    #expect(speech.text == "微信收款十二点五元")
    #expect(speech.shortfall == "no clip for 微信收款")
  }

  @Test("leaves the amount out when it cannot be said, and never says a part of it")
  func fixed() async throws {
    let (_, set) = try ShopRecordings(kept, book, leavingOut: ["wx"]).imported()
    let speaker = ShopSpeaker(phrasebook: book, clips: set, synthesiser: gone)
    let speech = await speaker.speech(for: payment("12.50", payType: "wx"), by: .soon(.seconds(30)))
    #expect(speech.source == .fixed)
    #expect(speech.text == "收款成功")
    #expect(speech.shortfall?.contains("/nowhere/espeak-ng") == true)
    let large = await speaker.speech(for: payment("1000000000000"), by: .soon(.seconds(30)))
    #expect(large.source == .fixed)
    #expect(large.shortfall == "the amount is too large to be said", "no amount, since this is logged")
  }

  @Test("has its fixed phrases ready when the synthesiser is lost later")
  func prepares() async throws {
    var speaker = ShopSpeaker(phrasebook: book, synthesiser: Synthesiser())
    await speaker.prepare(by: .soon(.seconds(30)))
    speaker.synthesiser = gone
    let speech = await speaker.speech(for: payment("12.50", payType: "wx"), by: .soon(.seconds(30)))
    #expect(speech.source == .fixed)
    #expect(speech.text == "收款成功")
    let refund = await speaker.speech(for: payment("12.50", refund: true), by: .soon(.seconds(30)))
    #expect(refund.text == "退款成功")
  }

  @Test("ends with the chime when nothing else is left")
  func chime() async {
    let speaker = ShopSpeaker(phrasebook: book, synthesiser: gone)
    let speech = await speaker.speech(for: payment("12.50"), by: .soon(.seconds(30)))
    #expect(speech.source == .chime)
    #expect(speech.text.isEmpty)
    #expect(!speech.pcm.samples.isEmpty)
  }

  @Test("gives the chime alone for what nobody received", arguments: ["0", "-5"])
  func nothing(_ amount: String) async throws {
    let (_, set) = try ShopRecordings(kept, book).imported()
    let speaker = ShopSpeaker(phrasebook: book, clips: set, synthesiser: Synthesiser())
    let speech = await speaker.speech(
      for: payment(amount, payType: "wx", text: "收款"), by: .soon(.seconds(30)))
    #expect(speech.source == .chime)
    #expect(speech.shortfall?.contains("not more than zero") == true)
  }

  @Test("survives a synthesiser that hangs, and keeps to the deadline")
  func hangs() async throws {
    let (_, set) = try ShopRecordings(kept, book).imported()
    let script = try Script("exec sleep 1000")
    let speaker = ShopSpeaker(phrasebook: book, clips: set, synthesiser: Synthesiser(program: script.path))
    let speech = await speaker.speech(
      for: payment("5", payType: "77", text: "新收款5元"), by: .soon(.milliseconds(400)))
    #expect(speech.source == .fixed)
    #expect(speech.shortfall?.contains("did not end in time") == true)
  }

  @Test("asks the online voice first where there is one, and the synthesiser when it fails")
  func online() async throws {
    let folder = try TemporaryFolder()
    let good = try VoiceServer(.init(status: 200, body: AudioFile.wav(Chime.sound(rate: 24_000))))
    let bad = try VoiceServer(.init(status: 503))
    var speaker = ShopSpeaker(phrasebook: book, online: try good.voice(folder), synthesiser: Synthesiser())
    let first = await speaker.speech(for: payment(nil, text: "打烊了"), by: .soon(.seconds(30)))
    #expect(first.source == .online)
    #expect(first.pcm.rate == 24_000)
    speaker.online = try bad.voice(folder)
    let second = await speaker.speech(for: payment(nil, text: "打烊了"), by: .soon(.seconds(30)))
    #expect(second.source == .synthesis)
    #expect(second.shortfall == "the online voice answers 503")
    await good.stop()
    await bad.stop()
  }

  @Test("refuses a text that takes longer than half a minute, and repeats only what has room in it")
  func long() async throws {
    let folder = try TemporaryFolder()
    func speaker(_ seconds: Int) throws -> ShopSpeaker {
      let tone = PCM(samples: (0..<8000 * seconds).map { Int16($0 % 80 * 200 - 8000) }, rate: 8000)
      try AudioFile.writeWAV(tone, to: folder.path("\(seconds).wav"))
      let script = try folder.write(
        "#!/bin/sh\ncat > /dev/null\nexec cat '\(folder.path("\(seconds).wav"))'\n", to: "speak\(seconds)")
      chmod(script, 0o755)
      return ShopSpeaker(phrasebook: book, synthesiser: Synthesiser(program: script))
    }
    let text = payment(nil, text: "打烊了")
    let refused = await (try speaker(31)).speech(for: text, by: .soon(.seconds(30)))
    #expect(
      refused.source == .chime && refused.shortfall == "the text takes 31 s to say, and 30 s is the most")
    var twice = try speaker(14)
    twice.times = 3
    let speech = await twice.speech(for: text, by: .soon(.seconds(30)))
    #expect(speech.source == .synthesis)
    #expect(speech.pcm.duration == .milliseconds(14_000 + 500 + 14_000 + 100))
  }

  @Test("gives the online voice the characters that the Japanese synthesiser cannot read")
  func kanji() async throws {
    let folder = try TemporaryFolder()
    let server = try VoiceServer(.init(status: 200, body: AudioFile.wav(Chime.sound(rate: 24_000))))
    var speaker = ShopSpeaker(
      phrasebook: Phrasebook(reader: AmountReader(language: .japanese, currency: .jpy)),
      synthesiser: Synthesiser())
    let text = payment(nil, text: "千円受け取りました")
    let unread = await speaker.speech(for: text, by: .soon(.seconds(30)))
    #expect(unread.source == .chime && unread.shortfall?.contains("cannot read") == true)
    speaker.online = try server.voice(folder)
    #expect(await speaker.speech(for: text, by: .soon(.seconds(30))).source == .online)
    await server.stop()
  }

  @Test("never gives a voice a digit in Chinese")
  func digits() async throws {
    let script = try Script("cat > \"$(dirname \"$0\")/input\"\nexit 1")
    let speaker = ShopSpeaker(phrasebook: book, synthesiser: Synthesiser(program: script.path))
    _ = await speaker.speech(for: payment("1", payType: "77", text: "收款¥12.50"), by: .soon(.seconds(30)))
    #expect(try Fixtures.text(ofFile: script.folder.path("input")) == "收款十二点五元\n")
  }

  @Test("plays a prepared sound where there is no amount, and the amount where there is one")
  func prepared() async throws {
    let folder = try TemporaryFolder()
    let group = try #require(SoundGroup("shop", stateDirectory: folder.path))
    try group.make()
    let bell = PCM(samples: (0..<2000).map { Int16($0 % 100 * 99) }, rate: 22_050)
    try AudioFile.writeWAV(bell, to: "\(group.folder)/cash_success.wav")
    let (_, set) = try ShopRecordings(kept, book).imported()
    let speaker = ShopSpeaker(phrasebook: book, clips: set, group: group, chime: bell)
    let named = await speaker.speech(
      for: payment(nil, text: "x", sound: "cash_success.m4a"), by: .soon(.seconds(30)))
    #expect(named == Speech(pcm: bell, text: "cash_success.m4a", source: .prepared))
    let amount = await speaker.speech(for: payment("1", sound: "cash_success.m4a"), by: .soon(.seconds(30)))
    #expect(amount.source == .clips)
    for unsaid in ["0.00", "1000000000000", "1.234"] {
      let speech = await speaker.speech(
        for: payment(unsaid, sound: "cash_success.m4a"), by: .soon(.seconds(30)))
      #expect(speech.source == (unsaid == "0.00" ? .chime : .fixed))
    }
    let mute = ShopSpeaker(phrasebook: book, synthesiser: gone, group: group)
    let unspoken = await mute.speech(for: payment("1", sound: "cash_success.m4a"), by: .soon(.seconds(30)))
    #expect(unspoken.source == .chime)
    let outside = await speaker.speech(
      for: payment(nil, sound: "../cash_success.wav"), by: .soon(.seconds(30)))
    #expect(outside.source == .chime)
  }

  @Test("keeps two payments apart, whatever they have in common")
  func apart() async throws {
    let (_, set) = try ShopRecordings(kept, book).imported()
    let speaker = ShopSpeaker(phrasebook: book, clips: set)
    async let one = speaker.speech(for: payment("12.50", payType: "1", id: "a"), by: .soon(.seconds(30)))
    async let two = speaker.speech(for: payment("13.50", payType: "2", id: "b"), by: .soon(.seconds(30)))
    #expect(await one.text == "微信收款十二点五元")
    #expect(await two.text == "支付宝收款十三点五元")
  }
}
