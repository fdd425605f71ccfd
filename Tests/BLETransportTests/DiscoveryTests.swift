import ESCPOS
import Testing

@testable import BLETransport

@Suite("When discovery runs")
struct DiscoveryTests {
  private let now = BootInstant(nanoseconds: 0)
  private let on: Set<String> = ["/a", "/b"]

  private func step(_ discovery: Discovery, powered: Set<String>? = nil) -> Discovery.Step? {
    discovery.nextStep(powered: powered ?? on, now: now)
  }

  @Test("It runs while anybody wants it, on the adapter where it is wanted")
  func wanted() {
    var discovery = Discovery()
    #expect(step(discovery) == nil)
    discovery.want(1, "/a", .le)
    discovery.want(2, "/a", .le)
    #expect(step(discovery) == .start("/a", .le))
    discovery.started("/a", .le)
    #expect(step(discovery) == nil)
    #expect(discovery.isRunning(on: "/a"))
    #expect(!discovery.isRunning(on: "/b"))
    discovery.unwant(1)
    #expect(step(discovery) == nil)
    discovery.unwant(2)
    #expect(step(discovery) == .stop("/a"))
    discovery.stopped("/a")
    #expect(step(discovery) == nil)
    #expect(!discovery.isRunning())
  }

  @Test("Whoever wants another bearer too makes it start anew with both")
  func bearers() {
    var discovery = Discovery()
    discovery.want(1, "/a", .le)
    discovery.started("/a", .le)
    discovery.want(2, "/a", .classic)
    #expect(step(discovery) == .stop("/a"))
    discovery.stopped("/a")
    #expect(step(discovery) == .start("/a", .both))
  }

  @Test("It rests while anybody connects there, and goes on after the last")
  func pauses() {
    var discovery = Discovery()
    discovery.want(1, "/a", .le)
    discovery.want(2, "/b", .le)
    discovery.started("/a", .le)
    discovery.started("/b", .le)
    discovery.pause("/a")
    discovery.pause("/a")
    #expect(step(discovery) == .stop("/a"))
    discovery.stopped("/a")
    #expect(step(discovery) == nil)
    discovery.resume("/a")
    #expect(step(discovery) == nil)
    discovery.resume("/a")
    #expect(step(discovery) == .start("/a", .le))
    discovery.resume("/a")
    #expect(step(discovery) == .start("/a", .le))
  }

  @Test("While it is held, nothing runs anywhere")
  func holds() {
    var discovery = Discovery()
    discovery.want(1, "/a", .le)
    discovery.started("/a", .le)
    discovery.hold(7)
    #expect(step(discovery) == .stop("/a"))
    discovery.stopped("/a")
    #expect(step(discovery) == nil)
    discovery.release(7)
    #expect(step(discovery) == .start("/a", .le))
  }

  @Test("An adapter that is off has forgotten it, and starts again when it is on")
  func power() {
    var discovery = Discovery()
    discovery.want(1, "/a", .le)
    discovery.started("/a", .le)
    discovery.keepOnly(powered: ["/b"])
    #expect(step(discovery, powered: ["/b"]) == nil)
    #expect(!discovery.isRunning())
    #expect(step(discovery) == .start("/a", .le))
  }

  @Test("A new bluetoothd has forgotten it too, and what the old one answers is void")
  func restart() {
    var discovery = Discovery()
    let era = discovery.era
    discovery.want(1, "/a", .le)
    discovery.started("/a", .le)
    discovery.restart()
    #expect(discovery.era != era)
    #expect(step(discovery) == .start("/a", .le))
  }

  @Test("An adapter that refuses is asked again later")
  func refusals() {
    var discovery = Discovery()
    discovery.want(1, "/a", .le)
    discovery.refuse("/a", until: now.advanced(by: .seconds(1)))
    #expect(step(discovery) == nil)
    #expect(discovery.nextStep(powered: on, now: now.advanced(by: .seconds(1))) == .start("/a", .le))
  }
}
