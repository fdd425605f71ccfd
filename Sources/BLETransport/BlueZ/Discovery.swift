import ESCPOS

/// Who wants devices to be discovered, who stands against it, and what follows from that.
///
/// bluetoothd has one discovery a client and adapter. It is stopped while anybody connects, since scanning slows or breaks
/// connecting on many controllers, and while the voice speaks, since it steals air time from Bluetooth sound.
struct Discovery {
  /// What is to be done next.
  enum Step: Equatable {
    case start(String, BluetoothTransport)
    case stop(String)
  }

  /// By number: the adapter's path and what is looked for.
  private(set) var wants: [Int: (adapter: String, transport: BluetoothTransport)] = [:]
  /// Numbers of those who want no discovery at all.
  private(set) var holds: Set<Int> = []
  /// How many are connecting, by adapter.
  private(set) var pauses: [String: Int] = [:]
  /// What runs, by adapter.
  private(set) var running: [String: BluetoothTransport] = [:]
  /// Adapters that refused to start, and when they are asked again.
  private(set) var refused: [String: BootInstant] = [:]
  /// Counts the bluetoothds; what an earlier one answers is void.
  private(set) var era = 0

  /// Whether a discovery of ours runs at an adapter, or at any.
  func isRunning(on adapter: String? = nil) -> Bool {
    if let adapter { running[adapter] != nil } else { !running.isEmpty }
  }

  mutating func want(_ id: Int, _ adapter: String, _ transport: BluetoothTransport) {
    wants[id] = (adapter, transport)
  }

  mutating func unwant(_ id: Int) { wants[id] = nil }

  mutating func hold(_ id: Int) { holds.insert(id) }

  mutating func release(_ id: Int) { holds.remove(id) }

  mutating func pause(_ adapter: String) { pauses[adapter, default: 0] += 1 }

  mutating func resume(_ adapter: String) {
    let count = (pauses[adapter] ?? 0) - 1
    pauses[adapter] = count > 0 ? count : nil
  }

  /// A new bluetoothd knows nothing of what ran.
  mutating func restart() {
    running = [:]
    refused = [:]
    era += 1
  }

  /// An adapter that is off or gone has forgotten its discovery.
  mutating func keepOnly(powered adapters: Set<String>) {
    running = running.filter { adapters.contains($0.key) }
  }

  /// The next thing to do to get from what runs to what is wanted; nil when nothing is.
  ///
  /// - Parameter powered: The paths of the adapters that are switched on.
  func nextStep(powered: Set<String>, now: BootInstant) -> Step? {
    var wanted: [String: BluetoothTransport] = [:]
    if holds.isEmpty {
      for want in wants.values where powered.contains(want.adapter) && pauses[want.adapter] == nil {
        wanted[want.adapter] =
          wanted[want.adapter].map { $0 == want.transport ? $0 : .both } ?? want.transport
      }
    }
    for adapter in running.keys.sorted() where wanted[adapter] != running[adapter] { return .stop(adapter) }
    for (adapter, transport) in wanted.sorted(by: { $0.key < $1.key }) where running[adapter] == nil {
      if let next = refused[adapter], now < next { continue }
      return .start(adapter, transport)
    }
    return nil
  }

  mutating func started(_ adapter: String, _ transport: BluetoothTransport) {
    running[adapter] = transport
    refused[adapter] = nil
  }

  mutating func stopped(_ adapter: String) { running[adapter] = nil }

  mutating func refuse(_ adapter: String, until: BootInstant) { refused[adapter] = until }
}

/// Which bearers are looked at in a discovery.
public enum BluetoothTransport: String, Sendable {
  /// Low Energy alone: fast, and light on the radio.
  case le
  /// Classic alone: an inquiry of some ten seconds.
  case classic = "bredr"
  /// Both, in turns.
  case both = "auto"
}
