import Curl
import Documents
import ESCPOS
import PrintJobs
import PrintTestKit

/// What an answer of the daemon says of a wake.
struct WakeAnswer: Decodable {
  var outcome: String
  var timeline: Timeline
}

/// A wake's way to the first byte, with a shop as a process on loopback and a network printer.
enum WakeBench {
  static func run() async throws -> [Measurement] {
    let printer = try BenchPrinter()
    let orders = try BenchOrders(count: 400)
    let rig = try await DaemonRig(
      orders: orders.folder.path, printers: printer.configuration, hasPendingList: false)
    var firstByte: [Double] = []
    var completed: [Double] = []
    for id in orders.ids {
      let answer = try await rig.wake(id)
      guard answer.outcome == "printed", let first = answer.timeline.firstByte,
        let end = answer.timeline.completed
      else { throw Fixtures.Missing(path: "wake \(id): \(answer)\n\(rig.log)") }
      firstByte.append(first)
      completed.append(end)
    }
    await rig.stop()
    let first = Spread(Array(firstByte.dropFirst(20)))
    let end = Spread(Array(completed.dropFirst(20)))
    return [
      Measurement("wake → first byte, median", first.median, "ms", aim: "< 5"),
      Measurement("wake → first byte, 99 %", first.p99, "ms", aim: "< 15"),
      Measurement("wake → completion (fence, report), median", end.median, "ms"),
      Measurement("wake → completion, 99 %", end.p99, "ms"),
    ]
  }
}

/// A thousand wakes as fast as they can be sent, twice: the second time shows whether memory stays.
enum BurstBench {
  private static let size = 1000

  static func run() async throws -> [Measurement] {
    let printer = try BenchPrinter()
    let warmUp = 200
    let orders = try BenchOrders(count: warmUp + 2 * size)
    let rig = try await DaemonRig(
      orders: orders.folder.path, printers: printer.configuration, hasPendingList: false)
    for id in orders.ids.prefix(warmUp) { _ = try await rig.wake(id) }
    let before = try Process.memory(rig.daemon.pid)
    let first = try await burst(orders.ids[warmUp..<warmUp + size], rig)
    let between = try Process.memory(rig.daemon.pid)
    let second = try await burst(orders.ids[(warmUp + size)...], rig)
    let after = try Process.memory(rig.daemon.pid)
    let peak = try Process.peakMemory(rig.daemon.pid)
    await rig.stop()
    guard printer.orders == orders.ids else {
      throw Fixtures.Missing(path: "the bursts did not print in order: \(printer.sheetCount) sheets")
    }
    return [
      Measurement("1,000 wakes in a burst, taken", Double(size) / max(first.taken, second.taken), "1/s"),
      Measurement("  all printed in order and reported", Double(size) / max(first.done, second.done), "1/s"),
      Measurement("  memory before", before, "MB"),
      Measurement("  memory after 1,000", between, "MB"),
      Measurement("  memory after 2,000", after, "MB"),
      Measurement("  memory, highest", peak, "MB"),
    ]
  }

  /// Sends wakes and waits until all are printed and reported; the seconds until both.
  private static func burst(
    _ ids: ArraySlice<String>, _ rig: DaemonRig
  ) async throws -> (taken: Double, done: Double) {
    let clock = ContinuousClock()
    let start = clock.now
    let all = try await rig.printedJobs() + ids.count
    for id in ids { try await rig.post(id) }
    let taken = clock.now - start
    while try await rig.printedJobs() < all { try await clock.sleep(for: .milliseconds(20)) }
    return (taken.seconds, (clock.now - start).seconds)
  }
}

extension Duration {
  var seconds: Double { milliseconds / 1000 }
}

extension DaemonRig {
  /// Hands in a wake for an order and waits for its completion.
  func wake(_ id: String) async throws -> WakeAnswer {
    let response = try await ask(.post, "/v1/wakes", Self.body(id))
    return try DocumentReader.read(WakeAnswer.self, from: response.body)
  }

  /// Hands in a wake and waits only until it is durable.
  func post(_ id: String) async throws {
    let response = try await ask(.post, "/v1/wakes", Self.body(id), headers: [("Prefer", "respond-async")])
    guard response.status == 202 else {
      throw Fixtures.Missing(
        path: "wake \(id): \(response.status) \(String(decoding: response.body, as: UTF8.self))")
    }
  }

  /// Jobs that are printed and reported.
  func printedJobs() async throws -> Int {
    struct Status: Decodable {
      var jobs: [String: Int]
      var unreported: Int
    }
    let status = try DocumentReader.read(Status.self, from: try await ask(.get, "/v1/status").body)
    return (status.jobs["printed"] ?? 0) - status.unreported
  }

  private static func body(_ id: String) -> String {
    #"{"aps":{"content-available":1},"data":{"order_id":"\#(id)"}}"#
  }
}
