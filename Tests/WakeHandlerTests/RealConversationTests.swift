import Documents
import ESCPOS
import PrintJobs
import PrintTestKit
import Synchronization
import Testing
import WakeHandler

/// The story with the printer's real conversation, over a link to a printer that answers.
@Suite(.timeLimit(.minutes(1)))
struct RealConversationTests {
  @Test("two jobs are printed and proven over one link, the gate and the fence around each")
  func twoJobs() async throws {
    let log = EventLog()
    let clock = BootClock()
    let profile = try DocumentReader.read(ProfileCatalogue.self, from: PrinterProfile.builtInJSON)
      .profile(named: "generic-80")
    let link = AnsweringLink()
    let orders = OrdersDouble(log: log, clock: ManualClock())
    let journal = JournalDouble(log: log, date: { Scene.opening })
    let ports = Ports(
      orders: orders, jobs: journal,
      prepare: { _, order, _ in .receipt(PreparedReceipt(bytes: order)) })
    let handler = WakeHandler(
      ports: ports, printers: [PrinterSetup(name: "front", profile: profile, opener: link)], clock: clock)
    for order in ["bread", "milk"] {
      let body = "{\"aps\":{\"content-available\":1},\"order_id\":\"\(order)\"}"
      guard
        case .accepted(let completion) = await handler.accept(
          WakeDelivery(body: Array(body.utf8), channel: "test"))
      else {
        Issue.record("refused")
        return
      }
      let value = await completion.value
      #expect(value.outcome == .printed(.fence))
      #expect(value.timeline.firstByte != nil && value.timeline.fence != nil)
    }
    #expect(link.printed == "breadmilk")
    #expect(link.opened == 1)
    #expect(journal.all.map(\.bytesAccepted) == [5, 4], "the questions do not count")
    await handler.stop(by: clock.now.advanced(by: .seconds(5)))
    #expect(link.isClosed)
  }
}

/// A link to a printer that answers `DLE EOT` and `GS r` and prints all else.
private final class AnsweringLink: PrinterLink, LinkOpener, Sendable {
  private struct State {
    var opened = 0
    var isClosed = false
    var accepted = 0
    var printed: [UInt8] = []
    var answers: [UInt8] = []
    var receiver: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  var opened: Int { state.withLock(\.opened) }
  var isClosed: Bool { state.withLock(\.isClosed) }
  var printed: String { state.withLock { String(decoding: $0.printed, as: UTF8.self) } }
  var bytesAccepted: Int { state.withLock(\.accepted) }
  let hasBackChannel = true

  func open(by deadline: BootInstant) async throws(LinkError) -> any PrinterLink {
    state.withLock { $0.opened += 1 }
    return self
  }

  func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    let receiver = state.withLock { state in
      state.accepted += bytes.count
      var rest = bytes
      while let first = rest.first {
        if rest.starts(with: [0x10, 0x04]), rest.count >= 3 {
          state.answers.append(rest[rest.startIndex + 2] == 1 ? 0x16 : 0x12)
          rest = rest.dropFirst(3)
        } else if rest.starts(with: [0x1D, 0x72, 0x01]) {
          state.answers.append(0)
          rest = rest.dropFirst(3)
        } else {
          state.printed.append(first)
          rest = rest.dropFirst()
        }
      }
      defer { state.receiver = nil }
      return state.receiver
    }
    receiver?.resume()
  }

  func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
    while true {
      let answers = state.withLock { state in
        defer { state.answers = [] }
        return state.answers
      }
      if !answers.isEmpty { return answers }
      if Task.isCancelled { throw LinkError(.cancelled, "cancelled") }
      await withTaskCancellationHandler {
        await withCheckedContinuation { receiver in
          let ready = state.withLock { state in
            if !state.answers.isEmpty || Task.isCancelled { return true }
            state.receiver = receiver
            return false
          }
          if ready { receiver.resume() }
        }
      } onCancel: {
        let receiver = state.withLock { state in
          defer { state.receiver = nil }
          return state.receiver
        }
        receiver?.resume()
      }
    }
  }

  func flush(by deadline: BootInstant) async throws(LinkError) {}
  func close() async { state.withLock { $0.isClosed = true } }
}
