import Synchronization

/// What happened, in order, in words; tests wait for words instead of sleeping.
final class EventLog: Sendable {
  private struct State {
    var words: [String] = []
    var waiters: [(word: String, count: Int, tell: CheckedContinuation<Void, Never>)] = []
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

  /// Returns once `word` has been said `count` times.
  func until(_ word: String, _ count: Int = 1) async {
    await withCheckedContinuation { tell in
      let already = state.withLock { state in
        if state.words.count(where: { $0 == word }) >= count { return true }
        state.waiters.append((word, count, tell))
        return false
      }
      if already { tell.resume() }
    }
  }
}
