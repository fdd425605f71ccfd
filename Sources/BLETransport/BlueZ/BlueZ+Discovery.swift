public import ESCPOS
import DBus
import Threads

extension BlueZ {
  private static let discoveryTime = Duration.seconds(5)
  private static let refusalPause = Duration.seconds(1)
  /// How often a discovery that was started too late is stopped; one that is not by then never will be.
  private static let latestStops = 30

  /// Looks for devices until the search is ended or dropped; what is found appears in ``tree``.
  ///
  /// It rests while anybody connects on the adapter or a ``ScanHold`` is held, and goes on by itself, also after the adapter
  /// was off or bluetoothd has restarted.
  public func search(on adapter: Adapter, _ transport: BluetoothTransport) -> DeviceSearch {
    nextID += 1
    let id = nextID
    discovery.want(id, adapter.path, transport)
    discover()
    return DeviceSearch { [weak self] in Task { await self?.unwant(id) } }
  }

  /// Whether a discovery of this process is running.
  public var isScanning: Bool { discovery.isRunning() }

  /// Keeps this process from discovering until the hold is released or dropped; for as long as the voice speaks.
  ///
  /// Returns when a running discovery has stopped, or at `deadline`. A connection attempt is not held up.
  public func holdScans(by deadline: BootInstant) async -> ScanHold {
    nextID += 1
    let id = nextID
    discovery.hold(id)
    discover()
    let hold = ScanHold { [weak self] in Task { await self?.release(id) } }
    _ = try? await wait(by: deadline) { !$0.isScanning }
    return hold
  }

  /// Returns when no discovery runs any more, of whatever program, or at `deadline`.
  ///
  /// One that has outlasted a deadline is not waited for again before it has ended once: a desktop may never cease.
  ///
  /// - Parameter looking: Whether the bus is asked where nobody has yet; bluetoothd is not started for it. Without, what is
  ///   not known runs no discovery.
  public func scansHaveEnded(by deadline: BootInstant, looking: Bool = false) async {
    if looking {
      start()
      _ = try? await wait(by: deadline) { $0.condition != .starting }
    }
    let areOver = try? await wait(by: deadline) { $0.scanningAdapters.isSubset(of: $0.endured) }
    if areOver == false { endured.formUnion(scanningAdapters) }
  }

  /// The adapters on which anybody's discovery runs.
  var scanningAdapters: Set<String> {
    Set(tree.adapters.values.filter { $0.powered && $0.discovering }.map(\.path))
  }

  private func unwant(_ id: Int) {
    discovery.unwant(id)
    discover()
  }

  private func release(_ id: Int) {
    discovery.release(id)
    discover()
  }

  /// Stops discovery on an adapter for a connection attempt; ``resumeDiscovery(on:)`` must follow.
  func pauseDiscovery(on adapter: String, by deadline: BootInstant) async throws(LinkError) {
    discovery.pause(adapter)
    discover()
    _ = try await wait(by: deadline) { !$0.discovery.isRunning(on: adapter) }
  }

  func resumeDiscovery(on adapter: String) {
    discovery.resume(adapter)
    discover()
  }

  /// Sets discovery right after something has changed; does nothing when it is.
  func discover() {
    discovery.keepOnly(powered: poweredAdapters)
    guard discovering == nil, nextDiscoveryStep != nil else { return }
    discovering = Task {
      while let step = nextDiscoveryStep { await take(step) }
      discovering = nil
    }
  }

  private var poweredAdapters: Set<String> { Set(tree.adapters.values.filter(\.powered).map(\.path)) }

  private var nextDiscoveryStep: Discovery.Step? {
    condition == .ready ? discovery.nextStep(powered: poweredAdapters, now: clock.now) : nil
  }

  private func take(_ step: Discovery.Step) async {
    let era = discovery.era
    let deadline = clock.now.advanced(by: Self.discoveryTime)
    switch step {
    case .stop(let adapter):
      // It may have ended by itself; then the answer is an error.
      _ = try? await call(adapter, BlueZName.adapter, "StopDiscovery", by: deadline)
      if era == discovery.era { discovery.stopped(adapter) }
    case .start(let adapter, let transport):
      // From now on it may run.
      discovery.started(adapter, transport)
      do throws(DBusError) {
        let filter: DBusValue = .variants(["Transport": .string(transport.rawValue)])
        try await call(adapter, BlueZName.adapter, "SetDiscoveryFilter", [filter], by: deadline)
        try await call(adapter, BlueZName.adapter, "StartDiscovery", by: deadline)
      } catch {
        // In progress: of an earlier call, whose answer was not waited for.
        guard era == discovery.era, BlueZFault(error) != .inProgress else { break }
        discovery.stopped(adapter)
        let next = clock.now.advanced(by: Self.refusalPause)
        let isLate = error.code == .deadline
        discovery.refuse(adapter, until: isLate ? BootInstant(nanoseconds: .max) : next)
        Task {
          if isLate {
            await endLateDiscovery(on: adapter, era)
            guard era == discovery.era else { return }
            discovery.refuse(adapter, until: next)
          }
          try? await clock.sleep(until: next, tolerance: nil)
          discover()
        }
      }
    }
    bell.ring()
  }

  /// Stops a discovery whose start was not answered in time: it may begin yet, and nobody would know of it. bluetoothd
  /// answers that it is busy until the start is answered.
  private func endLateDiscovery(on adapter: String, _ era: Int) async {
    for _ in 0..<Self.latestStops where era == discovery.era {
      let limit = clock.now.advanced(by: Self.discoveryTime)
      do throws(DBusError) {
        try await call(adapter, BlueZName.adapter, "StopDiscovery", by: limit)
        return
      } catch {
        guard BlueZFault(error) == .inProgress || error.code == .deadline else { return }
      }
      do { try await clock.sleep(for: Self.refusalPause) } catch { return }
    }
  }
}

/// A search for devices, until it is ended or dropped.
public final class DeviceSearch: Sendable {
  private let finish: Locked<(@Sendable () -> Void)?>

  init(_ finish: @escaping @Sendable () -> Void) {
    self.finish = Locked(finish)
  }

  /// Ends the search; a second call does nothing.
  public func end() {
    let finish = finish.withLock { finish in
      defer { finish = nil }
      return finish
    }
    finish?()
  }

  deinit { end() }
}

/// Keeps this process from scanning, until it is released or dropped.
public final class ScanHold: Sendable {
  private let finish: Locked<(@Sendable () -> Void)?>

  init(_ finish: @escaping @Sendable () -> Void) {
    self.finish = Locked(finish)
  }

  /// Lets scans go on; a second call does nothing.
  public func release() {
    let finish = finish.withLock { finish in
      defer { finish = nil }
      return finish
    }
    finish?()
  }

  deinit { release() }
}
