import PrintJobs
import PrintTestKit
import Testing

@testable import PrintJournal

struct MigrationTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  @Test func `a journal of version 1 opens, and keeps its jobs, orders, numbers and cursor`() async throws {
    try scratch.write(Fixtures.bytes("journal/v1.db"))
    let journal = try await Journal.open(path: scratch.path)
    let printed = try #require(try await journal.job(1))
    #expect(printed.key == JobKey(orderID: "20261130-000187", kind: "receipt"))
    #expect(printed.state == .printed && printed.confirmation == .fence && printed.bytesTotal == 1834)
    #expect(printed.order == Array(#"{"id":"20261130-000187","currency":"CNY","note":"实收12.50元"}"#.utf8))
    #expect(printed.originals == 1 && printed.bytesAccepted == 0 && printed.timeline == Timeline())
    #expect(printed.receivedAt == 1_796_030_000.25 && printed.reportedAt == 1_796_030_003.75)
    #expect(try await journal.job(2)?.order == [])
    #expect(try await journal.jobs(orderID: "20261130-000187").map(\.key.copy) == [1, 2])
    #expect(try await journal.cursor() == "c-189")
    #expect(try await journal.recoverAfterCrash().map(\.id) == [3])
    #expect(try await journal.unreported(limit: 9).map(\.id) == [3, 5])
    let moved = try await journal.advance(2, through: [.fetched], change: .nothing)
    #expect(moved.state == .fetched)
    #expect(try await journal.make("new").id == 8)
  }

  @Test func `a journal of version 2 opens, and keeps all it held`() async throws {
    try scratch.write(Fixtures.bytes("journal/v2.db"))
    let journal = try await Journal.open(path: scratch.path)
    let printed = try #require(try await journal.job(1))
    #expect(printed.originals == 2 && printed.bytesAccepted == 1834 && printed.timeline.fence == 812.5)
    #expect(printed.order == Array(#"{"id":"20261130-000187","currency":"CNY","note":"实收12.50元"}"#.utf8))
    #expect(printed.voice == nil)
    #expect(try await journal.job(2)?.reason == "items[3].amount: expected a decimal string")
    #expect(try await journal.receive([], deliveryID: "msg_2", cursor: nil).replayed)
    #expect(try await journal.recoverAfterCrash().map(\.id) == [3])
    #expect(try await journal.unreported(limit: 9).map(\.id) == [3, 5])
    let payment = PaymentClaim(orderID: "20261130-000187")
    #expect(try await journal.receive([], deliveryID: nil, cursor: nil, announcing: payment).announces != nil)
    #expect(try await journal.make("new").id == 8)
  }

  @Test func `a journal of version 3 opens, and what it has announced is not announced again`() async throws {
    try scratch.write(Fixtures.bytes("journal/v3.db"))
    let journal = try await Journal.open(path: scratch.path)
    #expect(try await journal.job(1)?.voice == .ended(.failed("no clip")))
    let order = "20261130-000187"
    for (claim, isNew) in [
      (PaymentClaim(orderID: order, id: "p", amount: Money("12.50")), false),
      (PaymentClaim(refundOf: order, amount: Money("-5")), false),
      (PaymentClaim(refundOf: "20261130-000188"), false), (PaymentClaim(deliveryID: "msg_3"), false),
      (PaymentClaim(refundOf: order, amount: Money("-6")), true),
      (PaymentClaim(orderID: order, id: "q", amount: Money("12.50")), true),
      (PaymentClaim(orderID: "20261130-000188"), true),
    ] {
      let received = try await journal.receive([], deliveryID: nil, cursor: nil, announcing: claim)
      #expect((received.announces != nil) == isNew, "\(claim)")
    }
  }

  @Test(arguments: ["v1", "v2", "v3"])
  func `a migrated journal has the tables of a new one`(version: String) async throws {
    try scratch.write(Fixtures.bytes("journal/\(version).db"), to: "old.db")
    let old = try await Journal.open(path: "\(scratch.folder)/old.db")
    let new = try await Journal.open(path: scratch.path)
    #expect(try await old.tables() == new.tables())
    #expect(try await old.number("PRAGMA user_version") == 4)
    #expect(try await new.number("PRAGMA user_version") == 4)
  }

  @Test(arguments: ["v1", "v2", "v3"])
  func `the old file is what its listing says`(version: String) throws {
    try scratch.write(Fixtures.bytes("journal/\(version).db"))
    try scratch.write([], to: "listed.db")
    let stored = try Connection(path: scratch.path)
    let listed = try Connection(path: "\(scratch.folder)/listed.db")
    try listed.script(String(decoding: Fixtures.bytes("journal/\(version).sql"), as: UTF8.self))
    for sql in [
      "SELECT * FROM job ORDER BY id", "SELECT * FROM event ORDER BY job, seq", "SELECT * FROM meta",
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name", "SELECT * FROM sqlite_sequence",
      "PRAGMA user_version", "PRAGMA application_id", "PRAGMA journal_mode",
    ] {
      let rows = try stored.all(sql) { row in (0..<24).map { row.blob($0) } }
      #expect(!rows.isEmpty)
      #expect(try listed.all(sql) { row in (0..<24).map { row.blob($0) } } == rows, "\(sql)")
    }
  }

  @Test func `a migration that the disk stops leaves the old version whole`() async throws {
    try scratch.write(Fixtures.bytes("journal/v1.db"))
    var connection = try Connection(path: scratch.path)
    let pages = try connection.integer("PRAGMA page_count")
    try connection.run("PRAGMA max_page_count = \(pages)")
    #expect(throws: JournalError.self) { try Schema.migrate(connection, from: 1) }
    connection.close()
    connection = try Connection(path: scratch.path)
    #expect(try connection.integer("PRAGMA user_version") == 1)
    #expect(try connection.integer("SELECT count(*) FROM job WHERE length(order_json) > 0") == 3)
    connection.close()
    #expect(try await Journal.open(path: scratch.path).history(limit: 9).count == 4)
  }

  @Test func `a journal of a newer printd is refused and left alone`() async throws {
    let journal = try await Journal.open(path: scratch.path)
    _ = try await journal.make("A")
    try await journal.run("PRAGMA user_version = 5")
    await journal.close()
    let before = try scratch.bytes()
    let error = await journalError { () async throws(JournalError) in
      try await Journal.open(path: scratch.path)
    }
    #expect(error?.code == .storage)
    #expect(error?.message.contains("newer printd (schema 5; this one knows up to 4)") == true)
    #expect(try scratch.bytes() == before)
  }

  @Test func `another program's database is refused and left alone`() async throws {
    try scratch.write([], to: "journal.db")
    let foreign = try Connection(path: scratch.path)
    try foreign.script("CREATE TABLE contacts (name TEXT)")
    foreign.close()
    let before = try scratch.bytes()
    let error = await journalError { () async throws(JournalError) in
      try await Journal.open(path: scratch.path)
    }
    #expect(error?.message.contains("database of another program") == true)
    #expect(try scratch.bytes() == before)
  }
}

extension Journal {
  func number(_ sql: String) throws(JournalError) -> Int64 {
    try reading { connection throws(JournalError) in try connection.integer(sql) }
  }

  fileprivate func tables() throws(JournalError) -> [String] {
    try reading { connection throws(JournalError) in
      try connection.all("SELECT name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name") {
        $0.text(0)
      }
    }
  }
}
