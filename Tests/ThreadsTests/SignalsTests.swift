import Glibc
import Testing
import Threads

@Suite("Signals", .serialized, .timeLimit(.minutes(1)))
struct SignalsTests {
  @Test("A signal that comes at once is not lost, and does not end the process")
  func atOnce() async {
    for _ in 0..<200 {
      let arrivals = Signals.arrivals(of: [SIGUSR1])
      kill(getpid(), SIGUSR1)
      var iterator = arrivals.makeAsyncIterator()
      #expect(await iterator.next() == SIGUSR1)
    }
  }

  @Test("Each who listens hears what it listens to, in order, and nothing else")
  func several() async {
    let both = Signals.arrivals(of: [SIGUSR1, SIGUSR2])
    let second = Signals.arrivals(of: [SIGUSR2])
    kill(getpid(), SIGUSR1)
    var first = both.makeAsyncIterator()
    #expect(await first.next() == SIGUSR1)
    kill(getpid(), SIGUSR2)
    #expect(await first.next() == SIGUSR2)
    var other = second.makeAsyncIterator()
    #expect(await other.next() == SIGUSR2)
  }

  @Test("A sequence that nobody holds any more hears nothing")
  func forgotten() async {
    do { _ = Signals.arrivals(of: [SIGUSR2]) }
    let arrivals = Signals.arrivals(of: [SIGUSR1])
    kill(getpid(), SIGUSR2)
    kill(getpid(), SIGUSR1)
    var iterator = arrivals.makeAsyncIterator()
    #expect(await iterator.next() == SIGUSR1)
  }
}
