import SpokenAmounts
import Testing

@testable import Announcer

@Suite("Text from outside")
struct SpeakableTextTests {
  private let mandarin = AmountReader(language: .mandarin, currency: .cny)

  @Test(
    "never has a digit for a Chinese voice",
    arguments: [
      ("微信收款12.50元", "微信收款十二点五元"), ("收款¥12.50", "收款十二点五元"), ("收款￥ 0.05", "收款 零点零五元"),
      ("收款¥1,234.50元", "收款一千二百三十四点五元"), ("收款１２．５元", "收款十二点五元"), ("10010", "一万零一十"),
      ("100000元", "十万元"), ("单号0012", "单号零零一二"), ("单号20261130000187", "单号二零二六一一三零零零零一八七"),
      ("退款-12.50元", "退款负十二点五元"), ("退款-¥12.50", "退款负十二点五元"), ("-1", "负一"), ("11-30", "十一-三十"),
      ("12:30", "十二:三十"), ("1.234", "一点二三四"),
      ("3.", "三."), ("100.00", "一百"),
    ])
  func mandarin(_ text: String, _ expected: String) {
    #expect(SpeakableText.clean(text, mandarin) == expected)
  }

  @Test("has numbers in kana for the Japanese voice, and no characters")
  func japanese() {
    let reader = AmountReader(language: .japanese, currency: .jpy)
    #expect(SpeakableText.clean("¥1200 うけとりました", reader) == "せんにひゃくえん うけとりました")
    #expect(!SpeakableText.isReadable("千円受け取りました", in: .japanese))
    #expect(SpeakableText.isReadable("せんえんうけとりました", in: .japanese))
    #expect(SpeakableText.isReadable("收款千元", in: .mandarin))
  }

  @Test("keeps its digits where the voice reads them right")
  func german() {
    let reader = AmountReader(language: .german, currency: .eur)
    #expect(SpeakableText.clean("Tisch 12: 5 Euro", reader) == "Tisch 12: 5 Euro")
  }

  @Test(
    "gives the synthesiser no commands, and no control characters",
    arguments: [
      ("a\u{0}b\u{1B}[31m c\n\td", "a b 31m c d"), ("[[h@l]]x", "h@l x"),
      ("<voice name=\"x\">y", "voice name=\"x\" y"),
      ("a\u{202E}b\u{FEFF}c", "a b c"), ("`rm` {x} |y\\z", "rm x y z"),
    ])
  func commands(_ text: String, _ expected: String) {
    #expect(SpeakableText.clean(text, AmountReader(language: .english, currency: .eur)) == expected)
  }

  @Test(
    "is not said when it is too long to be said whole, or has nothing to say",
    arguments: [
      String(repeating: "a", count: 301), "a" + String(repeating: "\u{301}", count: 5000), "", " ", "!?",
      "\u{0}",
    ])
  func refused(_ text: String) {
    #expect(SpeakableText.clean(text, AmountReader(language: .english, currency: .eur)) == nil)
  }
}
