import DBus
import ESCPOS
import Threads

/// Why one attempt to connect failed, and whether another one soon is worth it.
struct AttemptFailure: Error, Equatable {
  var error: LinkError
  var isPassing: Bool
  /// Whether somebody else was connecting the printer just then.
  var isOccupied = false

  /// A failure that another attempt would not mend.
  init(_ error: LinkError) {
    self.error = error
    isPassing = false
  }

  /// A failure that may mend by itself within a second.
  init(passing error: LinkError) {
    self.error = error
    isPassing = true
  }
}

extension BlueZ {
  /// Pauses before another attempt; short and few, since the caller has a deadline, and a printer that is really off is
  /// waited for in another way (``presence(of:)``).
  static let attemptPauses: [Duration] = [
    .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1),
  ]
  /// How long an attempt may keep the adapter while others wait for it.
  static let fairTime = Duration.seconds(3)
  /// bluetoothd's own limits for a connection are near 20 s (`HCI_LE_CONN_TIMEOUT`); then the call is void.
  static let connectTime = Duration.seconds(45)
  /// How long the signal of a change may take after the call that brought it about.
  static let signalTime = Duration.milliseconds(50)
  /// How long what a call has brought about may take to show in the tree.
  static let showTime = Duration.seconds(2)

  /// Opens a GATT link to a printer.
  func openGATT(_ printer: BluetoothPrinter, by deadline: BootInstant) async throws(LinkError) -> GATTLink {
    let number = try await hold(printer, by: deadline)
    do throws(LinkError) {
      return try await openGATT(printer, number, by: deadline)
    } catch {
      release(number, of: printer.address)
      throw error
    }
  }

  private func openGATT(
    _ printer: BluetoothPrinter, _ number: Int, by deadline: BootInstant
  ) async throws(LinkError) -> GATTLink {
    var pauses = Self.attemptPauses[...]
    while true {
      do throws(AttemptFailure) {
        return try await attempt(printer, number, by: deadline)
      } catch {
        guard error.isPassing, let pause = pauses.popFirst() else { throw error.error }
        guard clock.now.advanced(by: pause) < deadline else { throw error.error }
        do { try await clock.sleep(for: pause) } catch { throw .cancelled }
      }
    }
  }

  private func attempt(
    _ printer: BluetoothPrinter, _ number: Int, by deadline: BootInstant
  ) async throws(AttemptFailure) -> GATTLink {
    let device: Device
    let turn: AdapterTurn
    do throws(LinkError) {
      let adapter = try await adapter(printer.adapter, for: printer.title, by: deadline)
      if let known = tree.device(printer.address, on: adapter.path) {
        // The connection by Classic outlives its link for some seconds, and has no GATT.
        if known.connected, parted[known.path] == nil, serialPorts.memory.isTakingDown(printer.address),
          leftovers.made.contains(Leftovers.Made(adapter: adapter.path, address: printer.address))
        {
          part(known.path)
        }
        try await settle(known.path, by: deadline)
      }
      turn = try await turns.take(at: adapter.path, by: deadline)
      device = try await find(printer, on: adapter, by: deadline)
    } catch {
      throw AttemptFailure(error)
    }
    defer { turn.end() }
    let isNew = !device.connected
    let isOurs =
      isNew || leftovers.graces[printer.address] != nil || leftovers.retired.contains(printer.address)
    if isNew { try await connect(printer, device, turn, by: deadline) }
    do throws(AttemptFailure) {
      let found = try await resolve(printer, device.path, turn, by: deadline)
      turn.end()
      return try await establish(printer, found, number, isOurs: isOurs, by: deadline)
    } catch {
      // One that was found and passes is most likely being ended already.
      if isNew || (isOurs && !error.isPassing) { part(device.path) }
      throw error
    }
  }

  /// The printer's device, which bluetoothd forgets when it was never connected for longer; then it is looked for.
  private func find(
    _ printer: BluetoothPrinter, on adapter: Adapter, by deadline: BootInstant
  ) async throws(LinkError) -> Device {
    if let known = tree.device(printer.address, on: adapter.path) { return known }
    let search = search(on: adapter, .le)
    defer { search.end() }
    let isOver: @Sendable (isolated BlueZ) -> Bool = {
      $0.tree.device(printer.address, on: adapter.path) != nil
        || $0.tree.adapters[adapter.path]?.powered != true
    }
    let fairEnd = min(deadline, clock.now.advanced(by: Self.fairTime))
    if try await !wait(by: fairEnd, until: isOver) {
      _ = try await wait(by: deadline) { isOver($0) || $0.turns.count(at: adapter.path) > 1 }
    }
    if let found = tree.device(printer.address, on: adapter.path) { return found }
    throw LinkError(
      .unreachable, "\(printer.title) is not to be found: it is off, out of range or used by another host")
  }

  /// Connects a device; discovery rests meanwhile.
  func connect(
    _ printer: BluetoothPrinter, _ device: Device, _ turn: AdapterTurn, by deadline: BootInstant
  ) async throws(AttemptFailure) {
    let answer: DBusError?
    do throws(LinkError) {
      defer { resumeDiscovery(on: device.adapter) }
      try await pauseDiscovery(on: device.adapter, by: deadline)
      answer = try await connectCall(printer, device, by: deadline)
    } catch {
      throw AttemptFailure(error)
    }
    guard let answer else { return }
    let fault = BlueZFault(answer)
    if fault == .alreadyConnected { return }
    // The failure may come while the connection still looks alive; another attempt has to wait for its end.
    _ = try? await wait(by: min(deadline, clock.now.advanced(by: Self.showTime))) {
      $0.tree.devices[device.path]?.connected != true
    }
    var error = fault.linkError(printer, answer)
    // One that has forgotten its bond hangs up like one that is away; only a person knows whether it was reset.
    if fault == .passing, tree.devices[device.path]?.paired == true {
      error.message += "; if it was reset, run: printd printers pair \(printer.address)"
    }
    throw fault.isPassing ? AttemptFailure(passing: error) : AttemptFailure(error)
  }

  /// Calls `Connect`, and abandons it when the time is over: nil when it succeeded, else bluetoothd's error.
  private func connectCall(
    _ printer: BluetoothPrinter, _ device: Device, by deadline: BootInstant
  ) async throws(LinkError) -> DBusError? {
    let result = Locked<Result<Void, DBusError>?>(nil)
    let limit = clock.now.advanced(by: Self.connectTime)
    let connecting = Task {
      do throws(DBusError) {
        try await call(device.path, BlueZName.device, "Connect", by: limit)
        result.withLock { $0 = .success(()) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      bell.ring()
    }
    do throws(LinkError) {
      let fairEnd = min(deadline, clock.now.advanced(by: Self.fairTime))
      var isOver = try await wait(by: fairEnd) { _ in result.withLock { $0 != nil } }
      if !isOver {
        isOver = try await wait(by: deadline) { bluez in
          result.withLock { $0 != nil } || bluez.turns.count(at: device.adapter) > 1
        }
      }
    } catch {
      connecting.cancel()
      part(device.path)
      throw error
    }
    switch result.withLock({ $0 }) {
    case .success: return nil
    case .failure(let error): return error
    case nil:
      connecting.cancel()
      part(device.path)
      throw LinkError(
        .unreachable, "\(printer.title) does not answer: it is off, out of range or used by another host")
    }
  }
}
