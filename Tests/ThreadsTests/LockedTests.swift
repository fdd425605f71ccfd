import Dispatch
import Testing
import Threads

@Suite("A lock around a value")
struct LockedTests {
  private struct Room {
    var isTaken = false
    var guests = 0
    var collisions = 0
  }

  @Test("no two threads have the value at once, and none of their changes is lost")
  func exclusion() {
    let room = Locked(Room())
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 {
        room.withLock { room in
          if room.isTaken { room.collisions += 1 }
          room.isTaken = true
          room.guests += 1
          room.isTaken = false
        }
      }
    }
    #expect(room.withLock(\.guests) == 160_000)
    #expect(room.withLock(\.collisions) == 0)
  }
}
