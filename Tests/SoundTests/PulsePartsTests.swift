import Testing

@testable import Sound

/// What is made of libpulse and needs no server.
struct PulsePartsTests {
  @Test("A sound is given in whole frames: at first as much as the server can hold, then what it asks for")
  func feed() {
    var feed = PulseFeed(length: 1000, frame: 4)
    #expect(!feed.hasGap, "nothing has begun")
    feed.isOpen = true
    #expect(feed.hasGap && !feed.isOver)
    #expect(feed.next(room: 30, capacity: 800) == 0..<400)
    #expect(feed.next(room: 402, capacity: 0) == 0..<400)
    #expect(feed.next(room: 3, capacity: 7).isEmpty)
    feed.took(0..<400)
    #expect(feed.next(room: 33, capacity: 10_000) == 400..<432)
    #expect(feed.next(room: 10_000, capacity: 0) == 400..<1000)
    feed.took(400..<1000)
    #expect(feed.isOver && !feed.hasGap)
    #expect(feed.next(room: 10_000, capacity: 10_000).isEmpty)
  }

  @Test("A frame is never parted, and a sound without channels does not stop the feeding")
  func frames() {
    #expect(PulseFeed(length: 10, frame: 0).next(room: 7, capacity: 0) == 0..<7)
    #expect(PulseFeed(length: 0, frame: 4).isOver)
  }

  @Test(
    "A call gives every item at its end, once, and a server that lists without end is not believed for ever")
  func call() {
    var ends: [Int?] = []
    func fault() -> SoundError { SoundError(.failed, "x") }
    let call = PulseCall { ends.append((try? $0.get())?.count) }
    for _ in 0..<5000 { call.take(0, fault: fault) { .module(name: "a", argument: "") } }
    call.take(0, fault: fault) { nil }
    #expect(ends.isEmpty)
    call.take(1, fault: fault) { nil }
    call.take(1, fault: fault) { nil }
    call.take(-1, fault: fault) { nil }
    #expect(ends == [4096])
    let refused = PulseCall { ends.append((try? $0.get())?.count) }
    refused.take(-1, fault: fault) { nil }
    #expect(ends == [4096, nil])
  }

  @Test("An array of C is read and written no further than it goes, whatever count the other side says")
  func arrays() {
    var array: (UInt32, UInt32, UInt32) = (1, 2, 3)
    #expect(CArray.elements(of: array, count: 2) == [1, 2] as [UInt32])
    #expect(CArray.elements(of: array, count: 255) == [1, 2, 3] as [UInt32])
    #expect(CArray.fill(&array, with: [9, 8] as [UInt32]) == 2)
    #expect(array == (9, 8, 3))
    #expect(CArray.fill(&array, with: [7, 7, 7, 7, 7] as [UInt32]) == 3)
    #expect(array == (7, 7, 7))
    #expect(CArray.fill(&array, with: [] as [UInt32]) == 0)
  }
}
