import DBus
import ESCPOS
import Threads

extension BlueZ {
  /// What an attempt by bluetoothd has come to, when it is no connection.
  enum ProfileFailure: Error {
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

  /// Lets bluetoothd connect the printer and takes the socket over.
  func connectProfile(
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
        serialPorts.memory.change(printer.address) { entry in
          entry.prefersSocket = true
          entry.isMute = entry.isMute || isStuck
        }
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
