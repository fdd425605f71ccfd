public import ESCPOS

extension BlueZ {
  /// How long a caller waits for an adapter that is off or not there: it may be coming back from suspend or being plugged in.
  private static let adapterPatience = Duration.seconds(2)

  /// The adapter to use: the one that is named, else the first that is on.
  ///
  /// - Parameters:
  ///   - name: `hci0` or an address; nil for any.
  ///   - title: For whom, for messages.
  /// - Throws: ``LinkError``: as ``ready(by:)``; `.unreachable` when there is no such adapter or it is off, with the reason
  ///   as far as it is known.
  public func adapter(
    _ name: String?, for title: String, by deadline: BootInstant
  ) async throws(LinkError) -> Adapter {
    try await ready(by: deadline)
    let patience = min(deadline, clock.now.advanced(by: Self.adapterPatience))
    _ = try await wait(by: patience) { $0.choose(name)?.powered == true || $0.condition != .ready }
    guard condition == .ready else { throw .daemonAway }
    guard let adapter = choose(name) else {
      guard let name else {
        throw LinkError(
          .unreachable, "\(title): this machine has no Bluetooth adapter that is ready; plug one in")
      }
      let known = tree.adapters.values.map(\.name).sorted()
      let others = known.isEmpty ? "there is none" : "there is \(known.joined(separator: ", "))"
      throw LinkError(.unreachable, "\(title): no Bluetooth adapter is called \(name); \(others)")
    }
    guard adapter.powered else { throw .adapterOff(title) }
    return adapter
  }

  /// The adapter that is meant by a name, on or off; without a name the first that is on, else the first.
  func choose(_ name: String?) -> Adapter? {
    let all = tree.adapters.values.sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
    if let name { return all.first { $0.isCalled(name) } }
    return all.first(where: \.powered) ?? all.first
  }
}
