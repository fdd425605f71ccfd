import DBus
import ESCPOS
import Threads

// A printer that takes data on an encrypted link only refuses the first write, and bluetoothd pairs by itself and repeats the
// write. Up to 5.66 at least it may repeat it too soon: the kernel says ENOTCONN, bluetoothd takes the write for sent, and
// waits for its answer until it cuts the link, 30 s later (`can_write_data` in src/shared/att.c).

extension GATTLink {
  /// What a request came to.
  enum RequestAnswer {
    case printer(Result<Void, DBusError>)
    /// The printer was paired while it was out, and has not answered since.
    case forgotten

    func get() throws(DBusError) {
      switch self {
      case .printer(let result): try result.get()
      case .forgotten: throw DBusError(.cancelled, "bluetoothd has forgotten the request")
      }
    }
  }

  /// Makes one request and waits for its answer.
  func answer(toRequest part: ArraySlice<UInt8>, by deadline: BootInstant) async -> RequestAnswer {
    let isForgotten = Locked(false)
    var watch: Task<Void, Never>?
    defer { watch?.cancel() }
    do throws(DBusError) {
      let request = try bus.begin(write(part, "request"), by: deadline)
      if state.withLock({ $0.mayBeForgotten && !$0.rule.isProven }) {
        watch = Task { [self] in
          guard await bluez.isPairedInVain(device, by: deadline) else { return }
          isForgotten.withLock { $0 = true }
          request.giveUp()
        }
      }
      try await answer(of: request)
      return .printer(.success(()))
    } catch {
      return error.code == .cancelled && isForgotten.withLock({ $0 }) ? .forgotten : .printer(.failure(error))
    }
  }

  /// Connects anew, which makes a connection that is encrypted from the start; the link stays.
  ///
  /// Nothing of the write that was out has reached the printer: it has refused it for want of a pairing, and what bluetoothd
  /// holds is discarded with the connection. (A printer that has taken the repeated write and stands still does not answer
  /// the next one either; then the count has it.)
  func renew(by deadline: BootInstant) async throws(LinkError) {
    state.withLock { $0.mayBeForgotten = false }
    bluez.note(
      "\(printer.title): paired, and bluetoothd has forgotten the first write over it; connecting anew")
    do throws(LinkError) {
      try await bluez.renew(self, by: deadline)
    } catch {
      lose(error.code == .cancelled ? LinkError(.lost, "\(printer.title): the link was given up") : error)
      throw error
    }
  }
}

extension BlueZ {
  /// How long after a pairing the answer to the request that has caused it may take; many connection events.
  static let pairingTime = Duration.seconds(3)

  /// Whether a device is paired by `deadline`, and still connected ``pairingTime`` later; false when the task is cancelled
  /// before, as it is when what was asked of the device has been answered.
  func isPairedInVain(_ device: String, by deadline: BootInstant) async -> Bool {
    let isPaired = try? await wait(by: deadline) { $0.tree.devices[device]?.paired == true }
    guard isPaired == true else { return false }
    do { try await clock.sleep(for: Self.pairingTime) } catch { return false }
    return tree.devices[device]?.connected == true
  }

  /// Ends the connection of a link and makes it anew.
  ///
  /// - Throws: ``LinkError``; there is no connection of ours then.
  func renew(_ link: GATTLink, by deadline: BootInstant) async throws(LinkError) {
    renewing.insert(link.number)
    defer {
      renewing.remove(link.number)
      if link.state.withLock({ $0.isClosed }) { release(link.number, of: link.printer.address) }
    }
    // The end of the old connection is not the link's.
    links[link.number] = nil
    part(link.device)
    do throws(LinkError) {
      try await reconnect(link, by: deadline)
    } catch {
      if let notifier = link.notifier { listeners[notifier] = nil }
      part(link.device)
      throw error
    }
    link.state.withLock { state in
      state.isOurConnection = true
      state.isConnectionOver = false
    }
    links[link.number] = link
    // It may have gone, or have been closed, meanwhile.
    changed()
    if link.state.withLock({ $0.isClosed }) { close(link) }
  }

  private func reconnect(_ link: GATTLink, by deadline: BootInstant) async throws(LinkError) {
    var pauses = Self.attemptPauses[...]
    while true {
      do throws(AttemptFailure) {
        return try await attemptAgain(link, by: deadline)
      } catch {
        guard error.isPassing, let pause = pauses.popFirst(), clock.now.advanced(by: pause) < deadline else {
          throw error.error
        }
        do { try await clock.sleep(for: pause) } catch { throw .cancelled }
      }
    }
  }

  private func attemptAgain(_ link: GATTLink, by deadline: BootInstant) async throws(AttemptFailure) {
    let turn: AdapterTurn
    do throws(LinkError) {
      try await settle(link.device, by: deadline)
      guard let adapter = tree.devices[link.device]?.adapter else {
        throw LinkError(.lost, "\(link.printer.title): the printer was removed")
      }
      turn = try await turns.take(at: adapter, by: deadline)
    } catch {
      throw AttemptFailure(error)
    }
    defer { turn.end() }
    guard let device = tree.devices[link.device] else {
      throw AttemptFailure(LinkError(.lost, "\(link.printer.title): the printer was removed"))
    }
    if !device.connected { try await connect(link.printer, device, turn, by: deadline) }
    let found = try await resolve(link.printer, link.device, turn, by: deadline)
    turn.end()
    guard found.write.path == link.characteristic else {
      throw AttemptFailure(
        LinkError(.lost, "\(link.printer.title): the printer has another service than before"))
    }
    link.state.withLock { $0.hasBackChannel = false }
    if let notify = found.notify { try await listen(to: notify, link, by: deadline) }
  }
}
