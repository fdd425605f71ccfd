public import ESCPOS
import DBus

/// How a pairing has ended.
public enum PairingOutcome: Equatable, Sendable {
  /// There is a new bond.
  case bonded
  /// There was one already.
  case alreadyBonded
  /// bluetoothd says that it has paired, and keeps no keys all the same; many printers need none.
  case unkept
  /// The printer wants a PIN, and none of those tried is right.
  case wrongPIN
}

/// What happens while a pairing goes on, for a person who waits.
public enum PairingEvent: Equatable, Sendable {
  /// An attempt begins.
  case attempt
  /// The printer has not taken the PIN of this number, of so many.
  case pinRefused(Int, of: Int)
  /// Something stood in the way for the moment, and it is tried again.
  case again(String)
}

extension BlueZ {
  /// Pairs with a device, and trusts it from then on.
  ///
  /// The agent that answers bluetoothd's questions is there for this call alone and accepts nobody else. It says that it
  /// can neither show nor ask anything, so that printers with Secure Simple Pairing pair by themselves; older ones ask
  /// for a PIN all the same, and get one of `pins` in each attempt, in their order. (bluetoothd itself answers the first
  /// question of printers with 0000.) The call has the adapter's turn, and discovery rests meanwhile.
  ///
  /// - Parameters:
  ///   - path: The device's object path.
  ///   - deadline: No new attempt begins after it.
  ///   - tell: Told what happens.
  /// - Throws: ``LinkError``: `.unreachable` when the printer is off or away, `.busy` when another pairing is going
  ///   on, `.refused` when it does not want to pair or bluetoothd does not let us, `.deadline`, `.cancelled`; an attempt
  ///   under way is called off. No bond is there then that was not there before, and no connection on LE.
  public func pair(
    _ path: String, pins: PairingPINs, by deadline: BootInstant,
    tell: @escaping @Sendable (PairingEvent) -> Void = { _ in }
  ) async throws(LinkError) -> PairingOutcome {
    try await ready(by: deadline)
    // A connection that we are ending would end under the pairing.
    try await settle(path, by: deadline)
    guard let device = tree.devices[path], let adapter = tree.adapters[device.adapter] else {
      throw LinkError(.unreachable, "the printer is not to be found any more; is it switched on and near?")
    }
    var outcome = PairingOutcome.alreadyBonded
    if !device.paired {
      let turn = try await turn(at: adapter, by: deadline)
      defer { turn.end() }
      // It is paused even when the wait for it is cancelled.
      defer { resumeDiscovery(on: adapter.path) }
      try await pauseDiscovery(on: adapter.path, by: deadline)
      let consent = try await consent(to: path, by: deadline)
      let attempts = PairingAttempts(
        bluez: self, device: device, agent: consent.agent, pins: pins.all, tell: tell)
      let result: Result<PairingOutcome, LinkError>
      do throws(LinkError) {
        result = .success(try await attempts.run(by: deadline))
      } catch {
        result = .failure(error)
      }
      await consent.end()
      // What Pair has connected belongs to nobody, also when it came to nothing; a link of our own is opened, and closed,
      // later.
      if Sighting(device).radio == .ble, !device.connected { part(path) }
      outcome = try result.get()
    }
    if outcome != .wrongPIN { await trust(path) }
    return outcome
  }

  /// Lets a device connect by itself from now on; the device must have been connected or paired before, or bluetoothd
  /// forgets it.
  public func trust(_ path: String) async {
    _ = try? await set(path, BlueZName.device, "Trusted", to: .boolean(true), by: soon)
  }

  /// Waits until a device that this process has let go of is disconnected and has had its rest; gives up at `deadline`, as
  /// when another program holds it.
  public func waitUntilParted(from address: BluetoothAddress, by deadline: BootInstant) async {
    _ = try? await wait(by: deadline) { bluez in
      bluez.tree.devices.values.allSatisfy { device in
        device.address != address || (!device.connected && bluez.parted[device.path] != .going)
      }
    }
    for device in tree.devices.values where device.address == address {
      try? await settle(device.path, by: deadline)
    }
  }

  /// Takes a device out of bluetoothd, with its bond.
  ///
  /// - Returns: Whether there was one to take out.
  /// - Throws: ``LinkError``, as ``pair(_:pins:by:tell:)``.
  @discardableResult
  public func remove(_ address: BluetoothAddress, by deadline: BootInstant) async throws(LinkError) -> Bool {
    try await ready(by: deadline)
    var removed = false
    for device in tree.devices.values where device.address == address {
      do throws(DBusError) {
        try await call(
          device.adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(device.path)], by: deadline)
        removed = true
        // Its signal comes before the answer, and may be taken in after it: the device would be found again, bond and all.
        _ = try? await wait(by: min(deadline, clock.now.advanced(by: Self.showTime))) {
          $0.tree.devices[device.path] == nil
        }
      } catch {
        guard BlueZFault(error) != .vanished else { continue }
        throw BlueZFault(error).linkError(device.asPrinter, error)
      }
    }
    return removed
  }
}

extension Device {
  /// What messages call it before it has a name in the configuration.
  public var asPrinter: BluetoothPrinter {
    BluetoothPrinter(name: name ?? "the printer", address: address, bearer: .rfcomm)
  }
}
