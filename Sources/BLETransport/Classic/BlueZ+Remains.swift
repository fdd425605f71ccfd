import ESCPOS

extension BlueZ {
  /// How long the kernel keeps the connection that was under a closed RFCOMM link: 2 s for the session
  /// (`RFCOMM_IDLE_TIMEOUT`), 2 s for the connection (`HCI_DISCONN_TIMEOUT`), and as much again.
  static let remainTime = Duration.seconds(8)

  /// Whether the connection under an RFCOMM link that is about to be opened will be ours: nobody had made one before us, or
  /// it is what our last link has left.
  func willBeOurs(_ printer: BluetoothPrinter, on adapter: Adapter) -> Bool {
    guard tree.device(printer.address, on: adapter.path)?.connected == true else { return true }
    let entry = serialPorts.memory[printer.address]
    guard entry.isOurs else { return false }
    return entry.closed.map { clock.now < $0.advanced(by: Self.remainTime) } ?? false
  }

  /// A link of ours is closed.
  func hasClosed(_ printer: BluetoothPrinter, _ number: Int, on adapter: String, at closed: BootInstant) {
    release(number, of: printer.address)
    endRemains(of: printer, on: adapter, since: closed)
  }

  /// Ends the connection that was under a link of ours when it has outlived it, so that a phone can have the printer.
  ///
  /// bluetoothd may be reading the printer's records over it, without a limit, and some printers never tell them.
  ///
  /// - Parameter closed: When the link was closed; if another was opened since, that one's end counts.
  private func endRemains(of printer: BluetoothPrinter, on adapter: String, since closed: BootInstant) {
    guard serialPorts.memory[printer.address].isOurs else { return }
    let (clock, end) = (clock, closed.advanced(by: Self.remainTime))
    Task { [weak self] in
      try? await clock.sleep(until: end, tolerance: nil)
      await self?.endRemainsNow(of: printer, on: adapter, since: closed)
    }
  }

  /// - Returns: Whether there was any.
  @discardableResult
  func endRemainsNow(of printer: BluetoothPrinter, on adapter: String, since closed: BootInstant) -> Bool {
    let entry = serialPorts.memory[printer.address]
    guard !isHeld(printer.address), entry.closed == closed, entry.isOurs,
      !leftovers.isOnLoan(printer.address, at: clock.now),
      let device = tree.device(printer.address, on: adapter), device.connected,
      parted[device.path] != .going, !links.values.contains(where: { $0.device == device.path })
    else { return false }
    note("\(printer.title): its connection has outlived our link, and is ended")
    part(device.path)
    return true
  }
}
