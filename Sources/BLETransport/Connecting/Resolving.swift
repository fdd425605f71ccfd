import DBus
import ESCPOS
import Threads

extension BlueZ {
  /// Waits for what makes a connection one that can print: connected, services resolved, and the objects there.
  ///
  /// Each of the three has been seen without the next. The turn at the adapter is given back when the services take
  /// longer than is fair to others who want to connect: the radio has done its part then.
  func resolve(
    _ printer: BluetoothPrinter, _ device: String, _ turn: AdapterTurn, by deadline: BootInstant
  ) async throws(AttemptFailure) -> PrintCharacteristics {
    let title = printer.title
    do throws(LinkError) {
      try await awaitConnected(device, by: min(deadline, clock.now.advanced(by: Self.showTime)))
      let isOver: @Sendable (isolated BlueZ) -> Bool = { bluez in
        guard let device = bluez.tree.devices[device], device.connected else { return true }
        return device.servicesResolved
      }
      let fairEnd = min(deadline, clock.now.advanced(by: Self.fairTime))
      if try await !wait(by: fairEnd, until: isOver) {
        turn.end()
        _ = try await wait(by: deadline, until: isOver)
      }
    } catch {
      throw AttemptFailure(error)
    }
    guard let state = tree.devices[device], state.connected else {
      throw AttemptFailure(
        passing: LinkError(.unreachable, "\(title) hung up at once: off, out of range or disturbed"))
    }
    guard state.servicesResolved else {
      throw AttemptFailure(
        LinkError(
          .unreachable, "\(title) is connected, but does not tell its services in time; switch it off and on")
      )
    }
    let shows = min(deadline, clock.now.advanced(by: Self.showTime))
    do throws(LinkError) {
      _ = try await wait(by: shows) { bluez in
        if bluez.tree.devices[device]?.connected != true { return true }
        return (try? PrintCharacteristics.choose(in: bluez.tree, device: device, for: printer)) != nil
      }
    } catch {
      throw AttemptFailure(error)
    }
    do throws(PrintCharacteristics.Fault) {
      return try PrintCharacteristics.choose(in: tree, device: device, for: printer)
    } catch {
      throw failure(error, printer, tree.devices[device])
    }
  }

  /// Waits until a device is connected in the tree, which is told by a signal, and looked up where that stays away.
  ///
  /// bluetoothd 5.66 does not tell of a connection whose ATT channel is open before it has the kernel's event of the
  /// connection (its log then says "Device … is already connected"), but it answers so.
  private func awaitConnected(_ device: String, by deadline: BootInstant) async throws(LinkError) {
    let isThere: @Sendable (isolated BlueZ) -> Bool = { $0.tree.devices[device]?.connected != false }
    while clock.now < deadline {
      if try await wait(by: min(deadline, clock.now.advanced(by: Self.signalTime)), until: isThere) { return }
      await reread(device, by: deadline)
    }
  }

  private func failure(
    _ fault: PrintCharacteristics.Fault, _ printer: BluetoothPrinter, _ device: Device?
  ) -> AttemptFailure {
    let title = printer.title
    guard let device, device.connected else {
      return AttemptFailure(
        passing: LinkError(.unreachable, "\(title) hung up while its services were being read"))
    }
    switch fault {
    case .refused(let what):
      return AttemptFailure(LinkError(.refused, "\(title) is \(what)"))
    case .missing(let what):
      return AttemptFailure(
        LinkError(
          .refused,
          "\(title) has no \(what); correct its entry, or run: printd printers pair \(printer.address)"))
    case .unknown(let services) where services.isEmpty && device.uuids.contains(.serialPort):
      return AttemptFailure(
        LinkError(
          .refused,
          "\(title) has two bearers and was connected by Classic, which has no GATT; set its link to rfcomm"))
    case .unknown(let services) where services.isEmpty:
      return AttemptFailure(
        passing: LinkError(.unreachable, "\(title) shows no services; switch it off and on"))
    case .unknown(let services):
      let list = services.map(\.description).joined(separator: ", ")
      return AttemptFailure(
        LinkError(
          .refused,
          "\(title) has no service that is known to take print data (it has \(list)); if it is a receipt printer, name "
            + "service and characteristic in its entry"))
    }
  }

