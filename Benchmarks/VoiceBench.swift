import Announcer
import Curl
import Documents
import ESCPOS
import Glibc
import PrintJobs
import PrintTestKit
import Sound
import SpokenAmounts

/// From a wake to its sound at a speaker's monitor, and what an announcement costs: with a set of clips by espeak-ng, the
/// chime before it, and the shop's own way from an amount to samples.
enum VoiceBench {
  private static let book = Phrasebook(reader: AmountReader(language: .mandarin, currency: .cny))

  static func run() async throws -> [Measurement] {
    let folder = try TemporaryFolder()
    let set = ClipSetFolder(folder.path("zh"))
    _ = try await set.build(book, with: Synthesiser())
    let clips = try ClipSet.read(set.path, for: book)
    var all = [try joining(clips)]
    for kind in SoundServer.Kind.allCases {
      let delays = Spread(try await delays(kind, set: set.path))
      all += [
        Measurement("wake → first sample, \(kind), median", delays.median, "ms", aim: "< 60"),
        Measurement("  99 %", delays.p99, "ms"),
      ]
    }
    return all + (try await memory(clips))
  }

  /// The clips of one amount, joined.
  private static func joining(_ clips: ClipSet) throws -> Measurement {
    let amount = Announcement(
      id: "", payType: "wx", amount: Money("12345.67"), receivedAt: BootInstant(nanoseconds: 0))
    guard case .phrase(let words) = book.saying(for: amount), let phrase = clips.joined(words) else {
      throw Fixtures.Missing(path: "the phrase of 12345.67")
    }
    let times = (0..<200).map { _ in
      let start = BootClock().now
      let again = clips.joined(words)
      let taken = start.duration(to: BootClock().now)
      return again == phrase ? taken.milliseconds * 1000 : .nan
    }
    let seconds = (phrase.duration.seconds * 10).rounded() / 10
    return Measurement(
      "\(words.count) clips joined to \(seconds) s, median", Spread(times).median, "µs", aim: "< 1000")
  }

  /// Wakes that print and speak, one after the other; from the moment before each is sent.
  private static func delays(_ kind: SoundServer.Kind, set: String) async throws -> [Double] {
    let server = try await SoundServer(kind, isSteady: false)
    let ear = try Ear(server)
    let printer = try BenchPrinter()
    let orders = try BenchOrders(count: 45)
    let rig = try await DaemonRig(
      orders: orders.folder.path, printers: printer.configuration, hasPendingList: false,
      more:
        """
        voice: {language: "zh", currency: "CNY", set: "\(set)", output: "pulse", server: "\(server.address)",
                device: "spk"},
        """
    )
    var delays: [Double] = []
    for id in orders.ids {
      try await ear.quiet()
      let sent = BootClock().now
      let answer = try await rig.payment(id, amount: "3.00")
      guard answer.outcome == "printed", answer.voice?.end == "played", let heard = ear.firstSound else {
        throw Fixtures.Missing(path: "payment \(id): \(answer)\n\(rig.log)")
      }
      delays.append(sent.duration(to: heard).milliseconds)
    }
    await rig.stop()
    guard rig.log.ranges(of: "source=clips").count == orders.ids.count else {
      throw Fixtures.Missing(path: "not all were said by clips:\n\(rig.log)")
    }
    return Array(delays.dropFirst(5))
  }

  /// Ten thousand announcements in this process, to nowhere.
  private static func memory(_ clips: ClipSet) async throws -> [Measurement] {
    let speaker = ShopSpeaker(phrasebook: book, clips: clips, chime: Chime.sound(rate: clips.rate))
    let announcer = Announcer(speaker: speaker, output: NullOutput())
    func say(_ numbers: Range<Int>) async throws {
      for number in numbers {
        let now = BootClock().now
        let announcement = Announcement(
          id: "\(number)", payType: "wx", amount: Money(minorUnits: Int64(number) * 7919 + 1, decimals: 2),
          receivedAt: now)
        let record = await announcer.record(of: announcement, by: now.advanced(by: .seconds(10)))
        guard record.end == .played, record.source == .clips else {
          throw Fixtures.Missing(path: "announcement \(number): \(record)")
        }
      }
    }
    try await say(0..<2000)
    let before = try Process.memory(getpid())
    let start = BootClock().now
    try await say(2000..<12_000)
    let each = start.duration(to: BootClock().now).milliseconds / 10_000
    let after = try Process.memory(getpid())
    return [
      Measurement("an announcement by clips to nowhere", each, "ms"),
      Measurement("memory: growth over 10,000 of them", after - before, "MB", aim: "0"),
    ]
  }
}

/// What an answer of the daemon says of a payment's wake.
private struct PaymentAnswer: Decodable {
  struct Voice: Decodable {
    var end: String
  }

  var outcome: String
  var voice: Voice?
}

extension DaemonRig {
  /// Hands in the wake of a payment, which prints and speaks, and waits for its completion.
  fileprivate func payment(_ id: String, amount: String) async throws -> PaymentAnswer {
    let body =
      #"{"aps":{"content-available":1,"mutable-content":1,"sound":"cash_success.m4a"},"type":2,"#
      + #""data":{"order_id":"\#(id)","sum_amount":"\#(amount)","pay_type":3}}"#
    return try DocumentReader.read(PaymentAnswer.self, from: try await ask(.post, "/v1/wakes", body).body)
  }
}
