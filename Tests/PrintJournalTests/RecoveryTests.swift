import PrintJobs
import PrintJournal
import Testing

struct RecoveryTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  @Test func `what a dead process was printing is unknown, everything else goes on`() async throws {
    var journal = try await Journal.open(path: scratch.path)
    let ways: [[JobState]] = [
      [], [.fetched], [.fetched, .rendered], .toIntent, .toIntent + [.sending], .toPrinted,
    ]
    var jobs: [Job] = []
    for (number, way) in ways.enumerated() { jobs.append(try await journal.make("\(number)", way)) }
    await journal.close()
    journal = try await Journal.open(path: scratch.path)
    let lost = try await journal.recoverAfterCrash()
    #expect(lost.map(\.id) == [jobs[3].id, jobs[4].id])
    #expect(lost.allSatisfy { $0.state == .unknown && $0.finishedAt != nil && !$0.reason.isEmpty })
    #expect(try await journal.unreported(limit: 9).map(\.state) == [.unknown, .unknown, .printed])
    #expect(try await journal.unfinished().map(\.state) == [.received, .fetched, .rendered])
  }

  @Test func `a job that this process prints is not called lost`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    let job = try await journal.make("A", .toIntent)
    #expect(try await journal.recoverAfterCrash().isEmpty)
    #expect(try await journal.job(job.id)?.state == .intent)
  }

  @Test func `recovery happens once`() async throws {
    var journal = try await Journal.open(path: scratch.path)
    _ = try await journal.make("A", .toIntent)
    await journal.close()
    journal = try await Journal.open(path: scratch.path)
    #expect(try await journal.recoverAfterCrash().count == 1)
    #expect(try await journal.recoverAfterCrash().isEmpty)
  }
}