  /// Makes a link of a connection that can print: MTU, kind of writes, back channel.
  func establish(
    _ printer: BluetoothPrinter, _ found: PrintCharacteristics, _ number: Int, isOurs: Bool,
    by deadline: BootInstant
  ) async throws(AttemptFailure) -> GATTLink {
    guard let bus else { throw AttemptFailure(passing: .daemonAway) }
    let parts = GATTLink.Parts(
      printer: printer, characteristics: found,
      chunk: GATTLink.chunk(for: printer, mtu: await mtu(of: found, by: deadline)),
      rule: await rule(for: printer, found, by: deadline), isOurConnection: isOurs,
      isPaired: tree.devices[found.service.device]?.paired == true, number: number)
    let link = GATTLink(parts, bluez: self, bus: bus)
    if let notify = found.notify {
      try await listen(to: notify, link, by: deadline)
    }
    // It may have gone meanwhile, and then nobody has told the link; the printer stays held for the next attempt.
    if let loss = loss(of: link) {
      listeners[link.notifier ?? ""] = nil
      throw AttemptFailure(passing: loss.error)
    }
    links[link.number] = link
    changed()
    do throws(LinkError) { try link.checkAlive() } catch {
      links[link.number] = nil
      listeners[link.notifier ?? ""] = nil
      throw AttemptFailure(passing: error)
    }
    return link
  }

  /// The link's ATT MTU, asked anew since the one in the tree may be of the last connection; 23 where bluetoothd is too old
  /// to tell (before 5.62).
  private func mtu(of found: PrintCharacteristics, by deadline: BootInstant) async -> Int {
    let arguments: [DBusValue] = [.string(BlueZName.gattCharacteristic), .string("MTU")]
    let answer = try? await call(found.write.path, BlueZName.properties, "Get", arguments, by: deadline)
    return answer?.first?.uint16.map { Int($0) } ?? 23
  }

  private func rule(
    for printer: BluetoothPrinter, _ found: PrintCharacteristics, by deadline: BootInstant
  ) async -> WriteRule {
    var rule = WriteRule(takesCommands: found.write.takesCommands, takesRequests: found.write.takesRequests)
    rule.barriers = tree.barriers(for: found)
    switch printer.writeMode {
    case .requests:
      rule.onlyRequests = true
    case .commands:
      break
    case .automatic:
      if rule.takesRequests, rule.takesCommands, await mayReorder(found.service.device, by: deadline) {
        note("\(printer.title): may take data on several channels (EATT), so each write is acknowledged")
        rule.onlyRequests = true
      }
    }
    if !rule.isHeard {
      note("\(printer.title): has nothing that can be read between writes; what has arrived cannot be known")
    }
    return rule
  }

  /// Whether the peer supports EATT (Server Supported Features, bit 0): bluetoothd 5.66 opens several channels then, and
  /// commands may overtake each other.
  private func mayReorder(_ device: String, by deadline: BootInstant) async -> Bool {
    let features = tree.services(of: device).lazy.compactMap { service in
      self.tree.characteristics(of: service.path).first { $0.uuid == .serverSupportedFeatures }
    }.first
    guard let features else { return false }
    let answer = try? await call(
      features.path, BlueZName.gattCharacteristic, "ReadValue", [.variants([:])], by: deadline)
    return (answer?.first?.bytes?.first ?? 0) & 1 == 1
  }

