import FakeBlueZ
import Glibc
import PrintTestKit
import Testing

/// The time limit of a test cancels its task; what does not end then makes the whole run hang.
@Suite("What a test waits for in vain ends with the test", .timeLimit(.minutes(1)))
struct CalledOffTests {
  @Test("a call that does not come is an issue that names it, and what came instead", arguments: [1, 2])
  func call(times: Int) async throws {
    let fake = try await FakeBlueZ()
    let adapter = fake.addAdapter()
    let client = try await Client(fake)
    _ = try await client.call(adapter.path, "Adapter1", "StartDiscovery")
    await fake.called("StartDiscovery")
    await withKnownIssue {
      let waiting = Task { await fake.called("StopDiscovery", times: times) }
      waiting.cancel()
      await waiting.value
    } matching: { issue in
      issue.comments.map(\.rawValue) == ["StopDiscovery was not called \(times) times: [\"StartDiscovery\"]"]
        && issue.sourceLocation?.fileID == #fileID
    }
  }

  @Test("one that has come is none, although the test is over")
  func came() async throws {
    let fake = try await FakeBlueZ()
    let adapter = fake.addAdapter()
    let client = try await Client(fake)
    _ = try await client.call(adapter.path, "Adapter1", "StartDiscovery")
    let waiting = Task { await fake.called("StartDiscovery") }
    waiting.cancel()
    await waiting.value
  }

  @Test("a program that does not end is killed")
  func program() async throws {
    let program = try ChildProcess("sleep", ["infinity"])
    let waiting = Task { await program.end }
    waiting.cancel()
    #expect(await waiting.value == .signal(SIGKILL))
    #expect(await program.end == .signal(SIGKILL))
  }

  @Test("a daemon's message that does not come is none")
  func message() async throws {
    let folder = try TemporaryFolder()
    let socket = try NotifySocket(path: folder.path("notify.sock"))
    let waiting = Task { await socket.heard("READY=1") }
    waiting.cancel()
    #expect(await waiting.value == false)
  }

  @Test("a printer with room for all that comes is waited for no more")
  func printer() async throws {
    let printer = FakePrinter(clock: ManualClock())
    let waiting = Task { await printer.holdsRequest() }
    waiting.cancel()
    await waiting.value
  }

  @Test("a clock that nobody sleeps on is waited for no more")
  func clock() async throws {
    let clock = ManualClock()
    let waiting = Task { await clock.sleepers(atLeast: 1) }
    waiting.cancel()
    await waiting.value
  }
}
