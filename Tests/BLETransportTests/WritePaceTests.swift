import ESCPOS
import Testing

@testable import BLETransport

@Suite("The pace of a printer")
struct WritePaceTests {
  private let start = BootInstant(nanoseconds: 1_000_000_000)

  private func after(_ time: Duration) -> BootInstant { start.advanced(by: time) }

  @Test("Within a job the buffer does not empty, however fast the printer is said to be")
  func doesNotEmptyWithinAJob() {
    var pace = WritePace(rate: 60_000, burst: 500)
    for step in 0..<5 { pace.send(100, at: after(.milliseconds(900 * step))) }
    #expect(pace.room(at: after(.milliseconds(3_600 + 999))) == 0)
    #expect(pace.room(at: after(.milliseconds(3_600 + 1_000))) == 500)
  }

  @Test("A buffer whose printer owes an answer does not empty by time, however long nothing is sent")
  func owedAnswer() {
    var pace = WritePace(rate: 1_000, burst: 500)
    pace.isAwaited = true
    pace.send(500, at: start)
    pace.overflow()
    #expect(pace.room(at: after(.seconds(60))) == 0)
    pace.send(100, at: after(.seconds(60)))
    pace.prove(ahead: 300)
    #expect(pace.room(at: after(.seconds(120))) == 200)
    // The last answer has come: what is behind it may have been taken when the job is over.
    pace.isAwaited = false
    #expect(pace.room(at: after(.seconds(120))) == 500)
  }

  @Test("A printer that stands still with a request unanswered makes no room by that")
  func standingStillMakesNoRoom() {
    var pace = WritePace(rate: 1_000, burst: 500)
    pace.send(500, at: start)
    pace.overflow()
    pace.send(200, at: start)
    pace.answer(at: after(.seconds(60)))
    #expect(pace.room(at: after(.seconds(60))) == 0)
    #expect(pace.room(at: after(.milliseconds(60_999))) == 0)
  }

  @Test("The buffer fills with what is sent and, where that is trusted, empties at the printer's rate")
  func fillsAndEmpties() {
    var pace = WritePace(rate: 1_000, burst: 500)
    pace.isTrusted = true
    #expect(pace.room(at: start) == 500)
    pace.send(400, at: start)
    #expect(pace.room(at: start) == 100)
    #expect(pace.room(at: after(.milliseconds(100))) == 200)
    #expect(pace.room(at: after(.seconds(10))) == 500)
  }

  @Test("Once it was full, there is room again when the job is over and the buffer has emptied")
  func untilTheJobIsOver() {
    var pace = WritePace(rate: 1_000, burst: 500)
    pace.send(500, at: start)
    pace.overflow()
    #expect(pace.room(at: after(.milliseconds(600))) == 0)
    #expect(pace.room(at: after(.milliseconds(999))) == 0)
    pace.send(0, at: after(.milliseconds(999)))
    #expect(pace.room(at: after(.seconds(1))) == 0)
    #expect(pace.room(at: after(.milliseconds(1_999))) == 500)
    var slow = WritePace(rate: 100, burst: 500)
    slow.send(500, at: start)
    slow.overflow()
    #expect(slow.room(at: after(.seconds(4))) == 0)
    #expect(slow.room(at: after(.seconds(5))) == 500)
  }

  @Test("Where nothing else can be done, half of it being empty is enough")
  func trusted() {
    var pace = WritePace(rate: 1_000, burst: 500)
    pace.isTrusted = true
    pace.send(500, at: start)
    pace.overflow()
    #expect(pace.room(at: start) == 0)
    #expect(pace.halfEmpty(after: start) == after(.milliseconds(250)))
    #expect(pace.room(at: after(.milliseconds(249))) == 0)
    #expect(pace.room(at: after(.milliseconds(250))) == 250)
    #expect(pace.halfEmpty(after: after(.seconds(3))) == after(.seconds(3)))
  }

  @Test("What requests bring into a full buffer delays the next commands, but not for ever")
  func overfull() {
    var pace = WritePace(rate: 1_000, burst: 500)
    pace.send(100_000, at: start)
    pace.overflow()
    #expect(pace.halfEmpty(after: start) == after(.milliseconds(750)))
    #expect(pace.room(at: after(.seconds(1))) == 500)
  }

  @Test("What the printer says that it has taken makes room at once, and never more than there is")
  func proof() {
    var pace = WritePace(rate: 1_000, burst: 500)
    pace.send(400, at: start)
    pace.overflow()
    #expect(pace.room(at: start) == 0)
    pace.prove(ahead: 150)
    #expect(pace.room(at: start) == 350)
    pace.send(350, at: start)
    #expect(pace.room(at: after(.milliseconds(999))) == 0)
    // An older answer, come late.
    pace.prove(ahead: 900)
    #expect(pace.room(at: start) == 0)
    pace.prove(ahead: 0)
    #expect(pace.room(at: start) == 500)
  }

  @Test("An answer is waited for where it would make room, and not again after a wait in vain")
  func expectations() {
    var proofs = ExpectedProofs()
    #expect(!proofs.makeRoom(for: 1, behind: 0, burst: 500))
    proofs.expect(200, askedBy: 206)
    #expect(proofs.areDue(behind: 0))
    #expect(!proofs.makeRoom(for: 100, behind: 205, burst: 500), "the question has not gone")
    #expect(proofs.makeRoom(for: 100, behind: 206, burst: 500))
    #expect(!proofs.areDue(behind: 206))
    #expect(proofs.makeRoom(for: 100, behind: 600, burst: 500))
    #expect(!proofs.makeRoom(for: 101, behind: 600, burst: 500), "no room even with the answer")
    proofs.disappoint()
    #expect(!proofs.makeRoom(for: 100, behind: 206, burst: 500))
    proofs.expect(400, askedBy: 406)
    proofs.arrive(200)
    #expect(proofs.makeRoom(for: 100, behind: 406, burst: 500))
    proofs.arrive(400)
    #expect(!proofs.makeRoom(for: 100, behind: 406, burst: 500), "nothing is open")
  }

  @Test("A clock that stands still or jumps does no harm")
  func clocks() {
    var pace = WritePace(rate: 0, burst: 0)
    pace.send(10, at: BootInstant(nanoseconds: .max))
    pace.overflow()
    #expect(pace.room(at: BootInstant(nanoseconds: .min)) == 0)
    #expect(pace.rate == 1)
    #expect(pace.burst == 1)
  }
}
