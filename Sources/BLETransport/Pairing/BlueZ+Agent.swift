public import ESCPOS
import DBus

extension BlueZ {
  private static let agentPath = "/org/printd/agent"

  /// Agrees to a pairing with one device, for as long as the consent is held.
  ///
  /// A printer on LE that wants to be paired says so in the middle of a connection; bluetoothd then pairs by itself and
  /// asks its default agent, which is ours meanwhile. The one of the desktop is asked again afterwards. Questions about
  /// other devices are rejected.
  ///
  /// - Parameter path: The device's object path.
  /// - Throws: ``LinkError``: `.busy` when this process is pairing already, or as ``ready(by:)``.
  public func consent(to path: String, by deadline: BootInstant) async throws(LinkError) -> PairingConsent {
    let bus = try await connection(by: deadline)
    guard let owner else { throw .daemonAway }
    let agent = PairingAgent(device: path, owner: owner)
    let soon = min(deadline, soon)
    do throws(DBusError) {
      let export = try bus.export(agent, at: Self.agentPath)
      let object = DBusValue.objectPath(Self.agentPath)
      try await call(
        BlueZName.root, BlueZName.agentManager, "RegisterAgent", [object, .string("NoInputNoOutput")],
        by: soon)
      try await call(BlueZName.root, BlueZName.agentManager, "RequestDefaultAgent", [object], by: soon)
      return PairingConsent(agent: agent, export: export) { [weak self] in
        await self?.callAnyway(BlueZName.root, BlueZName.agentManager, "UnregisterAgent", [object])
      }
    } catch {
      await callAnyway(
        BlueZName.root, BlueZName.agentManager, "UnregisterAgent", [.objectPath(Self.agentPath)])
      if error.code == .invalid { throw LinkError(.busy, "another pairing is going on in this process") }
      guard let device = tree.devices[path] else {
        throw LinkError(.unreachable, "bluetoothd does not take our part in the pairing: \(error)")
      }
      throw BlueZFault(error).linkError(device.asPrinter, error)
    }
  }

  /// Until when a call that needs no radio may take.
  var soon: BootInstant { clock.now.advanced(by: .seconds(5)) }

  /// Calls a method also when this task is cancelled; what comes of it does not matter.
  func callAnyway(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = []) async
  {
    await Task { _ = try? await call(path, interface, member, arguments, by: soon) }.value
  }
}

/// Our consent to a pairing with one device, until it is ended.
public final class PairingConsent: Sendable {
  let agent: PairingAgent
  private let export: DBusExport
  private let unregister: @Sendable () async -> Void

  init(agent: PairingAgent, export: DBusExport, unregister: @escaping @Sendable () async -> Void) {
    self.agent = agent
    self.export = export
    self.unregister = unregister
  }

  /// Takes the agent off the bus; also when the task is cancelled.
  public func end() async {
    await unregister()
    export.release()
  }
}
