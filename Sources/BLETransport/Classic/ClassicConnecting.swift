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
  }

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
        return try await attemptRFCOMM(printer, number, by: deadline)
      } catch {
        guard error.isPassing, let pause = pauses.popFirst() else { throw error.error }
        guard clock.now.advanced(by: pause) < deadline else { throw error.error }
        do { try await clock.sleep(for: pause) } catch { throw .cancelled }
      }
    }
  }

  private func attemptRFCOMM(
    _ printer: BluetoothPrinter, _ number: Int, by deadline: BootInstant
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
    let (descriptor, way) = try await connectRFCOMM(printer, on: adapter, by: deadline)
    return RFCOMMLink(descriptor, way, to: printer, serialPorts.memory, clock: clock) { [weak self] in
      await self?.release(number, of: printer.address)
    }
  }

  /// Connects by bluetoothd or by the socket, whichever is to be first, and the other where that may help.
  private func connectRFCOMM(
    _ printer: BluetoothPrinter, on adapter: Adapter, by deadline: BootInstant
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
    let limit = clock.now.advanced(by: Self.connectTime)
    let answer = await fairly(at: device.adapter, by: deadline) { () -> DBusError? in
      do throws(DBusError) {
        try await self.call(
          device.path, BlueZName.device, "ConnectProfile", [.string(BluetoothUUID.serialPort.full)], by: limit
        )
        return nil
      } catch {
        return error
      }
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
      throw .attempt(AttemptFailure(Task.isCancelled ? .cancelled : Self.silent(printer)))
    case .fault(let fault):
      let error = fault.linkError(printer, answer)
      let isLastLink = fault == .alreadyConnected || fault == .inProgress
      throw .attempt(
        fault.isPassing || isLastLink ? AttemptFailure(passing: error) : AttemptFailure(error),
        isLastLink: isLastLink)
    }
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
