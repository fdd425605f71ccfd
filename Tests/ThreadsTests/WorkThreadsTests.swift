import Dispatch
import Glibc
import Testing
import Threads

@Suite("Threads for what blocks", .timeLimit(.minutes(1)))
struct WorkThreadsTests {
  @Test("work that hangs leaves the threads of tasks alone, however much of it there is")
  func hanging() async {
    let gate = DispatchSemaphore(value: 0)
    let threads = WorkThreads()
    // More than Dispatch has threads.
    let count = 300
    await withTaskGroup { group in
      for _ in 0..<count { group.addTask { await threads.run { gate.wait() } } }
      group.addTask {
        for _ in 0..<count { gate.signal() }
      }
    }
  }

  @Test("a thread that is kept does all that comes piece after piece, and more come and go with more work")
  func kept() async {
    let threads = WorkThreads(keeping: 1)
    var made = pthread_key_t()
    #expect(pthread_key_create(&made, nil) == 0)
    let key = made
    func isMarked() async -> Bool { await threads.run { pthread_getspecific(key) != nil } }
    await threads.run { _ = pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }
    // Its caller may go on before it rests, and a second one be made for the next piece.
    while await !isMarked() {}
    for _ in 0..<100 {
      let gate = DispatchSemaphore(value: 0)
      await withTaskGroup { group in
        // Three wait for the fourth, so all are done at once.
        for _ in 0..<3 { group.addTask { await threads.run { gate.wait() } } }
        group.addTask { await threads.run { for _ in 0..<3 { gate.signal() } } }
      }
    }
    await confirmation(expectedCount: 50) { done in
      await withTaskGroup { group in
        for _ in 0..<50 { group.addTask { await threads.run { done() } } }
      }
    }
  }

  @Test("no more is done at once than the limit says, and as much as it says", arguments: [1, 3])
  func limit(_ limit: Int) async {
    struct Room {
      var present = 0
      var most = 0
    }
    let room = Locked(Room())
    let threads = WorkThreads(atMost: limit)
    let full = DispatchSemaphore(value: 0)
    // As many as may be busy at once wait for one another.
    for _ in 0..<limit {
      threads.start {
        let isFull = room.withLock { room in
          room.present += 1
          room.most = max(room.most, room.present)
          return room.present == limit
        }
        if isFull { for _ in 0..<limit { full.signal() } }
        full.wait()
        room.withLock { $0.present -= 1 }
      }
    }
    await withTaskGroup { group in
      for _ in 0..<100 {
        group.addTask {
          await threads.run {
            room.withLock { room in
              room.present += 1
              room.most = max(room.most, room.present)
            }
            room.withLock { $0.present -= 1 }
          }
        }
      }
    }
    #expect(room.withLock(\.most) == limit)
  }

  @Test("with one thread, work is done in the order in which it came, also after a rest")
  func order() async {
    let done = Locked<[Int]>([])
    let threads = WorkThreads(atMost: 1)
    for rest in 0..<50 {
      for number in 0..<10 { threads.start { done.withLock { $0.append(rest * 10 + number) } } }
      await threads.run {}
    }
    #expect(done.withLock(\.self) == Array(0..<500))
  }

  @Test("an alarm ends the wait, and what the work returns after it is not lost")
  func alarm() async {
    let gate = DispatchSemaphore(value: 0)
    let late = Slot<String>()
    let threads = WorkThreads()
    let value = await threads.run(unless: { "alarm" }, discard: { late.settle($0) }) {
      gate.wait()
      return "work"
    }
    #expect(value == "alarm")
    #expect(!late.isSettled)
    gate.signal()
    #expect(await late.value == "work")
  }

  @Test("work that is first ends the alarm, and nothing is discarded")
  func first() async {
    let ended = Slot<Void>()
    let value = await WorkThreads().run(
      unless: {
        await cancellation()
        ended.settle(())
        return "alarm"
      }, discard: { Issue.record("\($0) was discarded") }
    ) { "work" }
    #expect(value == "work")
    await ended.value
  }

  @Test("a task that is called off does not wait for its work")
  func calledOff() async {
    let (begun, gate) = (Slot<Void>(), DispatchSemaphore(value: 0))
    let waiting = Task {
      await WorkThreads().run(
        unless: {
          await cancellation()
          return "called off"
        }
      ) {
        begun.settle(())
        gate.wait()
        return "work"
      }
    }
    await begun.value
    waiting.cancel()
    #expect(await waiting.value == "called off")
    gate.signal()
  }
}

/// Returns when the task is cancelled.
private func cancellation() async {
  let cancelled = Slot<Void>()
  await withTaskCancellationHandler {
    await cancelled.value
  } onCancel: {
    cancelled.settle(())
  }
}
