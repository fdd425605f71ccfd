import Announcer
import Curl
import Documents
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import SpokenAmounts
import Testing
import WakeChannels
import WakeHandler

@testable import printd

@Suite("A wake is said beside its print", .timeLimit(.minutes(3)))
struct VoiceWakeTests {
  /// A wake of a payment; the print is asked for only where there is an order.
  static func wake(
    order: String? = nil, amount: String? = nil, payType: String = "3",
    sound: String = #""cash_success.m4a""#,
    alert: String = #""收款""#, type: Int = 2, more: String = ""
  ) -> [UInt8] {
    let fields = [order.map { #"\"order_id\":\"\#($0)\""# }, amount.map { #"\"sum_amount\":\"\#($0)\""# }]
    let details = ([#"\"pay_type\":\#(payType)"#] + fields.compactMap(\.self)).joined(separator: ",")
    return Array(
      (#"{"aps":{"content-available":\#(order == nil ? 0 : 1),"mutable-content":1,"sound":\#(sound),"#
        + #""alert":\#(alert)},"type":\#(type),"data":"{\#(details)}"\#(more)}"#).utf8)
  }

  /// A folder for a daemon, with a set of plain tones.
  static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let book = Phrasebook(reader: AmountReader(language: .mandarin, currency: .cny))
    mkdir(folder.path("tones"), 0o755)
    for (index, word) in book.clips.enumerated() {
      let tone = PCM(samples: (0..<700 + index * 11).map { Int16($0 % 60 * 200 - 6000) }, rate: 16_000)
      try AudioFile.writeWAV(tone, to: folder.path("tones/\(word.id).wav"))
    }
    _ = try ClipSetFolder(folder.path("state/voice/sets/zh")).take(
      from: folder.path("tones"), book, licence: "")
    return folder
  }

  /// A daemon whose voice writes a file, without espeak-ng unless it is asked for.
  private static func rig(_ voice: String = "", orders: String?) async throws -> DaemonRig {
    try await DaemonRig(
      in: folder(), orders: orders,
      more: #"voice: {language: "zh", currency: "CNY", output: "file", device: "said.wav", \#(voice)},"#)
  }

  /// A daemon whose voice speaks to a sound server, on its speaker `spk` unless another is named.
  static func rig(
    in folder: TemporaryFolder? = nil, speaksTo server: String, device: String? = "spk", _ voice: String = "",
    orders: String?
  ) async throws -> DaemonRig {
    let device = device.map { #", device: "\#($0)""# } ?? ""
    return try await DaemonRig(
      in: folder ?? Self.folder(), orders: orders,
      more:
        #"voice: {language: "zh", currency: "CNY", output: "pulse", server: "\#(server)"\#(device), \#(voice)},"#
    )
  }

  private func said(_ rig: DaemonRig) throws -> PCM { try AudioFile.read(rig.folder.path("said.wav")) }

  private func answer(_ rig: DaemonRig, _ wake: [UInt8]) async throws -> CompletionMessage {
    try DocumentReader.read(CompletionMessage.self, from: try await rig.post(wake).body)
  }

  /// The sound of a phrase by the set of the rig.
  private func phrase(_ rig: DaemonRig, _ amount: String, payType: String) throws -> PCM {
    let set = try ClipSet.read(rig.folder.path("state/voice/sets/zh"), for: nil)
    let book = Phrasebook(reader: AmountReader(language: .mandarin, currency: .cny))
    let announcement = try AnnouncementMessage(amount: amount, payType: payType).announcement(
      receivedAt: BootInstant(nanoseconds: 0))
    guard case .phrase(let words) = book.saying(for: announcement) else {
      Issue.record("\(amount) is no phrase")
      return .silence(.zero, rate: 8000)
    }
    return try PCM.joined([
      Chime.sound(rate: set.rate), try #require(set.joined(words)).padded(after: .milliseconds(100)),
    ])
  }

  @Test("One wake prints and speaks; the same payment again does neither")
  func once() async throws {
    let orders = try Orders()
    let rig = try await Self.rig(orders: orders.path)
    try orders.add("one", amount: #""12.05""#)
    let first = try await answer(rig, Self.wake(order: "one", amount: "12.05"))
    #expect(first.outcome == "printed")
    #expect(first.voice == .ended(.played))
    #expect(try said(rig) == phrase(rig, "12.05", payType: "3"))
    unlink(rig.folder.path("said.wav"))
    let second = try await answer(rig, Self.wake(order: "one", amount: "12.05"))
    #expect(second.outcome == "duplicate")
    #expect(second.voice == .ended(.silent))
    #expect(access(rig.folder.path("said.wav"), F_OK) != 0)
    await rig.stop()
  }

  @Test("A wake without a sound prints and is silent; one without a print speaks")
  func eitherAlone() async throws {
    let orders = try Orders()
    let rig = try await Self.rig(orders: orders.path)
    try orders.add("two")
    let silent = try await answer(rig, Self.wake(order: "two", amount: "3.00", sound: #""""#))
    #expect(silent.outcome == "printed")
    #expect(access(rig.folder.path("said.wav"), F_OK) != 0)
    let spoken = try await answer(rig, Self.wake(amount: "107000.53", payType: "2"))
    #expect(spoken.voice == .ended(.played))
    #expect(try said(rig) == phrase(rig, "107000.53", payType: "2"))
    await rig.stop()
  }

  @Test("A refund by a way of paying of the shop's own is said beside the payment, and empty texts hide none")
  func shopsOwnWays() async throws {
    let rig = try await Self.rig(#"pay_types: {"9": "refund"}"#, orders: nil)
    func voice(_ payType: String, _ more: String = "") async throws -> Voice? {
      let wake = Self.wake(amount: "5.00", payType: payType, more: #","order_id":"one""# + more)
      return try await answer(rig, wake).voice
    }
    #expect(try await voice("3") == .ended(.played))
    #expect(try await voice("3") == .ended(.silent))
    #expect(try await voice("9") == .ended(.played))
    #expect(try said(rig) == phrase(rig, "5.00", payType: "refund"))
    await rig.stop()
    let wake = try #require(
      try? Wake(
        json: Array(
          #"{"aps":{"mutable-content":1,"sound":"x","alert":{"title":"收款","body":" "}},"contents":""}"#.utf8),
        limits: Wake.Limits(bytes: 4096, allowsInlineOrder: false)))
    #expect(Announcement(wake, nil, receivedAt: BootInstant(nanoseconds: 0))?.text == "收款")
  }

  @Test("A wake that is about something else than a payment is silent")
  func otherTypes() async throws {
    let rig = try await Self.rig(orders: nil)
    #expect(try await answer(rig, Self.wake(amount: "5.00", type: 7)).voice == .ended(.silent))
    await rig.stop()
  }

  @Test("Clips that are gone, and no synthesiser, leave a fixed phrase or the chime; printing goes on")
  func ladder() async throws {
    let orders = try Orders()
    let rig = try await Self.rig(
      #"synthesiser: "/nowhere/espeak", templates: {wx: "微信到账{amount}"}"#, orders: orders.path)
    try orders.add("three")
    let completion = try await answer(rig, Self.wake(order: "three", amount: "3.00"))
    #expect(completion.outcome == "printed")
    #expect(completion.voice == .ended(.played))
    let log = try Fixtures.text(ofFile: rig.folder.path("printd.log"))
    #expect(log.contains("source=fixed"), "\(log)")
    #expect(log.contains("no clip for 微信到账") || log.contains("/nowhere/espeak"))
    #expect(!log.contains("三元"), "no amount is in the log")
    await rig.stop()
  }

  @Test("A synthesiser that hangs does not hold up the print or the completion")
  func hangs() async throws {
    let orders = try Orders()
    let tools = try TemporaryFolder()
    let hang = try tools.write("#!/bin/sh\nexec sleep 1000\n", to: "hang")
    chmod(hang, 0o755)
    let rig = try await Self.rig(#"synthesiser: "\#(hang)""#, orders: orders.path)
    try orders.add("four")
    let completion = try await answer(
      rig, Self.wake(order: "four", amount: "3.00", payType: "77", alert: #"{"title":"收款","body":"新方式收款3元"}"#)
    )
    #expect(completion.outcome == "printed")
    #expect(completion.voice == .ended(.played), "the fixed phrase, once the synthesiser was given up")
    #expect(try Fixtures.text(ofFile: rig.folder.path("printd.log")).contains("source=fixed"))
    #expect(try await rig.jobs(of: "four").map(\.state) == [.printed])
    await rig.stop()
    withExtendedLifetime(tools) {}
  }

  @Test("A synthesiser that hangs while the daemon starts leaves the chime")
  func hangsAtStart() async throws {
    let tools = try TemporaryFolder()
    let hang = try tools.write("#!/bin/sh\nexec sleep 1000\n", to: "hang")
    chmod(hang, 0o755)
    let rig = try await Self.rig(#"synthesiser: "\#(hang)", set: "none""#, orders: nil)
    #expect(try await answer(rig, Self.wake(amount: "3.00")).voice == .ended(.played))
    #expect(try said(rig) == Chime.sound(rate: 22_050))
    await rig.stop()
    withExtendedLifetime(tools) {}
  }

  @Test("announce speaks through the daemon, in its turn; without a voice it says what is missing")
  func command() async throws {
    let rig = try await Self.rig(orders: nil)
    let said = try await rig.run("announce", "120034.05", "--pay", "wx")
    #expect(said.end == .exit(0) && said.output == "played\n", "\(said.output)")
    #expect(try self.said(rig) == phrase(rig, "120034.05", payType: "wx"))
    #expect(try await rig.ask(.post, "/v1/announcements", #"{"amount":"1,5"}"#).status == 400)
    let zero = try await rig.ask(.post, "/v1/announcements", #"{"amount":"0.00"}"#)
    #expect(zero.status == 400 && String(decoding: zero.body, as: UTF8.self).contains("nothing was received"))
    #expect(try await rig.ask(.post, "/v1/announcements", "{}").status == 400)
    await rig.stop()
    let mute = try await DaemonRig(orders: nil)
    let refused = try await mute.ask(.post, "/v1/announcements", #"{"amount":"1"}"#)
    #expect(refused.status == 400)
    #expect(String(decoding: refused.body, as: UTF8.self).contains("no voice is configured"))
    await mute.stop()
  }

  @Test("Each payment stands on the screen after its voice, once, with the alert or with what was said")
  func screen() async throws {
    let tools = try TemporaryFolder()
    let show = try tools.write(
      "#!/bin/sh\necho \"$1|$2\" >> \"$3/shown\"\n", to: "show")
    chmod(show, 0o755)
    let rig = try await Self.rig(
      #"brand: "小店", screen: ["\#(show)", "{title}", "{body}", "\#(tools.path)"],"#,
      orders: nil)
    let alert = #"{"title":"收款","body":"3元"}"#
    _ = try await answer(rig, Self.wake(amount: "3.00", alert: alert))
    _ = try await answer(rig, Self.wake(amount: "4.00", alert: #""""#))
    try await DaemonRig.until {
      try access(tools.path("shown"), F_OK) == 0
        && Fixtures.text(ofFile: tools.path("shown")) == "收款|3元\n小店|小店微信收款四元\n"
    }
    await rig.stop()
  }

  @Test("A prepared sound is played by its name, and no name leads out of the folder")
  func prepared() async throws {
    let rig = try await Self.rig(orders: nil)
    let bell = PCM(samples: (0..<3000).map { Int16($0 % 90 * 120) }, rate: 16_000)
    let sounds = rig.folder.path("state/groups/printd/Library/Sounds")
    try await DaemonRig.until { access(sounds, F_OK) == 0 }
    try AudioFile.writeWAV(bell, to: "\(sounds)/closing.wav")
    try AudioFile.writeWAV(bell, to: rig.folder.path("state/groups/printd/Library/outside.wav"))
    #expect(
      try await answer(rig, Self.wake(sound: #""closing.caf""#, alert: #""""#)).voice == .ended(.played))
    #expect(try said(rig) == bell)
    #expect(
      try await answer(rig, Self.wake(sound: #""../outside.wav""#, alert: #""""#)).voice == .ended(.played))
    #expect(try said(rig) == Chime.sound(rate: 16_000))
    await rig.stop()
  }

  @Test("A daemon that is stopped in the middle of a phrase says it to its end, and knows so afterwards")
  func stopped() async throws {
    let orders = try Orders()
    let server = try await SoundServer()
    let recording = try await Recording(server)
    let rig = try await Self.rig(speaksTo: server.address, orders: orders.path)
    try orders.add("six")
    let wake = Task { try await rig.post(Self.wake(order: "six", amount: "12345678.90")) }
    try await recording.until { $0.contains { $0 != 0 } }
    await rig.stop()
    _ = try? await wake.value
    let again = try await Self.rig(in: rig.folder, speaksTo: server.address, orders: orders.path)
    #expect(try await again.jobs(of: "six").map(\.voice) == [.ended(.played)])
    await recording.stop()
    await again.stop()
  }

  @Test("A real sound server hears the phrase of a wake, while its receipt is printed")
  func heard() async throws {
    let orders = try Orders()
    let server = try await SoundServer()
    let recording = try await Recording(server)
    let live = try await Self.rig(speaksTo: server.address, orders: orders.path)
    try orders.add("five")
    let completion = try await answer(live, Self.wake(order: "five", amount: "3.00"))
    #expect(completion.outcome == "printed")
    #expect(completion.voice == .ended(.played))
    // The rate of the set is not the server's, so the samples are others; their shape is not.
    try await recording.goOn()
    let expected = try phrase(live, "3.00", payType: "3").resampled(to: server.rate).peak
    #expect(try abs(PCM(samples: recording.samples, rate: server.rate).peak - expected) < expected / 10)
    await recording.stop()
    await live.stop()
  }
}
