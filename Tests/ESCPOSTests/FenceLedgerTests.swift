import Testing

@testable import ESCPOS

/// A printer that answers `GS r` in the order of the questions, and our account of it.
private struct Story {
  var ledger: FenceLedger
  /// For each `GS r` that the printer has not got to: the question it belongs to.
  private var buffer: [Int] = []
  private var questions: [FenceLedger.Question] = []
  /// Questions of which the printer has got to at least one.
  private var reached: Set<Int> = []

  init(open: Int = 0) {
    ledger = FenceLedger(open: open)
    // Those that are open may still be in the printer, and are nobody's that we know.
    buffer = [Int](repeating: -1, count: open)
  }

  mutating func ask(inMidJob: Bool) {
    guard let question = inMidJob ? ledger.midJobQuestion(.paperStatus) : ledger.question(.paperStatus) else {
      return
    }
    buffer += [Int](repeating: questions.count, count: question.command.count / 3)
    questions.append(question)
  }

  /// The printer gets to the next question; it says so often that it did.
  mutating func reach(says times: Int) {
    guard !buffer.isEmpty else { return }
    reached.insert(buffer.removeFirst())
    for _ in 0..<times { hear() }
  }

  mutating func hear() {
    let reply = ReplyParser.Reply.transmitted(0)
    if ledger.expects(reply) { ledger.note(reply) } else { ledger.noteStray(reply) }
  }

  var isEmpty: Bool { buffer.isEmpty }
  func isAnswered(_ index: Int) -> Bool { ledger.isAnswered(questions[index]) }
  var count: Int { questions.count }

  /// Questions that count as answered and that the printer has not got to.
  var lies: [Int] { questions.indices.filter { isAnswered($0) && !reached.contains($0) } }
}

@Suite("The ledger of questions")
struct FenceLedgerTests {
  @Test(
    "no question counts as answered before the printer has got to it, whatever is lost, and with one answer too many"
  )
  func neverTooSoon() {
    for seed in 0..<500 as Range<UInt64> {
      var random = Seeded(state: seed)
      var story = Story(open: Int.random(in: 0...3, using: &random))
      var lies: [Int] = []
      var extra = seed % 2
      let lossy = seed % 3 == 0
      for _ in 0..<40 {
        switch Int.random(in: 0...5, using: &random) {
        case 0, 1: story.ask(inMidJob: true)
        case 2 where extra > 0 && Bool.random(using: &random):
          extra = 0
          story.reach(says: 2)
        default: story.reach(says: lossy && Int.random(in: 0...4, using: &random) == 0 ? 0 : 1)
        }
        lies += story.lies
      }
      story.ask(inMidJob: false)
      lies += story.lies
      while !story.isEmpty {
        story.reach(says: 1)
        lies += story.lies
      }
      #expect(lies == [], "seed \(seed)")
    }
  }

  @Test(
    "without losses every question counts as answered when the printer has answered it, also with old ones open"
  )
  func inTime() {
    for open in 0...3 {
      var story = Story(open: 0)
      story.ledger = FenceLedger(open: open)
      for index in 0..<20 {
        story.ask(inMidJob: true)
        while !story.isEmpty { story.reach(says: 1) }
        #expect(story.isAnswered(index))
      }
      story.ask(inMidJob: false)
      while !story.isEmpty { story.reach(says: 1) }
      #expect(story.isAnswered(story.count - 1))
    }
  }

  @Test("whatever was lost in mid-job, the fence is answered in the end")
  func fenceAfterLosses() {
    for lost in 0..<12 {
      var story = Story()
      for _ in 0..<6 { story.ask(inMidJob: true) }
      for index in 0..<12 { story.reach(says: index < lost ? 0 : 1) }
      story.ask(inMidJob: false)
      while !story.isEmpty { story.reach(says: 1) }
      #expect(story.isAnswered(story.count - 1), "\(lost) lost")
    }
  }

  @Test("up to three answers of nobody's in mid-job do not prove a print")
  func fenceWithStrays() {
    for seed in 0..<500 as Range<UInt64> {
      var random = Seeded(state: seed)
      var story = Story(open: 0)
      var extra = Int(seed % 4)
      for _ in 0..<30 {
        switch Int.random(in: 0...4, using: &random) {
        case 0, 1: story.ask(inMidJob: true)
        case 2 where extra > 0:
          extra -= 1
          story.hear()
        default: story.reach(says: 1)
        }
      }
      story.ask(inMidJob: false)
      let fence = story.count - 1
      while !story.isEmpty {
        #expect(!story.lies.contains(fence), "seed \(seed)")
        story.reach(says: 1)
      }
      #expect(story.isAnswered(fence), "seed \(seed)")
    }
  }

  @Test("an answer that nobody asked for ends the questions in mid-job, and the fence wants more")
  func strays() {
    var ledger = FenceLedger()
    #expect(ledger.question(.paperStatus)?.command.count == 3)
    ledger.note(.transmitted(0))
    #expect(ledger.midJobQuestion(.paperStatus)?.command.count == 6)
    ledger.note(.transmitted(0))
    ledger.note(.transmitted(0))
    #expect(!ledger.expects(.transmitted(0)))
    ledger.noteStray(.transmitted(0))
    #expect(ledger.midJobQuestion(.paperStatus) == nil)
    #expect(ledger.question(.paperStatus)?.command.count == 15)
    #expect(
      ledger.midJobQuestion(.processID)?.command.count == 11, "an answer that names its question is exact")
  }

  @Test("too many open questions, and nothing is asked in mid-job; the fence is as it was")
  func tooManyOpen() {
    var ledger = FenceLedger(open: 4)
    #expect(ledger.midJobQuestion(.paperStatus) == nil)
    #expect(ledger.question(.paperStatus)?.command.count == 15)
    #expect(ledger.midJobQuestion(.none) == nil)
  }
}
