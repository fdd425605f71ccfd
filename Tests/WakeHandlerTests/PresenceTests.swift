import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

/// A printer that is off, and somebody who sees it come back.
@Suite(.timeLimit(.minutes(1)))
struct PresenceTests {
  @Test(
    "a printer that is seen again prints at once, and is looked out for only while it is waited for",
    arguments: [LinkError.Code.unreachable, .deadline, .busy])
  func seen(code: LinkError.Code) async throws {
    let scene = try Scene()
    try scene.front.script {
      $0.opens = [code, nil]
      $0.isVisible = true
    }
    #expect(scene.log.count(of: "watch front") == 0)
    let completion = try await scene.wake("bread")
    await scene.log.until("watch front")
    try scene.front.show()
    #expect(await completion.value.outcome == .printed(.fence))
    await scene.log.until("unwatch front")
    #expect(scene.log.count(of: "watch front") == 1)
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("a printer that is seen and cannot be reached is tried after 0, 1, 2 and 4 s, never without a pause")
  func seenInVain() async throws {
    let scene = try Scene(policies: { $0.delays = [.seconds(60)] })
    try scene.front.script {
      $0.opens = [.unreachable]
      $0.isVisible = true
    }
    _ = try await scene.wake("bread")
    var tries = 1
    for pause in [0, 1, 2, 4, 4] {
      await scene.log.until("watch front", tries)
      for _ in 0..<20 { try scene.front.show() }
      // Until the sighting has come, the line sleeps for a minute; a moment is let pass again and again.
      let start = scene.clock.now
      while scene.log.count(of: "open front") == tries {
        await scene.clock.sleepers(atLeast: 1)
        try #require(start.duration(to: scene.clock.now) < .seconds(30), "long before the back-off is over")
        if pause > 0 { scene.clock.advance(by: .milliseconds(1)) }
        await Task.yield()
      }
      #expect(start.duration(to: scene.clock.now) >= .seconds(pause), "not before its time")
      tries += 1
    }
  }

  @Test("a printer that nobody can see is tried whenever it is due, without a pause that grows")
  func due() async throws {
    let scene = try Scene(policies: { $0.delays = [.seconds(60)] })
    try scene.front.script {
      $0.opens = [.unreachable]
      $0.isVisible = true
    }
    _ = try await scene.wake("bread")
    // The clock stands: a try that waited for it would never come.
    for tries in 1...8 {
      await scene.log.until("watch front", tries)
      try scene.front.show(.due)
      await scene.log.until("open front", tries + 1)
    }
    // A sighting has not been in vain yet.
    await scene.log.until("watch front", 9)
    try scene.front.script { $0.opens = [] }
    try scene.front.show(.seen)
    await scene.log.until("reported 1")
    #expect(try scene.front.paper == ["bread"])
  }

  @Test("a printer that is not ready and is switched off is looked out for at once, and prints when back")
  func switchedOffForRefill() async throws {
    let scene = try Scene(policies: { $0.delays = [.seconds(60)] })
    var out = PrinterStatus()
    out.paper = .end
    try scene.front.script { [out] in
      $0.opens = [nil, .unreachable, nil]
      $0.gates = [.notReady(out), .ready(PrinterStatus())]
      $0.isVisible = true
    }
    let completion = try await scene.wake("bread")
    await scene.log.until("note: waiting: paper out")
    // The clock stands: nothing waits for the next try.
    try scene.front.vanish()
    await scene.log.until("watch front")
    try scene.front.show()
    #expect(await completion.value.outcome == .printed(.fence))
    #expect(try scene.front.opened == 2)
    #expect(scene.log.count(of: "open front") == 3)
  }

  @Test("one that is not ready and lets its link go is tried after 0, 1, 2 and 4 s, never without a pause")
  func goesWhileNotReady() async throws {
    let scene = try Scene(policies: { $0.delays = [.seconds(60)] })
    var out = PrinterStatus()
    out.paper = .end
    let front = try scene.front
    front.script { [out] in
      $0.gates = [.notReady(out)]
      $0.atGate = { front.vanish() }
    }
    _ = try await scene.wake("bread")
    var tries = 1
    for pause in [0, 1, 2, 4, 4] {
      await scene.log.until("note: the idle link is gone: the printer is gone", tries)
      let start = scene.clock.now
      while scene.log.count(of: "open front") == tries {
        await scene.clock.sleepers(atLeast: 1)
        try #require(start.duration(to: scene.clock.now) < .seconds(30), "long before the back-off is over")
        if pause > 0 { scene.clock.advance(by: .milliseconds(1)) }
        await Task.yield()
      }
      #expect(start.duration(to: scene.clock.now) >= .seconds(pause), "not before its time")
      tries += 1
    }
  }

  @Test("the back-off goes on beside the look-out")
  func backOff() async throws {
    let scene = try Scene()
    try scene.front.script {
      $0.opens = [.unreachable, .unreachable, nil]
      $0.isVisible = true
    }
    let completion = try await scene.wake("bread")
    for (tries, wait) in [(1, 1), (2, 2)] {
      await scene.log.until("watch front", tries)
      await scene.clock.sleepers(atLeast: 2)
      scene.clock.advance(by: .seconds(wait))
    }
    #expect(await completion.value.outcome == .printed(.fence))
    await scene.log.until("unwatch front", 2)
  }

  @Test("nobody looks out for a printer that refuses, or for whom nothing waits any more")
  func noLookout() async throws {
    let scene = try Scene()
    try scene.front.script {
      $0.opens = [.refused]
      $0.isVisible = true
    }
    _ = try await scene.wake("bread")
    await scene.log.until("note: waiting: the printer is off")
    #expect(scene.log.count(of: "watch front") == 0)
    try scene.front.script { $0.opens = [.unreachable] }
    _ = try await scene.wake("milk")
    await scene.log.until("watch front")
    for id in [1, 2] { try await scene.handler.cancel(Int64(id)) }
    await scene.log.until("unwatch front")
    #expect(scene.log.count(of: "watch front") == 1)
  }

  @Test("a daemon that stops looks out for nothing")
  func stop() async throws {
    let scene = try Scene()
    try scene.front.script {
      $0.opens = [.unreachable]
      $0.isVisible = true
    }
    _ = try await scene.wake("bread")
    await scene.log.until("watch front")
    await scene.handler.stop(by: scene.clock.now.advanced(by: .seconds(5)))
    #expect(scene.log.count(of: "unwatch front") == 1)
  }
}
