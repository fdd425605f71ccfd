import PrintJobs
import PrintJournal
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConcurrencyTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  @Test func `of many that bring the same orders at once, one makes each job`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    let made = try await withThrowingTaskGroup(of: [Job].self) { group in
      for channel in 0..<16 {
        group.addTask {
          var made: [Job] = []
          for number in 0..<50 {
            let id = "\((number + channel * 7) % 50)"
            let received = try await journal.receive(
              [.receipt(id)], deliveryID: "\(channel)/\(number)", cursor: nil)
            made += received.entries.filter(\.isNew).map(\.job)
          }
          return made
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(made.count == 50)
    #expect(Set(made.map(\.key.orderID)).count == 50)
    #expect(try await journal.history(limit: .max).count == 50)
  }

  @Test func `of many that move a job at once, one does, and the others undo nothing of their neighbours`()
    async throws
  {
    let journal = try await Journal.open(path: scratch.path)
    var jobs: [Job] = []
    for number in 0..<20 { jobs.append(try await journal.make("\(number)")) }
    let moves = await withTaskGroup(of: (id: Int64, code: JournalError.Code?).self) { group in
      for _ in 0..<10 {
        for job in jobs {
          group.addTask {
            let error = await journalError { () async throws(JournalError) in
              try await journal.advance(job.id, through: .toIntent, change: .because("mine"))
            }
            return (job.id, error?.code)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for job in jobs {
      let codes = moves.filter { $0.id == job.id }.map(\.code)
      #expect(codes.count { $0 == nil } == 1)
      #expect(codes.count { $0 == .conflict } == 9)
    }
    #expect(try await journal.unfinished().allSatisfy { $0.state == .intent && $0.reason == "mine" })
  }

  @Test func `what a call has returned from is there for every reader`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let job = try await journal.make("\(number)", .toPrinted)
          #expect(try await journal.job(job.id) == job)
          #expect(try await journal.jobs(orderID: "\(number)") == [job])
          try await journal.reported(job.id, as: .printed, timeline: Timeline())
        }
      }
      try await group.waitForAll()
    }
    #expect(
      try await journal.counts() == JournalCounts(jobs: [.printed: 200], unreported: 0, oldestUnfinished: nil)
    )
  }

  @Test func `calls that wait when the journal closes are on disk or refused`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    let taken = await withTaskGroup(of: String?.self) { group in
      for number in 0..<100 {
        group.addTask {
          if number == 50 { await journal.close() }
          let error = await journalError { () async throws(JournalError) in
            try await journal.receive([.receipt("\(number)")], deliveryID: nil, cursor: nil)
          }
          #expect(error == nil || error?.message.contains("is closed") == true)
          return error == nil ? "\(number)" : nil
        }
      }
      return await group.reduce(into: Set<String>()) { if let id = $1 { $0.insert(id) } }
    }
    let again = try await Journal.open(path: scratch.path)
    #expect(Set(try await again.history(limit: .max).map(\.key.orderID)) == taken)
  }
}
