public import ESCPOS

/// Connections of our printers that nobody has a link over, and when they are ended.
///
/// bluetoothd keeps a connection whose maker was killed or has lost the bus, and no phone gets the printer any more.
struct Leftovers {
  /// Our printers: how long a connection that was left behind is kept, for a job that may come.
  var graces: [BluetoothAddress: Duration] = [:]
  /// Printers that other programs have borrowed, by the token of each loan, and until when; their connections are not ours.
  var loans: [BluetoothAddress: [String: BootInstant]] = [:]
  /// When a printer's connection is to be ended, if it still has no link then.
  var due: [BluetoothAddress: BootInstant] = [:]
  /// Printers that have left the configuration, or Low Energy, while they were held: their connections are ours until then.
  var retired: Set<BluetoothAddress> = []

  /// Connections on Classic that our links have made, until they end. Closing an RFCOMM link leaves its connection to the
  /// kernel, which ends it some 4 s later; unless bluetoothd is reading the printer's records over it, without a
  /// limit, and some printers never tell them.
  var made: Set<Made> = []

  /// A connection, by its two ends.
  struct Made: Hashable {
    /// The adapter's object path.
    var adapter: String
    var address: BluetoothAddress
  }

  func isOnLoan(_ address: BluetoothAddress, at now: BootInstant) -> Bool {
    endOfLoans(address).map { now < $0 } ?? false
  }

  func endOfLoans(_ address: BluetoothAddress) -> BootInstant? { loans[address]?.values.max() }
}

extension BlueZ {
  /// How long a connection may outlive an RFCOMM link: the kernel keeps what a printer that stands still has not taken for up to
  /// 40 s (`RFCOMM_DISC_TIMEOUT`, twice), and the connection for 4 s more (`RFCOMM_IDLE_TIMEOUT`,
  /// `HCI_DISCONN_TIMEOUT`).
  static let remainTime = Duration.seconds(46)

  /// How long a connection to a printer is kept without a link; nil when it is not ours to end.
  private func grace(of address: BluetoothAddress) -> Duration? {
    if let grace = leftovers.graces[address] { return grace }
    return leftovers.made.contains { $0.address == address } ? Self.remainTime : nil
  }

  /// A connection has ended, or bluetoothd has forgotten the device.
  func forgetMade(_ device: String) {
    guard let device = tree.devices[device] else { return }
    leftovers.made.remove(Leftovers.Made(adapter: device.adapter, address: device.address))
  }

  /// Makes the connections to these printers ours, also those that are found: they are ended with their link, and without
  /// one after a grace.
  ///
  /// For whoever is the only one to print, as the daemon is. What was connected before is looked at now and each time
  /// that bluetoothd has become known; what other programs connect later is theirs. The connection to the bus is opened
  /// when there is any printer. The connection of a printer that is no longer named is ended, and where the printer is held
  /// (``hold(_:by:)``), with that; no job in hand loses its link, whatever has become of its printer's entry.
  ///
  /// - Parameter graces: The printers on LE, and how long a connection without a link is kept for a job that may come.
  public func takeOverConnections(to graces: [BluetoothAddress: Duration]) {
    let before = leftovers.graces
    leftovers.graces = graces
    for address in leftovers.due.keys
    where before[address] != nil && graces[address] == nil && !leftovers.isOnLoan(address, at: clock.now) {
      leftovers.due[address] = clock.now
    }
    leftovers.retired.formUnion(before.keys.filter(isHeld))
    leftovers.retired.subtract(graces.keys)
    bell.ring()
    if !graces.isEmpty { start() }
    for address in graces.keys where before[address] == nil { lookForLeftover(address) }
  }

  /// Another program has the printer until then: its connection is not ours.
  ///
  /// - Parameter token: The program's name for its loan; with the same one the loan ends at another time.
  public func lend(_ address: BluetoothAddress, to token: String, until end: BootInstant) {
    for (address, loans) in leftovers.loans {
      let running = loans.filter { clock.now < $0.value }
      leftovers.loans[address] = running.isEmpty ? nil : running
    }
    leftovers.loans[address, default: [:]][token] = end
    awaitEndOfLoans(address)
  }

  /// Ends a loan before its time. With the last one the printer is ours again, with the connection that it may have.
  public func takeBack(_ address: BluetoothAddress, from token: String) {
    guard leftovers.loans[address]?.removeValue(forKey: token) != nil else { return }
    if leftovers.loans[address]?.isEmpty == false { return awaitEndOfLoans(address) }
    leftovers.loans[address] = nil
    leftovers.due[address] = nil
    lookForLeftover(address)
  }

  /// Looks at the printer when the last loan is over: a borrower that was killed may leave its connection behind, too.
  private func awaitEndOfLoans(_ address: BluetoothAddress) {
    let end = leftovers.endOfLoans(address)
    leftovers.due[address] = grace(of: address).flatMap { grace in end?.advanced(by: grace) }
    sweepLeftovers()
  }

  /// Looks at all our printers for connections without a link.
  func lookForLeftovers() {
    for address in leftovers.graces.keys { lookForLeftover(address) }
  }

  private func lookForLeftover(_ address: BluetoothAddress) {
    guard let grace = grace(of: address), leftovers.due[address] == nil,
      !leftoverDevices(address).isEmpty
    else { return }
    let begin = max(clock.now, leftovers.endOfLoans(address) ?? clock.now)
    leftovers.due[address] = begin.advanced(by: grace)
    sweepLeftovers()
  }

  /// After every change: what is disconnected or has a link is left behind no longer.
  func forgetLeftovers() {
    for address in leftovers.due.keys
    where !leftovers.isOnLoan(address, at: clock.now) && leftoverDevices(address).isEmpty {
      leftovers.due[address] = nil
    }
  }

  /// Looks at a printer that is held no longer: what was found and could not be used is nobody's again.
  func lookAfterHold(_ address: BluetoothAddress) {
    guard leftovers.retired.remove(address) != nil else { return lookForLeftover(address) }
    // Also when another entry's link comes next: that is opened once this connection is over.
    for device in unlinkedDevices(address) { part(device.path) }
  }

  /// Ends all that is left behind and not lent, at once; what an RFCOMM link has left may still carry the end of a receipt.
  func endLeftovers() {
    for address in leftovers.due.keys where leftovers.graces[address] != nil {
      guard !leftovers.isOnLoan(address, at: clock.now) else { continue }
      for device in leftoverDevices(address) { part(device.path) }
    }
    leftovers.due = [:]
    bell.ring()
  }

  /// What is connected without anybody's being about to use it.
  private func leftoverDevices(_ address: BluetoothAddress) -> [Device] {
    isHeld(address) ? [] : unlinkedDevices(address)
  }

  private func unlinkedDevices(_ address: BluetoothAddress) -> [Device] {
    tree.devices.values.filter { device in
      device.address == address && device.connected && parted[device.path] != .going
        && !links.values.contains { $0.device == device.path }
    }
  }

  /// Waits for what is due, while there is anything.
  private func sweepLeftovers() {
    bell.ring()
    guard sweeping == nil else { return }
    sweeping = Task {
      while let next = leftovers.due.values.min() {
        _ = try? await wait(by: next) { $0.leftovers.due.values.min() != next }
        endOverdue()
      }
      sweeping = nil
    }
  }

  private func endOverdue() {
    for (address, end) in leftovers.due where end <= clock.now {
      leftovers.due[address] = nil
      for device in leftoverDevices(address) {
        note("\(address): a connection that was left behind is ended")
        part(device.path)
      }
    }
  }
}
