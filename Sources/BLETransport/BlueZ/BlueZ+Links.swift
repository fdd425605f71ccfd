import DBus
import ESCPOS
import Threads

/// How far the end of a connection has come.
enum Parting: Equatable {
  /// bluetoothd has been asked.
  case going
  /// It is over since then.
  case gone(BootInstant)
}

extension BlueZ {
  /// How long bluetoothd may take to disconnect a device; two seconds are its own.
  private static let partingTime = Duration.seconds(10)
  /// How long a printer is left alone after its link has ended; many do not listen before, and the kernel answers `EBUSY`.
  private static let restTime = Duration.milliseconds(500)

  /// Ends a link that its owner has closed; returns at once.
  func close(_ link: GATTLink) {
    links[link.number] = nil
    if let notifier = link.notifier, listeners[notifier]?.link == link.number {
      listeners[notifier] = nil
      let deadline = clock.now.advanced(by: Self.partingTime)
      if !link.isOurConnection, link.hasBackChannel {
        Task { try? await call(notifier, BlueZName.gattCharacteristic, "StopNotify", by: deadline) }
      }
    }
    // What is connected after the end of our connection is another program's.
    let isOurs = link.state.withLock { $0.isOurConnection && !$0.isConnectionOver }
    if isOurs, tree.devices[link.device]?.connected == true {
      part(link.device) {
        let deadline = link.clock.now.advanced(by: GATTLink.closingTime)
        try? await link.flush(by: deadline, isClosing: true)
      }
    }
    // After it, so that the next link waits for the end of this connection.
    if !renewing.contains(link.number) { release(link.number, of: link.printer.address) }
  }

  /// Disconnects a device in the background, `first` being done before; the next opening waits for it.
  func part(_ device: String, after first: @escaping @Sendable () async -> Void = {}) {
    parted[device] = .going
    let asked = owner
    Task {
      await first()
      let deadline = clock.now.advanced(by: Self.partingTime)
      _ = try? await call(device, BlueZName.device, "Disconnect", by: deadline)
      _ = try? await wait(by: deadline) { $0.tree.devices[device]?.connected != true }
      guard owner == asked else { return }
      parted[device] = .gone(clock.now)
      bell.ring()
    }
  }

  /// Waits until a device that we have disconnected may be connected again.
  func settle(_ device: String, by deadline: BootInstant) async throws(LinkError) {
    guard parted[device] != nil else { return }
    let isOver = try await wait(by: deadline) { $0.parted[device] != .going }
    guard isOver else { throw LinkError(.deadline, "the printer's last link was not ended in time") }
    guard case .gone(let since)? = parted[device] else { return }
    let end = min(deadline, since.advanced(by: Self.restTime))
    do { try await clock.sleep(until: end, tolerance: nil) } catch { throw .cancelled }
    parted[device] = nil
  }
}
