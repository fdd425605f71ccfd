import ESCPOS
import Synchronization

/// A link in memory whose far end is a closure: what it is told to answer, it answers, in pieces as small as asked.
///
/// It stands in for faults that a real printer cannot be told to make at a given byte.
final class ConversationLink: PrinterLink, Sendable {
  private struct State {
    var taken: [UInt8] = []
    var room = Int.max
    var lostAt = Int.max
    var inbox: [[UInt8]] = []
    var loss: LinkError?
    var receiver: (id: Int, tell: CheckedContinuation<[UInt8]?, Never>)?
    var nextID = 0
    var idlers: [CheckedContinuation<Void, Never>] = []
    var watchers: [(count: Int, tell: CheckedContinuation<Void, Never>)] = []
    var flushes = 0
    var expected: [Int] = []
    var trusts = 0
    var proofs: [Int] = []
    var sends: [(bytes: [UInt8], isAhead: Bool)] = []
  }

  private let state = Mutex(State())
  private let clock: any BootTimeClock
  private let answer: @Sendable (_ sent: [UInt8], _ all: [UInt8]) -> [[UInt8]]
  let hasBackChannel: Bool
  let proofWindow: Int?
  let writeLimit: Int?

  /// Creates a link; `answer` gets what one send carried and all that was sent so far, and returns the pieces that come
  /// back.
  init(
    clock: any BootTimeClock, hasBackChannel: Bool = true, proofWindow: Int? = nil, writeLimit: Int? = nil,
    answer: @escaping @Sendable (_ sent: [UInt8], _ all: [UInt8]) -> [[UInt8]] = { _, _ in [] }
  ) {
    self.clock = clock
    self.hasBackChannel = hasBackChannel
    self.proofWindow = proofWindow
    self.writeLimit = writeLimit
    self.answer = answer
  }

  var taken: [UInt8] { state.withLock { $0.taken } }
  var bytesAccepted: Int { state.withLock { $0.taken.count } }
  var flushes: Int { state.withLock { $0.flushes } }
  /// Where the proofs that were told of stand, and those that have come, in bytes since the opening.
  var expected: [Int] { state.withLock { $0.expected } }
  var proofs: [Int] { state.withLock { $0.proofs } }

  /// What each call was given, and whether it need not have waited for the peer's word.
  var sends: [(bytes: [UInt8], isAhead: Bool)] { state.withLock { $0.sends } }

  /// How often it was told that the printer had taken all before a job.
  var trusts: Int { state.withLock { $0.trusts } }

  func trustProofs() { state.withLock { $0.trusts += 1 } }
  func expectProof(of position: Int, askedBy end: Int) { state.withLock { $0.expected.append(position) } }
  func prove(upTo position: Int) { state.withLock { $0.proofs.append(position) } }

  /// Takes no more than `count` bytes from now on in all, then stalls.
  func stall(after count: Int) { state.withLock { $0.room = count } }

  /// Takes `count` bytes in all, then is gone.
  func lose(after count: Int) { state.withLock { $0.lostAt = count } }

  /// Lets bytes come from the printer.
  func say(_ bytes: [UInt8]) { deliver([bytes]) }

  func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    try await take(bytes, isAhead: false, by: deadline)
  }

  func sendAhead(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    try await take(bytes, isAhead: true, by: deadline)
  }

  private func take(
    _ bytes: ArraySlice<UInt8>, isAhead: Bool, by deadline: BootInstant
  ) async throws(LinkError) {
    let (sent, all, lost) = state.withLock { state -> ([UInt8], [UInt8], Bool) in
      let room = max(0, min(state.room, state.lostAt) - state.taken.count)
      let sent = Array(bytes.prefix(room))
      state.sends.append((Array(bytes), isAhead))
      state.taken += sent
      return (sent, state.taken, state.lostAt <= state.taken.count && sent.count < bytes.count)
    }
    deliver(answer(sent, all))
    let watchers = state.withLock { state in
      let told = state.watchers.filter { $0.count <= state.taken.count }
      state.watchers.removeAll { $0.count <= state.taken.count }
      return told
    }
    for watcher in watchers { watcher.tell.resume() }
    if lost {
      let loss = LinkError(.lost, "the printer is gone")
      end(loss)
      throw loss
    }
    guard sent.count < bytes.count else { return }
    do {
      try await clock.sleep(until: deadline, tolerance: nil)
    } catch {
      throw LinkError(.cancelled, "cancelled")
    }
    throw LinkError(.deadline, "the printer takes nothing")
  }

  func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let bytes = await withTaskCancellationHandler {
      await withCheckedContinuation { (tell: CheckedContinuation<[UInt8]?, Never>) in
        state.withLock { state in
          if !state.inbox.isEmpty {
            tell.resume(returning: state.inbox.removeFirst())
          } else if state.loss != nil || Task.isCancelled {
            tell.resume(returning: nil)
          } else {
            state.receiver = (id, tell)
            for idler in state.idlers { idler.resume() }
            state.idlers.removeAll()
          }
        }
      }
    } onCancel: {
      state.withLock { state in
        guard state.receiver?.id == id else { return }
        state.receiver?.tell.resume(returning: nil)
        state.receiver = nil
      }
    }
    if let bytes { return bytes }
    throw state.withLock { $0.loss } ?? LinkError(.cancelled, "cancelled")
  }

  func flush(by deadline: BootInstant) async throws(LinkError) {
    state.withLock { $0.flushes += 1 }
  }

  func close() async { end(LinkError(.lost, "closed")) }

  /// Returns once everything said has been heard.
  func heard() async {
    await withCheckedContinuation { tell in
      state.withLock { state in
        if (state.inbox.isEmpty && state.receiver != nil) || state.loss != nil || !hasBackChannel {
          tell.resume()
        } else {
          state.idlers.append(tell)
        }
      }
    }
  }

  /// Returns once `count` bytes have been taken in all.
  func taken(atLeast count: Int) async {
    await withCheckedContinuation { tell in
      state.withLock { state in
        if state.taken.count >= count { tell.resume() } else { state.watchers.append((count, tell)) }
      }
    }
  }

  private func deliver(_ pieces: [[UInt8]]) {
    state.withLock { state in
      state.inbox += pieces.filter { !$0.isEmpty }
      guard let receiver = state.receiver, !state.inbox.isEmpty else { return }
      state.receiver = nil
      receiver.tell.resume(returning: state.inbox.removeFirst())
    }
  }

  private func end(_ loss: LinkError) {
    state.withLock { state in
      state.loss = loss
      state.receiver?.tell.resume(returning: nil)
      state.receiver = nil
      for idler in state.idlers { idler.resume() }
      state.idlers.removeAll()
    }
  }
}
