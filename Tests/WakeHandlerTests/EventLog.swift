import Synchronization
import Testing

/// What happened, in order, in words; tests wait for words instead of sleeping.
final class EventLog: Sendable {
  private struct Waiter {
    var id: Int
    var word: String
    var count: Int
    var tell: CheckedContinuation<Void, Never>
  }

  private struct State {
    var words: [String] = []
    var waiters: [Waiter] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  var words: [String] { state.withLock(\.words) }

  func count(of word: String) -> Int { state.withLock { $0.words.count { $0 == word } } }

  /// Where `word` stands first, or nil.
  func place(of word: String) -> Int? { state.withLock { $0.words.firstIndex(of: word) } }

  func say(_ word: String) {
    let told = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.words.append(word)
      let count = state.words.count { $0 == word }
      let told = state.waiters.filter { $0.word == word && $0.count <= count }.map(\.tell)
      state.waiters.removeAll { $0.word == word && $0.count <= count }
      return told
    }
    for waiter in told { waiter.resume() }
  }

  /// Returns once `word` has been said `count` times, or the test's time is over, which fails it.
  func until(_ word: String, _ count: Int = 1) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { tell in
        let already = state.withLock { state in
          if Task.isCancelled || state.words.count(where: { $0 == word }) >= count { return true }
          state.waiters.append(Waiter(id: id, word: word, count: count, tell: tell))
          return false
        }
        if already { tell.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let place = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return state.waiters.remove(at: place)
      }
      guard let waiter else { return }
      Issue.record("\"\(word)\" was not said \(count) times: \(words)")
      waiter.tell.resume()
    }
  }
}
