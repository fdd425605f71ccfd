import ESCPOS
import Glibc
import Threads

/// A link that appends to a regular file; the disk is written on a thread that may wait for it.
///
/// A disk may hang for as long as it likes (a network's, a stick that fails), and a call to it cannot be called off. So each
/// has its deadline; one that is given up goes on behind, and the file is closed after it.
final class FileLink: PrinterLink, Sendable {
  private struct State {
    var accepted = 0
    /// Bytes that the disk has been given and has not taken yet.
    var inHand = 0
    var isOpen = true
    /// Whether a call to the disk was given up; nothing more is written then.
    var isGivenUp = false
  }

  /// How long ``close()`` waits for the disk.
  static let closingTime = Duration.seconds(1)

  private let descriptor: Int32
  private let path: String
  private let clock: any BootTimeClock
  private let state = Locked(State())
  /// Every call on the descriptor runs here, one after the other.
  private let disk = WorkThreads(atMost: 1)

  init(descriptor: Int32, path: String, clock: any BootTimeClock) {
    self.descriptor = descriptor
    self.path = path
    self.clock = clock
  }

  deinit {
    // A call that was given up holds the link until it is over.
    if state.withLock({ $0.isOpen }) { _ = Glibc.close(descriptor) }
  }

  /// Bytes that the disk has taken, and those of a write that was given up: any of them may be in the file later.
  var bytesAccepted: Int { state.withLock { $0.accepted } }
  var hasBackChannel: Bool { false }

  func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    try await onDisk(by: deadline) { [self] in
      var rest = bytes
      while !rest.isEmpty, begin(rest.count) {
        let count = rest.withUnsafeBytes { raw in retrying { write(descriptor, raw.baseAddress, raw.count) } }
        let error = SystemError.last
        took(max(0, count))
        guard count >= 0 else { return error }
        rest = rest.dropFirst(count)
      }
      return nil
    }
  }

  /// A file does not answer: waits for the deadline.
  func receive(by deadline: BootInstant) async throws(LinkError) -> [UInt8] {
    do { try await clock.sleep(until: deadline, tolerance: nil) } catch {
      throw LinkError(.cancelled, "the task was cancelled")
    }
    throw LinkError(.deadline, "\(path): a file does not answer")
  }

  func flush(by deadline: BootInstant) async throws(LinkError) {
    try await onDisk(by: deadline) { [descriptor] in
      retrying { Int(fsync(descriptor)) } == 0 ? nil : SystemError.last
    }
  }

  /// Closes the file, and waits for that while the disk does not hang; also for a caller whose task is cancelled.
  func close() async {
    let wasOpen = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    guard wasOpen else { return }
    if state.withLock({ $0.isGivenUp }) { return disk.start { [descriptor] in _ = Glibc.close(descriptor) } }
    await Task { [disk, clock, descriptor] in
      await disk.run(unless: { try? await clock.sleep(for: Self.closingTime) }) {
        _ = Glibc.close(descriptor)
      }
    }.value
  }

  /// Whether the disk may be given so many bytes.
  private func begin(_ count: Int) -> Bool {
    state.withLock { state in
      guard !state.isGivenUp else { return false }
      state.inHand = count
      return true
    }
  }

  private func took(_ count: Int) {
    state.withLock { state in
      guard !state.isGivenUp else { return }
      state.accepted += count
      state.inHand = 0
    }
  }

  private func giveUp() {
    state.withLock { state in
      state.isGivenUp = true
      state.accepted += state.inHand
      state.inHand = 0
    }
  }

  private func onDisk(
    by deadline: BootInstant, _ call: @escaping @Sendable () -> SystemError?
  ) async throws(LinkError) {
    if Task.isCancelled { throw LinkError(.cancelled, "the task was cancelled") }
    let late = "\(path): not written in time"
    guard clock.now < deadline else { throw LinkError(.deadline, late) }
    guard state.withLock({ !$0.isGivenUp }) else {
      throw LinkError(.lost, "\(path): the disk has not answered since the last write")
    }
    let end = await disk.run(unless: { [clock] in .givenUp(await clock.end(of: deadline, late)) }) {
      [self] () -> DiskEnd in
      // Closed is closed from the call on; the descriptor's number may be another's then.
      guard state.withLock({ $0.isOpen }) else {
        return .failed(LinkError(.lost, "\(path): the link is closed"))
      }
      return call().map { .failed($0.using(path)) } ?? .done
    }
    switch end {
    case .done: return
    case .failed(let error): throw error
    case .givenUp(let error):
      giveUp()
      throw error
    }
  }

  /// How a call to the disk has ended.
  private enum DiskEnd: Sendable {
    case done
    case failed(LinkError)
    /// It goes on, and nobody waits for it any more.
    case givenUp(LinkError)
  }
}
