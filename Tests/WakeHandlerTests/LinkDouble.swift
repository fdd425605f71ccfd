import ESCPOS
import Synchronization

/// A link that carries nothing by itself; what goes over it is the conversation's business.
final class LinkDouble: PrinterLink, Sendable {
  private struct State {
    var isClosed = false
    var isGone = false
    var nextID = 0
    var readers: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())
  private let closing: @Sendable () -> Void

  init(closing: @escaping @Sendable () -> Void) { self.closing = closing }

  let bytesAccepted = 0
  let hasBackChannel = true
  func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {}

  /// Says nothing until the link goes or the reader does.
  func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        state.withLock { state in
          if state.isGone || Task.isCancelled { reader.resume() } else { state.readers[id] = reader }
        }
      }
    } onCancel: {
      state.withLock { $0.readers.removeValue(forKey: id) }?.resume()
    }
    if Task.isCancelled { throw LinkError(.cancelled, "cancelled") }
    throw LinkError(.lost, "the printer is gone")
  }

  func flush(by deadline: BootInstant) async throws(LinkError) {}

  func go() {
    let readers = state.withLock { state in
      state.isGone = true
      defer { state.readers = [:] }
      return state.readers.values
    }
    for reader in readers { reader.resume() }
  }

  func close() async {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if isFirst { closing() }
    go()
  }
}
