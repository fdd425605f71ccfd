import PrintTestKit
import Testing

@testable import printd

@Suite("A damaged journal waits for a person's word", .timeLimit(.minutes(2)))
struct DamagedJournalTests {
  @Test("It stops the start, which names the key; with the key it is moved aside, and that is logged")
  func refuseThenMoveAside() async throws {
    let folder = try TemporaryFolder()
    let rig = try await DaemonRig(in: folder, orders: nil)
    await rig.stop()
    try folder.write(
      "this is no database, however long one reads in it: " + String(repeating: "x", count: 8192),
      to: "state/journal.sqlite")
    let refusal = await #expect(throws: DaemonRig.NotReady.self) {
      try await DaemonRig(in: folder, orders: nil)
    }
    #expect(refusal?.description.contains("jobs.damaged_journal") == true)
    let second = try await DaemonRig(
      in: folder, orders: nil, more: #"jobs: {damaged_journal: "move_aside"},"#)
    #expect(second.log.contains("the journal was damaged"))
    #expect(second.log.contains("journal.sqlite.damaged-"))
    await second.stop()
  }

  @Test("Another word for it is refused with the nearest right one")
  func wrongWord() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      #"{jobs: {damaged_journal: "moveaside"}, orders: {directory: "orders"}}"#, to: "printd.json5")
    let failure = #expect(throws: Failure.self) { try ConfigurationFile.load(path) }
    #expect(failure?.message.contains("jobs.damaged_journal") == true)
    #expect(failure?.message.contains("move_aside") == true)
  }
}