  /// Turns the printer's answers on; one that refuses is printed to without.
  func listen(
    to notify: GATTCharacteristic, _ link: GATTLink, by deadline: BootInstant
  ) async throws(AttemptFailure) {
    listeners[notify.path] = Listener(link: link.number) { [weak link] value in link?.take(value) }
    let isForgotten = Locked(false)
    var watch: Task<Void, Never>?
    defer { watch?.cancel() }
    do throws(DBusError) {
      guard let bus else { throw DBusError(.disconnected, "the message bus is not connected") }
      let request = try bus.begin(
        DBusCall(
          destination: BlueZName.service, path: notify.path, interface: BlueZName.gattCharacteristic,
          member: "StartNotify", autoStart: false), by: deadline)
      // It is a write, too, and may want a pairing (`GATTLink+Renewal`).
      if tree.devices[link.device]?.paired == false {
        watch = Task {
          guard await isPairedInVain(link.device, by: deadline) else { return }
          isForgotten.withLock { $0 = true }
          request.giveUp()
        }
      }
      _ = try await request.values()
      let isPaired = tree.devices[link.device]?.paired == true
      link.state.withLock { state in
        state.hasBackChannel = true
        // The pairing came with this request, and is over: what comes now goes over an encrypted link.
        if isPaired { state.mayBeForgotten = false }
      }
    } catch {
      if isForgotten.withLock({ $0 }), !Task.isCancelled {
        listeners[notify.path] = nil
        part(link.device)
        throw AttemptFailure(
          passing: LinkError(.unreachable, "\(link.printer.title) was paired, and does not answer since"))
      }
      // On already, for us.
      if BlueZFault(error) == .inProgress, tree.characteristics[notify.path]?.notifying == true {
        return link.state.withLock { $0.hasBackChannel = true }
      }
      listeners[notify.path] = nil
      let title = link.printer.title
      guard error.name != nil else {
        throw AttemptFailure(LinkError(.unreachable, "\(title) does not turn its answers on in time"))
      }
      // A connection that somebody is ending looks alive until it is over, and takes data meanwhile.
      let isGone = [.passing, .vanished, .daemonAway].contains(BlueZFault(error))
      guard !isGone, tree.devices[link.device]?.connected == true else {
        _ = try? await wait(by: min(deadline, clock.now.advanced(by: Self.showTime))) {
          $0.tree.devices[link.device]?.connected != true
        }
        throw AttemptFailure(passing: LinkError(.unreachable, "\(title) hung up when asked for answers"))
      }
      note("\(title): the printer refuses to send answers (\(error)); prints cannot be confirmed")
    }
  }
}

extension GATTLink {
  /// The most bytes of one write.
  static func chunk(for printer: BluetoothPrinter, mtu: Int) -> Int {
    // An ATT write has three bytes of its own; no link has an MTU below 23.
    let bound = min(max(mtu, 23) - 3, BluetoothPrinter.largestChunk)
    return max(1, min(bound, printer.chunk ?? bound))
  }
}

extension BlueZTree {
  /// Attributes whose reading can be a barrier, the best first: what every phone reads (the device's name and what it is),
  /// then whatever is readable in other services, and last the printer's own.
  func barriers(for found: PrintCharacteristics) -> [WriteRule.Barrier] {
    let all = services(of: found.service.device).flatMap { service in
      characteristics(of: service.path).filter(\.isReadable).map { (service: service, characteristic: $0) }
    }
    func rank(_ uuid: BluetoothUUID, isOwn: Bool) -> Int {
      switch uuid.short {
      case 0x2A00: 0
      case 0x2A24, 0x2A29, 0x2A26: 1
      default: isOwn ? 3 : 2
      }
    }
    // bluetoothd tells everybody what it has read, just as it tells what the printer has sent by itself: reading the
    // characteristic of the answers would repeat the last one, and an old answer would prove a new print.
    let usable = all.filter {
      $0.characteristic.uuid != .serverSupportedFeatures && $0.characteristic.path != found.notify?.path
    }
    let ranked = usable.map {
      (rank($0.characteristic.uuid, isOwn: $0.service == found.service), $0.characteristic.path)
    }
    return ranked.sorted { $0 < $1 }.prefix(3).map {
      WriteRule.Barrier(path: $0.1, interface: BlueZName.gattCharacteristic)
    }
  }
}
