import DBus
import ESCPOS
import Glibc
import Threads

extension BlueZ {
  /// What an attempt by bluetoothd has come to, when it is no connection.
  private enum ProfileFailure: Error {
    /// The kernel's socket may do better.
    case trySocket
    case attempt(AttemptFailure, isLastLink: Bool = false)
    /// bluetoothd is doing something else with the printer.
    case occupied(AttemptFailure)
  }

  private enum ProfileNews {
    case answer(DBusError?)
    case stuck
    case unreached
  }

  /// How long bluetoothd may take with a printer that it has reached, for its records and the channel. It has no limit of
  /// its own for the records, and a printer that never tells them would be waited for until the deadline.
  static let profileTime = Duration.seconds(4)
  /// The same with a pairing before it.
  static let pairingProfileTime = Duration.seconds(8)

  /// Opens an RFCOMM link to a printer.
  func openRFCOMM(_ printer: BluetoothPrinter, by deadline: BootInstant) async throws(LinkError) -> RFCOMMLink
  {
    var pauses = Self.attemptPauses[...]
    while true {
      do throws(AttemptFailure) {
        return try await attemptRFCOMM(printer, isLast: pauses.isEmpty, by: deadline)
      } catch {
        guard error.isPassing, let pause = pauses.popFirst() else { throw error.error }
        guard clock.now.advanced(by: pause) < deadline else { throw error.error }
        do { try await clock.sleep(for: pause) } catch { throw .cancelled }
      }
    }
  }

