import DBus
import ESCPOS

extension BlueZ {
  /// How long opening the connection and reading the tree may take.
  private static let startTime = Duration.seconds(10)
  /// Pauses between attempts to reach a bus that is away; nobody has to wait for them who wants to print.
  private static let pauses: [Duration] = [
    .milliseconds(100), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(10), .seconds(30),
  ]

  /// Begins to keep a connection, unless that is being done; one that waits to try again tries now.
  func start() {
    guard running == nil else {
      if case .busAway = condition { retry.ring() }
      return
    }
    running = Task { [weak self] in await self?.run() }
  }

  private func run() async {
    var attempt = 0
    while !Task.isCancelled {
      do throws(DBusError) {
        let bus = try await DBusConnection.connect(
          to: address, clock: clock, by: clock.now.advanced(by: Self.startTime))
        attempt = 0
        try await serve(bus)
        leave(.busAway("the connection was closed"))
      } catch {
        leave(.busAway(error.description))
      }
      if Task.isCancelled { return }
      let pause = Self.pauses[min(attempt, Self.pauses.count - 1)]
      attempt += 1
      await retry.wait(past: retry.round, by: clock.now.advanced(by: pause))
    }
  }

  /// Follows bluetoothd for as long as the connection lives.
  private func serve(_ bus: DBusConnection) async throws(DBusError) {
    let deadline = clock.now.advanced(by: Self.startTime)
    self.bus = bus
    let followers: [Task<Void, Never>]
    do throws(DBusError) {
      // Before anything is read, so that no change in between is missed.
      let owners = try await bus.signals(.ownerChanges(of: BlueZName.service), by: deadline)
      let signals = try await bus.signals(DBusMatch(sender: BlueZName.service), by: deadline)
      // A stream that ends before its connection has lost signals (``DBusConnection/signalsHeld``); the tree is then read
      // anew, over a new connection.
      followers = [
        Task { [weak self] in
          for await signal in owners { await self?.ownerChanged(signal) }
          await bus.close()
        },
        Task { [weak self] in
          for await signal in signals { await self?.take(signal) }
          await bus.close()
        },
      ]
      let name = try? await bus.call(.bus("GetNameOwner", .string(BlueZName.service)), by: deadline).first?
        .string
      if owner == nil { await adopt(name ?? nil) }
    } catch {
      await bus.close()
      throw error
    }
    await bus.waitUntilClosed()
    for follower in followers { follower.cancel() }
  }

  private func ownerChanged(_ signal: DBusSignal) async {
    guard signal.arguments.count == 3, let new = signal.arguments[2].string else { return }
    await adopt(new.isEmpty ? nil : new)
  }

  /// Takes a new bluetoothd for the old one, or none.
  private func adopt(_ new: String?) async {
    guard new != owner || (new == nil && condition == .starting) else { return }
    if owner != nil { note("bluetoothd has gone") }
    owner = new
    guard let new else { return leave(.daemonAway) }
    leave(.starting)
    owner = new
    Task { await load(new) }
  }

  /// Reads the tree of this bluetoothd.
  private func load(_ asked: String) async {
    var attempt = 0
    while owner == asked, condition == .starting {
      early = []
      do throws(DBusError) {
        let answer = try await call(
          "/", BlueZName.objectManager, "GetManagedObjects", by: clock.now.advanced(by: Self.startTime))
        guard owner == asked else { return }
        guard let objects = answer.first, tree.load(objects) else {
          throw DBusError(.malformed, "bluetoothd's list of objects is none")
        }
        let missed = early ?? []
        early = nil
        for signal in missed { apply(signal) }
        return await begin(asked)
      } catch {
        guard owner == asked else { return }
        early = nil
        note("bluetoothd does not tell what it has: \(error)")
        if case .forbidden = BlueZFault(error) { return leave(.forbidden(error.description)) }
        let pause = Self.pauses[min(attempt, Self.pauses.count - 1)]
        attempt += 1
        await retry.wait(past: retry.round, by: clock.now.advanced(by: pause))
      }
    }
  }

  /// bluetoothd is there: registers what must be, and lets those go on who wait for it.
  private func begin(_ asked: String) async {
    registered = []
    while let bus, let id = registrations.keys.filter({ !registered.contains($0) }).min() {
      registered.insert(id)
      await registrations[id]?(bus)
      guard owner == asked else { return }
    }
    note("bluetoothd is there")
    condition = .ready
    changed()
    lookForLeftovers()
  }

  /// Forgets what is no more: every link is lost, and every wait looks again.
  private func leave(_ next: Condition) {
    if case .busAway = next {
      bus = nil
      owner = nil
    }
    condition = next
    early = nil
    tree = BlueZTree()
    parted = [:]
    leftovers.made = []
    discovery.restart()
    changed()
  }

  /// Asks the bus to start bluetoothd, which some systems do not do by themselves after a crash.
  func wakeDaemon() {
    guard let bus, condition == .daemonAway else { return }
    let deadline = clock.now.advanced(by: Self.startTime)
    Task {
      let arguments: [DBusValue] = [.string(BlueZName.service), .uint32(0)]
      _ = try? await bus.call(
        DBusCall(
          destination: BlueZName.bus, path: BlueZName.busPath, interface: BlueZName.bus,
          member: "StartServiceByName", arguments: arguments), by: deadline)
    }
  }
}
