import ESCPOS
import PrintJobs
import PrintTestKit
import Sound
import Testing

@testable import Announcer

@Suite("The screen", .timeLimit(.minutes(1)))
struct ScreenTests {
  private func text(
    title: String? = nil, body: String? = nil, said: String = "收款十二点五元", source: Speech.Source? = .clips,
    end: VoiceEnd = .played, refund: Bool = false, brand: String = ""
  ) -> ScreenText? {
    var announcement = payment("12.50", refund: refund)
    (announcement.title, announcement.body) = (title, body)
    var record = AnnouncementRecord(announcement)
    (record.text, record.source, record.end) = (said, source, end)
    var book = Phrasebook.mandarin
    book.brand = brand
    return ScreenText(record, book)
  }

  @Test("shows the wake's alert, and never an empty title or an empty body")
  func alert() {
    #expect(text(title: "收款", body: "12.50元")?.title == "收款")
    #expect(text(title: "收款", body: "12.50元")?.body == "12.50元")
    #expect(text(body: "12.50元")?.title == "printd")
    #expect(text(body: "12.50元", brand: "小店")?.title == "小店")
    #expect(text(title: "收款12.50元")?.body == " ")
  }

  @Test("shows what was said where there is no alert, and the fixed phrase where nothing was")
  func defaults() {
    #expect(text()?.body == "收款十二点五元")
    #expect(text(title: "", body: "\u{0}\n ")?.body == "收款十二点五元")
    #expect(text(said: "", source: .chime)?.body == "收款成功")
    #expect(text(said: "", source: nil, end: .noDevice)?.body == "收款成功")
    #expect(text(said: "", source: nil, end: .muted, refund: true)?.body == "退款成功")
    #expect(text(said: "cash.wav", source: .prepared)?.body == "收款成功")
  }

  @Test("shows a payment that could not be heard, and not one again that was")
  func ends() {
    for end in [VoiceEnd.muted, .noDevice, .failed("x")] {
      #expect(text(end: end) != nil, "\(end)")
    }
    #expect(text(end: .silent) == nil)
    #expect(text(end: .expired) == nil, "a late amount would be taken for the next payment's")
  }

  @Test(
    "says of nothing that it was received",
    arguments: [
      (payment("0.00"), "", nil), (payment(nil, sound: "closing.wav"), "", nil),
      (payment(nil, text: "打烊了\n"), "", "打烊了"), (payment(nil, text: "打烊了"), "打烊了", "打烊了"),
    ])
  func nothingReceived(_ announcement: Announcement, _ said: String, _ body: String?) {
    var record = AnnouncementRecord(announcement)
    (record.text, record.source, record.end) = (said, .chime, .played)
    #expect(ScreenText(record, .mandarin)?.body == body)
  }

  @Test("has one line without control characters, and as much of it as there was")
  func clean() {
    #expect(text(title: "a\u{1B}[2Jb\u{202E}c", body: "x\ny\t z")?.title == "a [2Jb c")
    #expect(text(body: "x\ny\t z")?.body == "x y z")
    #expect(text(body: String(repeating: "9", count: 4000))?.body.count == 4000)
  }

  @Test("gives its program whole words, whatever is in the text")
  func words() async throws {
    let script = try Script(#"for word; do printf '%s\n' "$word"; done > "$(dirname "$0")/words""#)
    let screen = try Screen([script.path, "--", "{title}: {body}", "{body}"])
    let text = try #require(self.text(title: "-x $(id) {body}", body: "'a b' \"c\" *"))
    try await screen.show(text)
    #expect(
      try Fixtures.text(ofFile: script.folder.path("words"))
        == "--\n-x $(id) {body}: 'a b' \"c\" *\n'a b' \"c\" *\n")
  }

  @Test(
    "refuses words that no program can be started by",
    arguments: [[], [""], ["{body}"], ["a"], ["a", "{title}"], ["a", "\u{0}{body}"]])
  func faults(_ words: [String]) {
    #expect(throws: Screen.Fault.self) { try Screen(words) }
  }

  @Test("is told of in its turn, and a program that fails leaves the next text alone")
  func line() async throws {
    let failures = Events()
    let script = try Script(
      #"[ "$1" = bad ] && exit 3; echo "$1" >> "$(dirname "$0")/shown"; [ "$1" != last ] || exit 4"#)
    let line = ScreenLine(try Screen([script.path, "{body}"])) { failures.add($0.message) }
    for body in ["one", "bad", "two", "last"] { line.show(try #require(text(body: body))) }
    await failures.heard("\(script.path) ended with code 4")
    #expect(failures.list.first == "\(script.path) ended with code 3")
    #expect(try Fixtures.text(ofFile: script.folder.path("shown")) == "one\ntwo\nlast\n")
  }
}
