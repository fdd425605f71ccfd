public import ESCPOS
import DBus

extension BlueZ {
  /// How long one look for absent printers takes, and the rest between two looks. A printer that comes back in the worst
  /// moment is seen after the rest and its own advertising interval (at most 1.3 s with common printers).
  private static let look = Duration.seconds(2)
  private static let rest = Duration.milliseconds(1_500)
  /// Nobody can see a Classic printer that is not discoverable, so it is called: an attempt that fails takes the page
  /// time-out of 5.1 s, and this is the rest before the next.
  private static let pageRest = Duration.seconds(2)

  /// Says when it is worth trying again to open a link to a printer that was absent.
  ///
  /// A printer on LE is looked for: a discovery of LE alone runs in short turns with rests, one for all printers that are
  /// waited for, and stands back while anybody connects or a ``ScanHold`` is held. A Classic printer cannot be seen; for it
  /// an attempt is due after a short rest. For both it is also worth it when the adapter or bluetoothd comes back. Nothing
  /// of this happens but while an element is waited for.
  ///
  /// - Returns: An element for each time: `due` when the rest of a Classic printer is over, else `seen`; it ends when its task
  ///   is cancelled.
  public nonisolated func presence(of printer: BluetoothPrinter) -> AsyncStream<Presence> {
    AsyncStream(unfolding: { [weak self] in await self?.nextPresence(of: printer) })
  }

  private func nextPresence(of printer: BluetoothPrinter) async -> Presence? {
    start()
    let forever = BootInstant(nanoseconds: .max)
    do throws(LinkError) {
      guard isAvailable(printer) else {
        _ = try await wait(by: forever) { $0.isAvailable(printer) }
        return .seen
      }
      switch printer.bearer {
      case .rfcomm:
        do { try await clock.sleep(for: Self.pageRest) } catch { return nil }
        _ = try await wait(by: forever) { $0.isAvailable(printer) && $0.discovery.holds.isEmpty }
        return .due
      case .ble:
        let before = sightings[printer.address]?.count ?? 0
        sightings[printer.address, default: Sightings()].watchers += 1
        defer { unwatch(printer.address) }
        lookOut()
        _ = try await wait(by: forever) { bluez in
          bluez.sightings[printer.address]?.count != before || !bluez.isAvailable(printer)
        }
        // Gone meanwhile: it is worth trying when it is back.
        if !isAvailable(printer) { _ = try await wait(by: forever) { $0.isAvailable(printer) } }
        return .seen
      }
    } catch {
      return nil
    }
  }

  /// Whether there is an adapter to reach the printer by.
  private func isAvailable(_ printer: BluetoothPrinter) -> Bool {
    condition == .ready && choose(printer.adapter)?.powered == true
  }

  private func unwatch(_ address: BluetoothAddress) {
    sightings[address]?.watchers -= 1
    if sightings[address]?.watchers == 0 { sightings[address] = nil }
    bell.ring()
  }

  /// A device was seen, or has been connected by anybody.
  func saw(_ path: String) {
    guard !sightings.isEmpty, let address = tree.devices[path]?.address else { return }
    sightings[address]?.count += 1
  }

  /// Looks for the absent printers in turns, while there are any.
  private func lookOut() {
    guard lookout == nil else { return }
    lookout = Task {
      while !sightings.isEmpty {
        let searches = tree.adapters.values.filter(\.powered).map { search(on: $0, .le) }
        let end = clock.now.advanced(by: Self.look)
        _ = try? await wait(by: end) { $0.sightings.isEmpty }
        // One that advertises steadily, while somebody else scans, may change nothing that BlueZ would tell.
        for (address, _) in sightings where tree.devices.values.contains(where: { $0.isSeen(address) }) {
          sightings[address]?.count += 1
        }
        bell.ring()
        for search in searches { search.end() }
        guard !sightings.isEmpty else { break }
        _ = try? await wait(by: clock.now.advanced(by: Self.rest)) { $0.sightings.isEmpty }
        // Without an adapter there is nothing to look with.
        _ = try? await wait(by: BootInstant(nanoseconds: .max)) { bluez in
          bluez.sightings.isEmpty || bluez.tree.adapters.values.contains(where: \.powered)
        }
      }
      lookout = nil
    }
  }
}

/// How often a printer that is waited for was seen.
struct Sightings {
  var watchers = 0
  var count = 0
}

extension Device {
  fileprivate func isSeen(_ address: BluetoothAddress) -> Bool {
    self.address == address && rssi != nil && !connected
  }
}
