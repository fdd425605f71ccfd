import Dispatch
import Testing

@testable import Announcer

@Suite(.timeLimit(.minutes(1)))
struct SpeechQueueTests {
  @Test("Work that hangs leaves the threads of tasks alone, however much of it there is")
  func hanging() async {
    let gate = DispatchSemaphore(value: 0)
    // More than Dispatch has threads.
    let count = 300
    await withTaskGroup { group in
      for _ in 0..<count { group.addTask { await SpeechQueue.run { gate.wait() } } }
      group.addTask {
        for _ in 0..<count { gate.signal() }
      }
    }
  }

  @Test("Of work that nobody waits for, a disk that hangs holds four threads and no more")
  func few() async {
    let few = FewAtATime()
    let gate = DispatchSemaphore(value: 0)
    for _ in 0..<FewAtATime.most { #expect(few.start { gate.wait() }) }
    #expect(!few.start { gate.wait() })
    for _ in 0..<FewAtATime.most { gate.signal() }
    let done = DispatchSemaphore(value: 0)
    while !few.start({ done.signal() }) { await Task.yield() }
    await SpeechQueue.run { done.wait() }
  }
}
