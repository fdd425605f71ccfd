import Testing

@testable import BLETransport

@Suite("The account of a link's bytes")
struct WriteWindowTests {
  @Test("Handed bytes count at once, and are acknowledged up to the answered barrier")
  func barriers() {
    var window = WriteWindow(limit: 1_000)
    window.hand(400)
    #expect(window.accepted == 400)
    #expect(window.acknowledged == 0)
    #expect(!window.wantsBarrier)
    window.hand(200)
    #expect(window.wantsBarrier)
    window.sendBarrier()
    #expect(!window.wantsBarrier)
    window.hand(300)
    window.answerBarrier()
    #expect(window.acknowledged == 600)
    #expect(window.unacknowledged == 300)
    #expect(window.barrier == nil)
  }

  @Test("Not more than the limit is on its way, but for one chunk that is larger")
  func limit() {
    var window = WriteWindow(limit: 1_000)
    #expect(window.hasRoom(for: 5_000))
    window.hand(900)
    #expect(window.hasRoom(for: 100))
    #expect(!window.hasRoom(for: 101))
  }

  @Test("Refused bytes are taken back, and never acknowledged")
  func refusals() {
    var window = WriteWindow(limit: 1_000)
    window.hand(300)
    window.hand(300)
    window.sendBarrier()
    window.refuse(300)
    window.answerBarrier()
    #expect(window.accepted == 300)
    #expect(window.acknowledged == 300)
    window.refuse(300)
    #expect(window.accepted == 0)
    #expect(window.acknowledged == 0)
  }

  @Test("A barrier that fails acknowledges nothing")
  func lostBarrier() {
    var window = WriteWindow(limit: 1_000)
    window.hand(600)
    window.sendBarrier()
    window.loseBarrier()
    #expect(window.acknowledged == 0)
    #expect(window.wantsBarrier)
  }

  @Test("An answered request acknowledges what it carried and all before it")
  func requests() {
    var window = WriteWindow(limit: 1_000)
    window.hand(600)
    window.acknowledge(upTo: 600)
    #expect(window.unacknowledged == 0)
    window.hand(100)
    window.acknowledge(upTo: 600)
    #expect(window.unacknowledged == 100)
  }
}

@Suite("Which way bytes go")
struct WriteRuleTests {
  private let barrier = WriteRule.Barrier(path: "/c", interface: "i")

  private func window(_ handed: Int, limit: Int = 1_000) -> WriteWindow {
    var window = WriteWindow(limit: limit)
    window.hand(handed)
    return window
  }

  @Test("The first write of a link is a request, if any are taken")
  func firstWrite() {
    var rule = WriteRule(takesCommands: true, takesRequests: true)
    rule.barriers = [barrier]
    #expect(rule.step(window(0), count: 100, isLast: false) == .request)
    rule.isProven = true
    #expect(rule.step(window(0), count: 100, isLast: false) == .command)
    rule.isProven = false
    rule.takesRequests = false
    #expect(rule.step(window(0), count: 100, isLast: false) == .command)
  }

  @Test("Requests alone, where they are wanted or nothing else is taken")
  func requestsAlone() {
    var wanted = WriteRule(takesCommands: true, takesRequests: true, isProven: true)
    wanted.onlyRequests = true
    #expect(wanted.step(window(0), count: 100, isLast: false) == .request)
    let only = WriteRule(takesCommands: false, takesRequests: true, isProven: true)
    #expect(only.step(window(0), count: 100, isLast: false) == .request)
    var impossible = wanted
    impossible.takesRequests = false
    #expect(impossible.step(window(0), count: 100, isLast: false) == .command)
  }

  @Test("Where the printer has no room by its speed, requests go, or nothing for a while")
  func pace() {
    var rule = WriteRule(takesCommands: true, takesRequests: true, isProven: true)
    #expect(rule.step(window(0), count: 100, room: 100, isLast: false) == .command)
    #expect(rule.step(window(0), count: 100, room: 99, isLast: false) == .request)
    rule.takesRequests = false
    #expect(rule.step(window(0), count: 100, room: 99, isLast: false) == .pause)
  }

  @Test("A printer that keeps up is waited for only when its window is full")
  func unguarded() {
    var rule = WriteRule(takesCommands: true, takesRequests: true, isProven: true)
    rule.barriers = [barrier]
    #expect(rule.step(window(900), count: 100, isLast: true) == .command)
    #expect(rule.step(window(901), count: 100, isLast: false) == .wait)
  }

  @Test("Without anything to read, a request ends the window and the call")
  func withoutBarriers() {
    var rule = WriteRule(takesCommands: true, takesRequests: true, isProven: true)
    #expect(rule.step(window(0), count: 100, isLast: false) == .command)
    #expect(rule.step(window(0), count: 100, isLast: true) == .request)
    #expect(rule.step(window(950), count: 100, isLast: false) == .request)
    rule.takesRequests = false
    #expect(rule.step(window(950), count: 100, isLast: true) == .command)
    #expect(!rule.isHeard)
  }
}
