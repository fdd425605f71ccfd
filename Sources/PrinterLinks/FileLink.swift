import ESCPOS
import Glibc
import Threads

/// A link that appends to a regular file; the disk is written on a thread that may wait for it.
final class FileLink: PrinterLink, Sendable {
  private struct State {
    var accepted = 0
    var isOpen = true
  }

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
    if state.withLock({ $0.isOpen }) { _ = Glibc.close(descriptor) }
  }

  var bytesAccepted: Int { state.withLock { $0.accepted } }
  var hasBackChannel: Bool { false }

  func send(_ bytes: ArraySlice<UInt8>, by deadline: BootInstant) async throws(LinkError) {
    try await onDisk(by: deadline) { [self] in
      var rest = bytes
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { raw in retrying { write(descriptor, raw.baseAddress, raw.count) } }
        guard count >= 0 else { return SystemError.last }
        state.withLock { $0.accepted += count }
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

  func close() async {
    await disk.run { [self] in
      let wasOpen = state.withLock { state in
        defer { state.isOpen = false }
        return state.isOpen
      }
      if wasOpen { _ = Glibc.close(descriptor) }
    }
  }

  private func onDisk(
    by deadline: BootInstant, _ call: @escaping @Sendable () -> SystemError?
  ) async throws(LinkError) {
    if Task.isCancelled { throw LinkError(.cancelled, "the task was cancelled") }
    guard clock.now < deadline else { throw LinkError(.deadline, "\(path): not written in time") }
    let failure = await disk.run { [self] () -> LinkError? in
      guard state.withLock({ $0.isOpen }) else { return LinkError(.lost, "\(path): the link is closed") }
      return call()?.using(path)
    }
    if let failure { throw failure }
  }
}
