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
}
