import Curl
import ESCPOS
import PrintTestKit
import Testing

@testable import printd

@Suite("The log is one line an event, and has no customer in it", .timeLimit(.minutes(1)))
struct LogTests {
  private func line(_ event: String, _ fields: [(String, Any)] = [], prefixed: Bool = true) -> String {
    Log.line(.warning, event, fields, prefixed: prefixed)
  }

  @Test("The priority stands before the event where journald reads it, and not on a terminal")
  func priority() {
    #expect(line("ready") == "<4>ready")
    #expect(line("ready", prefixed: false) == "ready")
    #expect(Log.line(.error, "a", [("b", 1)], prefixed: true) == "<3>a b=1")
    #expect(Log.line(.debug, "a", [("b", 1)], prefixed: true) == "<7>a b=1")
  }

  @Test("Values are bare where they can be, and quoted where a reader would lose their end")
  func quoting() {
    #expect(line("e", [("k", "plain")]) == "<4>e k=plain")
    #expect(line("e", [("k", "")]) == #"<4>e k="""#)
    #expect(line("e", [("k", "two words")]) == #"<4>e k="two words""#)
    #expect(line("e", [("k", "a=b")]) == #"<4>e k="a=b""#)
    #expect(line("e", [("k", #"say "hi""#)]) == #"<4>e k="say \"hi\"""#)
    #expect(line("e", [("k", #"back\slash here"#)]) == #"<4>e k="back\\slash here""#)
    #expect(line("e", [("k", "Käse")]) == "<4>e k=Käse")
  }

  @Test(
    "No text forges a second line or turns the reading direction",
    arguments: [
      "\n", "\r", "\r\n", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}", "\u{1B}[2J", "\0", "\u{9B}",
      "\u{202E}", "\u{2066}", "\u{7F}",
    ])
  func forgery(separator: String) {
    let attack = "x\(separator)<0>forged"
    for text in [line(attack), line("e", [("k", attack)])] {
      #expect(
        text.unicodeScalars.allSatisfy { scalar in
          !separator.unicodeScalars.contains(scalar) || scalar == "[" || scalar == "2" || scalar == "J"
        })
      #expect(text.contains("\\"), "the reader sees that something was there")
      #expect(text.split(whereSeparator: \.isNewline).count == 1)
    }
  }

  @Test("Wakes that print, that are refused and that fail leave no word of an order in the log")
  func noCustomer() async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path)
    let secret = "Zyxomma-9137"
    try orders.add("good", item: secret, more: #","note":"\#(secret)","merchant":{"name":"\#(secret)"}"#)
    #expect(try await rig.wake("good").outcome == "printed")
    try orders.add("amount", item: secret, amount: #""\#(secret)""#)
    #expect(try await rig.wake("amount").outcome == "notPrinted")
    try orders.add("key", item: secret, more: #","paid_at":"\#(secret)""#)
    #expect(try await rig.wake("key").outcome == "notPrinted")
    try orders.folder.write(#"{"id":"\#(secret)","currency":"\#(secret)"}"#, to: "other.json")
    #expect(try await rig.wake("other").outcome == "notPrinted")
    try orders.folder.write("<p>\(secret)</p>", to: "page.json")
    #expect(try await rig.wake("page").outcome != "printed")
    let alert =
      #"{"aps":{"content-available":1,"alert":"\#(secret)"},"data":{"order_id":"good","x":"\#(secret)"}}"#
    #expect(try await rig.post(Array(alert.utf8)).status == 200)
    #expect(try await rig.post(Array(#"{"aps":{"content-available":"\#(secret)"}}"#.utf8)).status == 400)
    #expect(try await rig.read(CompletionMessage.self, .post, "/v1/orders/good/reprint").outcome == "printed")
    await rig.stop()
    let log = rig.log
    #expect(log.contains("order=good"))
    #expect(log.contains("order=amount"))
    #expect(!log.contains(secret), "\(log)")
    #expect(try rig.paper().joined().contains(secret), "the paper has it")
    // Every line is one of ours: a priority first.
    for line in log.split(separator: "\n") {
      #expect(line.wholeMatch(of: #/<[3-7]>[a-z].*/#) != nil, "\(line)")
    }
  }
}
