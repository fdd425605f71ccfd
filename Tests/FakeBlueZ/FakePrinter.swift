public import ESCPOS
import Threads

/// The printer behind a device: a buffer of so many bytes that is printed at a rate.
///
/// A command that finds no room is lost in part, as it is in life; a request is answered when there is room. Time is the
/// clock's: with a manual clock nothing is printed until the test moves it.
public final class FakePrinter: Sendable {
  /// What it does.
  public struct Script: Sendable {
    /// Bytes that it holds beside what it prints; nil for a buffer without end.
    public var capacity: Int?
    /// Bytes printed in a second; nil for at once, 0 for a printer that stalls.
    public var rate: Int?
    /// Prints no more than so many bytes in all, as when the paper ends; nil for no end.
    public var stallsAt: Int?
    /// Whether what is in the buffer is lost when the link goes down.
    public var discardsOnDisconnect = true
    /// What it says to the status commands among what it gets.
    public var status: FakeStatus? = FakeStatus()

    /// Creates a printer with a buffer without end that prints at once.
    public init() {}
  }

  private struct State {
    var script: Script
    var buffer: [UInt8] = []
    var printed: [UInt8] = []
    var lost = 0
    /// Requests that wait for room.
    var waiting: [(bytes: [UInt8], done: @Sendable () -> Void)] = []
    var printedUntil: BootInstant
    var wake: Task<Void, Never>?
    var listeners: [@Sendable ([UInt8]) -> Void] = []
    var watchers: [(id: Int, tell: CheckedContinuation<Void, Never>)] = []
    var nextID = 0
  }

  private let clock: any BootTimeClock
  private let state: Locked<State>

  /// Creates a printer.
  public init(clock: any BootTimeClock, _ script: Script = Script()) {
    self.clock = clock
    state = Locked(State(script: script, printedUntil: clock.now))
  }

  deinit { state.withLock { $0.wake?.cancel() } }

  /// Sets what it does from now on.
  public func script(_ change: (inout Script) -> Void) {
    step { state in change(&state.script) }
  }

  /// What is on paper.
  public var printed: [UInt8] {
    step { _ in }
    return state.withLock { $0.printed }
  }

  /// What is in the buffer.
  public var buffered: [UInt8] {
    step { _ in }
    return state.withLock { $0.buffer }
  }

  /// How many bytes found no room, or were discarded.
  public var lost: Int { state.withLock { $0.lost } }

  /// Returns once a request waits for room, or when the task is cancelled, as by the time limit of the test.
  public func holdsRequest() async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { tell in
        state.withLock { state in
          if state.waiting.isEmpty, !Task.isCancelled {
            state.watchers.append((id, tell))
          } else {
            tell.resume()
          }
        }
      }
    } onCancel: {
      let tell = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard let place = state.watchers.firstIndex(where: { $0.id == id }) else { return nil }
        return state.watchers.remove(at: place).tell
      }
      tell?.resume()
    }
  }

  /// Takes bytes that have come over the air; with `whenRoom` they wait for room, and it is called when they are in.
  func take(_ bytes: [UInt8], whenRoom: (@Sendable () -> Void)?) {
    step { state in
      if let whenRoom {
        state.waiting.append((bytes, whenRoom))
      } else {
        let room = state.script.capacity.map { max(0, $0 - state.buffer.count) } ?? bytes.count
        state.buffer += bytes.prefix(room)
        state.lost += max(0, bytes.count - room)
        Self.hear(bytes.prefix(room), &state)
      }
    }
  }

  func listen(_ listener: @escaping @Sendable ([UInt8]) -> Void) {
    state.withLock { $0.listeners = [listener] }
  }

  /// Nobody hears it any more, and requests are forgotten.
  func linkIsDown() {
    step { state in
      state.waiting = []
      state.listeners = []
      guard state.script.discardsOnDisconnect else { return }
      state.lost += state.buffer.count
      state.buffer = []
      state.script.status?.forget()
    }
  }

  /// What it said in the meantime, to be sent outside the lock.
  private struct Effects {
    var done: [@Sendable () -> Void] = []
    var said: [UInt8] = []
    var listeners: [@Sendable ([UInt8]) -> Void] = []
  }

  /// Lets time pass, changes something, and does what follows from both.
  private func step(_ change: (inout State) -> Void) {
    let effects = state.withLock { state -> Effects in
      var effects = Effects()
      Self.print(&state, until: clock.now, &effects)
      change(&state)
      Self.print(&state, until: clock.now, &effects)
      effects.said += state.script.status?.takeImmediate() ?? []
      effects.listeners = state.listeners
      if !state.waiting.isEmpty {
        for watcher in state.watchers { watcher.tell.resume() }
        state.watchers = []
      }
      plan(&state)
      return effects
    }
    for done in effects.done { done() }
    if !effects.said.isEmpty { for listener in effects.listeners { listener(effects.said) } }
  }

  /// Real-time commands are answered as they come in.
  private static func hear(_ bytes: ArraySlice<UInt8>, _ state: inout State) {
    state.script.status?.arrived(bytes)
  }

  private static func print(_ state: inout State, until now: BootInstant, _ effects: inout Effects) {
    let elapsed = Double(now.nanoseconds - state.printedUntil.nanoseconds) / 1e9
    var count = state.buffer.count
    if let rate = state.script.rate {
      count = min(count, Int(elapsed * Double(rate)))
      // What is left of a byte's time stays for the next.
      if rate > 0, count < state.buffer.count {
        state.printedUntil = state.printedUntil.advanced(by: .seconds(Double(count) / Double(rate)))
      } else {
        state.printedUntil = now
      }
    } else {
      state.printedUntil = now
    }
    if let end = state.script.stallsAt { count = min(count, max(0, end - state.printed.count)) }
    let bytes = state.buffer.prefix(count)
    state.printed += bytes
    effects.said += state.script.status?.printed(bytes) ?? []
    state.buffer.removeFirst(count)
    while let next = state.waiting.first, hasRoom(state, next.bytes.count) {
      state.waiting.removeFirst()
      state.buffer += next.bytes
      hear(next.bytes[...], &state)
      effects.done.append(next.done)
      if state.script.rate == nil { return print(&state, until: now, &effects) }
    }
  }

  /// More than the whole buffer goes in when that is empty.
  private static func hasRoom(_ state: borrowing State, _ count: Int) -> Bool {
    guard let capacity = state.script.capacity else { return true }
    return state.buffer.isEmpty || state.buffer.count + count <= capacity
  }

  /// Sets the clock for when the buffer has room for what waits, or is empty.
  private func plan(_ state: inout State) {
    state.wake?.cancel()
    state.wake = nil
    guard let rate = state.script.rate, rate > 0, !state.buffer.isEmpty else { return }
    var count = state.buffer.count
    if let next = state.waiting.first, let capacity = state.script.capacity {
      count = min(count, max(1, count + next.bytes.count - capacity))
    }
    let time = state.printedUntil.advanced(by: .seconds(Double(count) / Double(rate))).advanced(
      by: .nanoseconds(1_000))
    state.wake = Task { [clock, weak self] in
      do { try await clock.sleep(until: time, tolerance: nil) } catch { return }
      self?.step { _ in }
    }
  }
}
