import ESCPOS
import PrintJobs
import PrintTestKit
import Testing
import WakeHandler

/// What is one payment, to be said once, and what is another.
@Suite(.timeLimit(.minutes(1)))
struct PaymentTests: Speaking {
  @Test("a payment that is delivered again, by whatever channel, is not said again")
  func duplicate() async throws {
    let (scene, voice) = try scene()
    _ = try await wake(scene, "bread", id: "a").value
    let again = try await wake(scene, "bread", id: "b").value
    #expect(again.outcome == .duplicate && again.result == .noData && again.voice == .silent)
    let replayed = try await wake(scene, "bread", id: "a").value
    #expect(replayed.replayed && replayed.voice == .silent)
    let alone = try await wake(scene, "bread", id: "c", prints: false).value
    #expect(alone.result == .noData && alone.voice == .silent)
    #expect(voice.asked == ["3.00"])
    #expect(await scene.handler.status().counts.announcements == ["played": 1, "silent": 3])
  }

  @Test("a refund is said beside its payment, once for each amount, and is as old as its own wake")
  func refund() async throws {
    let (scene, voice) = try scene()
    _ = try await wake(scene, "bread", id: "a").value
    scene.clock.advance(by: .seconds(3600))
    let start = scene.clock.now
    let refund = try await wake(scene, "bread", id: "b", prints: false, amount: "-1.50").value
    #expect(refund.voice == .played && refund.result == .newData)
    #expect(try await wake(scene, "bread", id: "c", amount: "-2.00").value.voice == .played)
    for (id, amount) in [("d", "-1.5"), ("e", "-2.00"), ("f", "3.00")] {
      #expect(try await wake(scene, "bread", id: id, amount: amount).value.voice == .silent, "\(amount)")
    }
    let word = try await wake(scene, "bread", id: "g", amount: "3.00", more: #","pay_type":"refund""#).value
    #expect(word.voice == .played)
    #expect(voice.asked == ["3.00", "-1.50", "-2.00", "3.00"])
    #expect(voice.knownSince.dropFirst().allSatisfy { $0 >= start })
    #expect(scene.journal.all.map(\.voice) == [.ended(.played)], "the payment's, of its job")
  }

  @Test(
    "another payment of one order is said, as fresh as its own wake, and each delivery of it again is not")
  func partPayments() async throws {
    let (scene, voice) = try scene()
    func said(_ id: String, _ amount: String, _ more: String = "", prints: Bool = true) async throws
      -> VoiceEnd?
    {
      try await wake(scene, "bread", id: id, prints: prints, amount: amount, more: more).value.voice
    }
    #expect(try await said("a", "3.00", #","payment_id":"p1""#) == .played)
    scene.clock.advance(by: .seconds(3600))
    let start = scene.clock.now
    #expect(try await said("b", "3.00", #","payment_id":"p1""#) == .silent)
    #expect(try await said("c", "3.00") == .silent, "a channel that knows no ids")
    #expect(try await said("d", "3.00", #","payment_id":"p2""#) == .played, "as much again")
    #expect(try await said("e", "3.00", #","payment_id":"p2""#, prints: false) == .silent)
    #expect(try await said("f", "4.00", prints: false) == .played, "another part")
    #expect(try await said("g", "4.00") == .silent)
    #expect(voice.asked == ["3.00", "3.00", "4.00"])
    #expect(voice.knownSince.dropFirst().allSatisfy { $0 >= start })
    #expect(voice.payments.map { $0?.text } == ["order:bread", "payment:bread#2", "payment:bread#3"])
    #expect(try scene.front.paper == ["bread"])
  }

  @Test(
    "a refund by a way of paying that the shop calls so is told by its own id and said beside the payment")
  func shopsRefund() async throws {
    let (scene, voice) = try scene { $0.refundPayTypes = ["9", "back"] }
    _ = try await wake(scene, "bread", id: "a").value
    for (id, more, end) in [
      ("b", #","pay_type":9,"refund_id":"r1""#, VoiceEnd.played),
      ("c", #","pay_type":"Back","refund_id":"r2""#, .played),
      ("d", #","pay_type":9,"refund_id":"r1""#, .silent), ("e", #","pay_type":8"#, .silent),
    ] {
      #expect(try await wake(scene, "bread", id: id, prints: false, more: more).value.voice == end, "\(id)")
    }
    #expect(voice.payments.map { $0?.text } == ["order:bread", "refund:bread#1", "refund:bread#2"])
  }

  @Test(
    "a payment that nothing can have sounded of may be asked for again, is as old as at first, and is said once",
    arguments: [VoiceEnd.noDevice, .queueFull, .stopping])
  func askedAgain(end: VoiceEnd) async throws {
    let (scene, voice) = try scene(.ends(end), .ends(.played))
    let start = scene.clock.now
    #expect(try await wake(scene, "bread", id: "a").value.voice == end)
    await scene.log.until("\(end.word) order:bread")
    scene.clock.advance(by: .seconds(20))
    let again = try await wake(scene, "bread", id: "b").value
    #expect(again.outcome == .duplicate && again.voice == .played && again.result == .newData)
    #expect(try await wake(scene, "bread", id: "c").value.voice == .silent)
    #expect(voice.payments.map { $0?.text } == ["order:bread", "order:bread"])
    #expect(voice.knownSince.allSatisfy { abs(start.duration(to: $0).components.seconds) < 1 })
    await scene.log.until("played order:bread")
    #expect(scene.journal.all.map(\.voice) == [.ended(.played)])
  }

  @Test(
    "a payment that may have been heard is not said again",
    arguments: [VoiceEnd.muted, .expired, .failed("the server is gone"), .played])
  func notAskedAgain(end: VoiceEnd) async throws {
    let (scene, voice) = try scene(.ends(end), .ends(.played))
    _ = try await wake(scene, "bread", id: "a").value
    await scene.log.until("\(end.word) order:bread")
    #expect(try await wake(scene, "bread", id: "b").value.voice == .silent)
    #expect(voice.asked.count == 1)
  }

  @Test("a wake that prints what another has announced says that its own voice is silent")
  func printsLater() async throws {
    let (scene, voice) = try scene()
    _ = try await wake(scene, "bread", id: "a", prints: false).value
    let value = try await wake(scene, "bread", id: "b").value
    #expect(value.outcome == .printed(.fence) && value.voice == .silent && value.result == .newData)
    #expect(voice.asked.count == 1)
  }

  @Test("two refunds of as much of one order are both said, where their ids tell them apart")
  func equalRefunds() async throws {
    let (scene, voice) = try scene()
    for (id, more, end) in [
      ("a", #","refund_id":"r1""#, VoiceEnd.played), ("b", #","refund_id":"r2""#, .played),
      ("c", #","refund_id":"r2""#, .silent), ("d", "", .silent),
    ] {
      let value = try await wake(scene, "bread", id: id, prints: false, amount: "-1.50", more: more).value
      #expect(value.voice == end, "\(id)")
    }
    #expect(voice.asked == ["-1.50", "-1.50"])
  }

  @Test("a wake about something else does not use up the payment's announcement", arguments: [true, false])
  func otherType(prints: Bool) async throws {
    let (scene, voice) = try scene()
    _ = try await wake(scene, "bread", id: "a", prints: prints, more: #","type":1"#).value
    #expect(scene.journal.voices.isEmpty)
    _ = try await wake(scene, "bread", id: "b", prints: false, more: #","type":2"#).value
    #expect(Array(scene.journal.voices.keys) == [PaymentKey(orderID: "bread")])
    #expect(voice.asked.last == "3.00")
  }

  @Test("a payment without an order is told by its delivery; without either, each wake is said")
  func noOrder() async throws {
    let (scene, voice) = try scene()
    #expect(try await wake(scene, nil, id: "a", prints: false).value.result == .newData)
    let replay = try await wake(scene, nil, id: "a", prints: false).value
    #expect(replay.replayed && replay.voice == .silent)
    for _ in 0..<2 { #expect(try await wake(scene, nil, prints: false).value.voice == .played) }
    #expect(voice.asked.count == 3)
  }

  @Test("an order that is printed and was not announced is announced by the wake that asks for it")
  func announcedLater() async throws {
    let (scene, voice) = try scene()
    _ = try await wake(scene, "bread", speaks: false).value
    scene.clock.advance(by: .seconds(90))
    let start = scene.clock.now
    let value = try await wake(scene, "bread").value
    #expect(value.outcome == .duplicate && value.voice == .played && value.result == .newData)
    #expect(voice.asked == ["3.00"])
    #expect(voice.knownSince.allSatisfy { $0 >= start }, "that it was printed says nothing of its payment")
    #expect(try scene.front.paper == ["bread"])
  }
}