  private func attemptRFCOMM(
    _ printer: BluetoothPrinter, isLast: Bool, by deadline: BootInstant
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
    let (descriptor, way) = try await connectRFCOMM(printer, isLast: isLast, on: adapter, by: deadline)
    return RFCOMMLink(descriptor, way, to: printer, serialPorts.memory, clock: clock)
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
        memory.change(printer.address) { $0.channel = channel ?? $0.channel }
        return (descriptor, .bluetoothd)
      } catch {
        switch error {
        case .trySocket: hasFailed = serialPorts.profile.standing == .registered
        // It may be reading the printer's records of its own accord, as it does a second after a pairing
        // (`device_bonding_complete`), and be done in a moment.
        case .occupied(let failure): if !isLast { throw failure }
        case .attempt(let failure, let isLastLink):
          if isLastLink, memory.isTakingDown(printer.address) { part(device.path) }
          throw failure
        }
      }
    }
    let connector = serialPorts.connector(printer.address.description, adapter.address?.description, clock)
    let known = printer.channel ?? memory[printer.address].channel
    let result = await fairly(at: adapter.path, by: deadline) {
      () -> Result<RFCOMMConnector.Connection, ClassicFault> in
      do throws(ClassicFault) { return .success(try await connector.connection(known, by: deadline)) } catch {
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
      memory.change(printer.address) { $0.prefersSocket = false }
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

  /// Lets bluetoothd connect the printer and takes the socket over.
  private func connectProfile(
    _ printer: BluetoothPrinter, _ device: Device, by deadline: BootInstant
  ) async throws(ProfileFailure) -> Int32 {
    let profile = serialPorts.profile
    await registerSerialPort()
    guard profile.standing == .registered else { throw .trySocket }
    let expected = profile.expect(device.path)
    defer { profile.forget(expected) }
    let (answer, isStuck) = await fairly(at: device.adapter, by: deadline) {
      await self.connectProfileCall(device)
    }
    if expected.cameAsMisfit { throw .trySocket }
    guard let answer else {
      guard let descriptor = expected.take() else { throw .trySocket }
      return descriptor
    }
    switch ClassicAnswer(answer) {
    case .trySocket: throw .trySocket
    case .abandoned:
      // It was reached, but its records were not: the socket may know the channel.
      if tree.devices[device.path]?.connected == true {
        serialPorts.memory.change(printer.address) { $0.prefersSocket = true }
      }
      part(device.path)
      if Task.isCancelled { throw .attempt(AttemptFailure(.cancelled)) }
      let error = Self.silent(printer)
      throw .attempt(isStuck ? AttemptFailure(passing: error) : AttemptFailure(error))
    case .fault(let fault):
      let error = fault.linkError(printer, answer)
      if answer.name == "org.bluez.Error.InProgress" { throw .occupied(AttemptFailure(passing: error)) }
      let isLastLink = fault == .alreadyConnected || fault == .inProgress
      throw .attempt(
        fault.isPassing || isLastLink ? AttemptFailure(passing: error) : AttemptFailure(error),
        isLastLink: isLastLink)
    }
  }

  /// Calls `ConnectProfile`, and abandons it when the printer has been reached and still nothing comes of it.
  ///
  /// - Returns: nil for an answer when it succeeded, else bluetoothd's error; `.cancelled` also when nothing came of it.
  private func connectProfileCall(_ device: Device) async -> (answer: DBusError?, isStuck: Bool) {
    let limit = clock.now.advanced(by: Self.connectTime)
    return await withTaskGroup(of: ProfileNews.self) { group in
      group.addTask {
        do throws(DBusError) {
          try await self.call(
            device.path, BlueZName.device, "ConnectProfile", [.string(BluetoothUUID.serialPort.full)],
            by: limit)
          return .answer(nil)
        } catch {
          return .answer(error)
        }
      }
      group.addTask { await self.isStuck(device.path, by: limit) ? .stuck : .unreached }
      var isStuck = false
      for await news in group {
        switch news {
        case .answer(let answer):
          group.cancelAll()
          return (answer, isStuck)
        case .stuck:
          isStuck = true
          group.cancelAll()
        case .unreached: continue
        }
      }
      return (DBusError(.cancelled, "nothing was waited for"), isStuck)
    }
  }

  /// Waits until a device is reached, and then for as long as its profile may take; false when cancelled, or when it is not
  /// reached.
  private func isStuck(_ device: String, by limit: BootInstant) async -> Bool {
    let isReached = try? await wait(by: limit) { $0.tree.devices[device]?.connected == true }
    guard isReached == true else { return false }
    let isPaired = tree.devices[device]?.paired == true
    let patience = isPaired ? Self.profileTime : Self.pairingProfileTime
    do { try await clock.sleep(for: patience) } catch { return false }
    return true
  }

  /// Makes us known to bluetoothd as the Serial Port's client, now and whenever it has started again.
  private func registerSerialPort() async {
    let (profile, place) = (serialPorts.profile, serialPorts.place)
    let before = profile.standing
    defer { if profile.standing != before { note(profile.standing) } }
    if !serialPorts.isRegistered {
      serialPorts.isRegistered = true
      _ = await addRegistration { [clock] bus in
        await profile.register(on: bus, keeping: place, clock: clock, isNew: true)
      }
    } else if profile.standing != .registered, let bus {
      await profile.register(on: bus, keeping: place, clock: clock, isNew: false)
    }
  }

  private func note(_ standing: SerialPortProfile.Standing) {
    switch standing {
    case .unknown, .registered: return
    case .taken:
      note("another program has the Serial Port profile; Classic printers are connected without bluetoothd")
    case .refused(let words):
      note("bluetoothd refuses the Serial Port profile (\(words)); Classic printers are connected without it")
    }
  }

  /// Does what needs the turn at an adapter; it is called off when `deadline` has come, the task is cancelled, or it takes
  /// longer than is fair to others who wait.
  ///
  /// - Returns: What `work` makes of being cancelled, in those cases.
  private func fairly<Value: Sendable>(
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

  private static func silent(_ printer: BluetoothPrinter) -> LinkError {
    LinkError(
      .unreachable,
      "\(printer.title) does not answer: it is off, asleep, out of range or used by another host")
  }
}

/// What an error of `ConnectProfile` means.
enum ClassicAnswer: Equatable {
  /// bluetoothd cannot, but the printer may: the kernel's socket is worth a try.
  case trySocket
  /// We gave up waiting.
  case abandoned
  /// As with any other connection.
  case fault(BlueZFault)

  /// Texts of `src/error.h` that speak of the profile or of the printer's records.
  private static let ofProfile = [
    "profile-unavailable", "not-supported", "sdp-search", "create-socket", "invalid-argument", "bad-socket",
  ]
  private static let names = ["NotAvailable", "NotSupported", "DoesNotExist", "InvalidArguments"]

  init(_ error: DBusError) {
    switch error.code {
    case .deadline, .cancelled: self = .abandoned
    case .remote(let name)
    where Self.names.contains { name == "org.bluez.Error." + $0 }
      || Self.ofProfile.contains { error.message.contains($0) }:
      self = .trySocket
    default:
      let fault = BlueZFault(error)
      self = fault == .vanished || fault == .other ? .trySocket : .fault(fault)
    }
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
