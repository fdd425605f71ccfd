import Dispatch
import Testing
import Threads

@testable import Announcer

@Suite(.timeLimit(.minutes(1)))
struct FewAtATimeTests {
  @Test("Of work that nobody waits for, a disk that hangs holds four threads and no more")
  func few() async {
    let few = FewAtATime()
    let gate = DispatchSemaphore(value: 0)
    for _ in 0..<FewAtATime.most { #expect(few.start { gate.wait() }) }
    #expect(!few.start { gate.wait() })
    for _ in 0..<FewAtATime.most { gate.signal() }
    let done = DispatchSemaphore(value: 0)
    while !few.start({ done.signal() }) { await Task.yield() }
    await WorkThreads.speech.run { done.wait() }
  }
}
