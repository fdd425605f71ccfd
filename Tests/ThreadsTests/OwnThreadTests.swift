import Glibc
import Testing
import Threads

@Suite("A thread of its own", .timeLimit(.minutes(1)))
struct OwnThreadTests {
  @Test("takes no signal but those of its own faults, and leaves the mask of who starts it")
  func signals() async throws {
    let blocked = Slot<[Int32]>()
    let before = Self.blocked
    try OwnThread.start { blocked.settle(Self.blocked) }
    #expect(Self.blocked == before)
    let faults = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    // These two nobody can block (signal(7)).
    let others = (1..<32).filter { !faults.contains($0) && ![SIGKILL, SIGSTOP].contains($0) }
    #expect(await blocked.value == others)
  }

  /// The signals of POSIX that the thread which asks does not take.
  private static var blocked: [Int32] {
    var mask = sigset_t()
    pthread_sigmask(SIG_SETMASK, nil, &mask)
    return (1..<32).filter { sigismember(&mask, $0) == 1 }
  }
}
