import DBus
import ESCPOS
import Glibc
import Threads

extension BlueZ {
  /// Opens an RFCOMM link to a printer.
  func openRFCOMM(_ printer: BluetoothPrinter, by deadline: BootInstant) async throws(LinkError) -> RFCOMMLink
  {
    let number = try await hold(printer, by: deadline)
    do throws(LinkError) {
      return try await openRFCOMM(printer, number, by: deadline)
    } catch {
      release(number, of: printer.address)
      throw error
    }
  }

  private func openRFCOMM(
    _ printer: BluetoothPrinter, _ number: Int, by deadline: BootInstant
  ) async throws(LinkError) -> RFCOMMLink {
    var pauses = Self.attemptPauses[...]
    while true {
      do throws(AttemptFailure) {
        return try await attemptRFCOMM(printer, number, isLast: pauses.isEmpty, by: deadline)
      } catch {
        guard error.isPassing, let pause = pauses.popFirst() else { throw error.error }
        guard clock.now.advanced(by: pause) < deadline else { throw error.error }
        do { try await clock.sleep(for: pause) } catch { throw .cancelled }
      }
    }
  }

  private func attemptRFCOMM(
    _ printer: BluetoothPrinter, _ number: Int, isLast: Bool, by deadline: BootInstant
  ) async throws(AttemptFailure) -> RFCOMMLink {
    let adapter: Adapter
    let turn: AdapterTurn
    do throws(LinkError) {
      adapter = try await self.adapter(printer.adapter, for: printer.title, by: deadline)
      try await serialPorts.memory.rest(printer, by: deadline)
      if let known = tree.device(printer.address, on: adapter.path) {
        try await settle(known.path, by: deadline)
      }
      turn = try await turns.take(at: adapter.path, by: deadline)
    } catch {
      throw AttemptFailure(error)
    }
    defer { turn.end() }
    defer { resumeDiscovery(on: adapter.path) }
    do throws(LinkError) { try await pauseDiscovery(on: adapter.path, by: deadline) } catch {
      throw AttemptFailure(error)
    }
    let isNew = tree.device(printer.address, on: adapter.path)?.connected != true
    let made = Leftovers.Made(adapter: adapter.path, address: printer.address)
    let (descriptor, way): (Int32, RFCOMMLink.Way)
    do throws(AttemptFailure) {
      (descriptor, way) = try await connectRFCOMM(printer, isLast: isLast, on: adapter, by: deadline)
    } catch {
      // The next attempt finds it connected, by this one.
      let isConnected = tree.device(printer.address, on: adapter.path)?.connected == true
      if isNew, isConnected, !error.isOccupied { leftovers.made.insert(made) }
      throw error
    }
    if isNew { leftovers.made.insert(made) }
    return RFCOMMLink(descriptor, way, to: printer, serialPorts.memory, clock: clock) { [weak self] in
      await self?.release(number, of: printer.address)
    }
  }

  /// Connects by bluetoothd or by the socket, whichever is to be first, and the other where that may help.
  private func connectRFCOMM(
    _ printer: BluetoothPrinter, isLast: Bool, on adapter: Adapter, by deadline: BootInstant
  ) async throws(AttemptFailure) -> (Int32, RFCOMMLink.Way) {
    let memory = serialPorts.memory
    let prefersSocket = printer.channel != nil || memory[printer.address].prefersSocket
    var hasFailed = false
    if !prefersSocket, let device = tree.device(printer.address, on: adapter.path) {
      do throws(ProfileFailure) {
        let descriptor = try await connectProfile(printer, device, by: deadline)
        let channel = RFCOMMSocket.channel(of: descriptor)
        memory.change(printer.address) { entry in
          entry.channel = channel ?? entry.channel
          entry.isMute = false
        }
        return (descriptor, .bluetoothd)
      } catch {
        switch error {
        case .trySocket: hasFailed = serialPorts.profile.standing == .registered
        // It may be reading the printer's records of its own accord, as it does a second after a pairing
        // (`device_bonding_complete`), and be done in a moment.
        case .occupied(var failure):
          failure.isOccupied = true
          if !isLast { throw failure }
        case .attempt(let failure, let isLastLink):
          if isLastLink, memory.isTakingDown(printer.address) { part(device.path) }
          throw failure
        }
      }
    }
    let connector = serialPorts.connector(printer.address.description, adapter.address?.description, clock)
    let known = printer.channel ?? memory[printer.address].channel
    let isMute = memory[printer.address].isMute
    let result = await fairly(at: adapter.path, by: deadline) {
      () -> Result<RFCOMMConnector.Connection, ClassicFault> in
      do throws(ClassicFault) {
        return .success(try await connector.connection(known, isMute: isMute, by: deadline))
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let connection):
      memory.change(printer.address) { entry in
        entry.channel = connection.channel
        if hasFailed { entry.prefersSocket = true }
      }
      return (connection.descriptor, .socket)
    case .failure(let fault):
      if !fault.isOfReach { memory.change(printer.address) { $0.prefersSocket = false } }
      if case .system(let error) = fault, error.isOfLastLink, memory.isTakingDown(printer.address),
        let device = tree.device(printer.address, on: adapter.path), device.connected
      {
        part(device.path)
        throw AttemptFailure(passing: fault.linkError(printer))
      }
      if fault == .cancelled, !Task.isCancelled { throw AttemptFailure(Self.silent(printer)) }
      throw AttemptFailure(fault.linkError(printer))
    }
  }

  /// Does what needs the turn at an adapter; it is called off when `deadline` has come, the task is cancelled, or it takes
  /// longer than is fair to others who wait.
  ///
  /// - Returns: What `work` makes of being cancelled, in those cases.
  func fairly<Value: Sendable>(
    at adapter: String, by deadline: BootInstant, _ work: @escaping @Sendable () async -> Value
  ) async -> Value {
    let isDone = Locked(false)
    let working = Task { [bell] in
      let value = await work()
      isDone.withLock { $0 = true }
      bell.ring()
      return value
    }
    let fairEnd = min(deadline, clock.now.advanced(by: Self.fairTime))
    var isOver = try? await wait(by: fairEnd) { _ in isDone.withLock { $0 } }
    if isOver == false {
      isOver = try? await wait(by: deadline) { bluez in
        isDone.withLock { $0 } || bluez.turns.count(at: adapter) > 1
      }
    }
    working.cancel()
    return await working.value
  }

  static func silent(_ printer: BluetoothPrinter) -> LinkError {
    LinkError(
      .unreachable,
      "\(printer.title) does not answer: it is off, asleep, out of range or used by another host")
  }
}

/// What the Serial Port needs in a process.
struct SerialPorts {
  let profile: SerialPortProfile
  let place = SerialPortProfile.Place(nil)
  let memory: SerialPortMemory
  /// Makes what connects by the socket: to a printer, from an adapter.
  var connector: @Sendable (String, String?, any BootTimeClock) -> RFCOMMConnector = {
    RFCOMMConnector(to: $0, from: $1, clock: $2)
  }
  /// Whether the profile is registered whenever bluetoothd starts.
  var isRegistered = false
}
