import PrintJobs
import Testing

@testable import PrintJournal

struct AdvanceTests {
  let scratch: Scratch
  let time = SetTime()
  init() throws { scratch = try Scratch() }

  private func open() async throws(JournalError) -> Journal {
    let time = time
    return try await Journal.open(path: scratch.path, now: { time.now })
  }

  @Test func `a job carries what each step found out, and all of it survives a restart`() async throws {
    var journal = try await open()
    var job = try await journal.make("A")
    var change = JobChange()
    change.order = Array(#"{"id":"A"}"#.utf8)
    change.expiresAt = 1_796_007_200
    change.timeline = Timeline()
    change.timeline?.received = 0.4
    change.timeline?.fetched = 12.5
    job = try await journal.advance(job.id, through: [.fetched], change: change)
    change = JobChange()
    change.bytesTotal = 1834
    job = try await journal.advance(job.id, through: [.rendered], change: change)
    change = JobChange()
    change.attempt = 1
    job = try await journal.advance(job.id, through: [.intent], change: change)
    change = JobChange()
    change.bytesAccepted = 1834
    change.confirmation = .fence
    change.reason = "proven"
    time.now += 2
    job = try await journal.advance(job.id, through: [.sending, .printed], change: change)
    await journal.close()
    journal = try await open()
    let found = try #require(try await journal.job(job.id))
    #expect(found == job)
    #expect(found.state == .printed)
    #expect(found.order == Array(#"{"id":"A"}"#.utf8))
    #expect(found.expiresAt == 1_796_007_200)
    #expect(found.timeline.fetched == 12.5)
    #expect(found.bytesTotal == 1834 && found.bytesAccepted == 1834 && found.attempt == 1)
    #expect(found.confirmation == .fence)
    #expect(found.finishedAt == found.receivedAt + 2)
    #expect(found.reportedAt == nil)
  }

  @Test func `every pair of states is a move exactly when it may be one`() async throws {
    let journal = try await open()
    let ways: [JobState: [JobState]] = [
      .received: [], .fetched: [.fetched], .rendered: [.fetched, .rendered], .intent: .toIntent,
      .sending: .toIntent + [.sending], .printed: .toPrinted, .unknown: .toIntent + [.unknown],
      .expired: [.expired], .cancelled: [.cancelled], .rejected: [.rejected],
    ]
    for from in JobState.allCases {
      for to in JobState.allCases {
        let job = try await journal.make("\(from)-\(to)", try #require(ways[from]))
        let error = await journalError { () async throws(JournalError) in
          try await journal.advance(job.id, through: [to], change: .because("tried"))
        }
        #expect((error == nil) == to.follows(from), "\(from) → \(to)")
        #expect(error == nil || error?.code == .conflict)
        if error != nil { #expect(try await journal.job(job.id) == job) }
      }
    }
  }

  @Test func `a wrong step in the middle changes nothing at all`() async throws {
    let journal = try await open()
    let job = try await journal.make("A")
    var change = JobChange.because("never")
    change.order = [1, 2, 3]
    let error = await journalError { () async throws(JournalError) in
      try await journal.advance(job.id, through: [.fetched, .rendered, .printed], change: change)
    }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains("cannot become printed") == true)
    #expect(try await journal.job(job.id) == job)
    #expect(try await events(of: job.id, in: journal) == ["-→received "])
  }

  @Test func `each move is kept with its reason`() async throws {
    let journal = try await open()
    let job = try await journal.make("A", .toIntent)
    _ = try await journal.advance(job.id, through: [.sending, .unknown], change: .because("link lost"))
    #expect(
      try await events(of: job.id, in: journal) == [
        "-→received ", "received→fetched ", "fetched→rendered ", "rendered→intent ", "intent→sending ",
        "sending→unknown link lost",
      ])
  }

  @Test func `a job that is not there is not found`() async throws {
    let journal = try await open()
    #expect(try await journal.job(7) == nil)
    let moved = await journalError { () async throws(JournalError) in
      try await journal.advance(7, through: [.fetched], change: .nothing)
    }
    #expect(moved?.code == .notFound)
    let reported = await journalError { () async throws(JournalError) in
      try await journal.reported(7, as: .printed, timeline: Timeline())
    }
    #expect(reported?.code == .notFound)
  }

  @Test func `a report is noted once, and not before the job has ended`() async throws {
    let journal = try await open()
    let job = try await journal.make("A", .toIntent)
    let early = await journalError { () async throws(JournalError) in
      try await journal.reported(job.id, as: .printed, timeline: Timeline())
    }
    #expect(early?.code == .conflict)
    _ = try await journal.advance(job.id, through: [.printed], change: .nothing)
    var timeline = Timeline()
    timeline.reported = 250
    try await journal.reported(job.id, as: .printed, timeline: timeline)
    let noted = try #require(try await journal.job(job.id))
    #expect(noted.reportedAt == time.now && noted.timeline.reported == 250)
    time.now += 60
    try await journal.reported(job.id, as: .printed, timeline: Timeline())
    #expect(try await journal.job(job.id) == noted)
  }

  @Test func `a late answer is reported again, and the report of before does not count for it`() async throws
  {
    let journal = try await open()
    let job = try await journal.make("A", .toIntent + [.unknown])
    try await journal.reported(job.id, as: .unknown, timeline: Timeline())
    #expect(try await journal.unreported(limit: 9).isEmpty)
    _ = try await journal.advance(job.id, through: [.printed], change: .nothing)
    #expect(try await journal.unreported(limit: 9).map(\.state) == [.printed])
    let late = await journalError { () async throws(JournalError) in
      try await journal.reported(job.id, as: .unknown, timeline: Timeline())
    }
    #expect(late?.code == .conflict)
    #expect(try await journal.unreported(limit: 9).count == 1)
    try await journal.reported(job.id, as: .printed, timeline: Timeline())
    #expect(try await journal.unreported(limit: 9).isEmpty)
  }

  private func events(of id: Int64, in journal: Journal) async throws(JournalError) -> [String] {
    try await journal.reading { connection throws(JournalError) in
      try connection.all(
        "SELECT coalesce(from_state, '-') || '→' || to_state || ' ' || why FROM event WHERE job = ? ORDER BY seq",
        .integer(id)
      ) { $0.text(0) }
    }
  }
}
