import DBus
import ESCPOS
import Glibc
import Threads

/// `org.bluez.ProfileManager1`, and the channels that were opened for its profiles.
final class FakeProfiles: Sendable {
  struct Profile: Sendable {
    var owner: String
    var path: String
    var uuid: String
    var options: [String: DBusValue]
  }

  private struct State {
    var profiles: [Profile] = []
    var taken: Set<String> = []
    /// bluetoothd's own duplicate of each channel, by device: while it is open, the link is up.
    var channels: [String: [DBusDescriptor]] = [:]
  }

  private let state = Locked(State())

  func forget() { state.withLock { $0.profiles = [] } }

  func take(_ uuid: String, _ isTaken: Bool) {
    state.withLock { state in
      if isTaken { state.taken.insert(uuid.lowercased()) } else { state.taken.remove(uuid.lowercased()) }
    }
  }

  func profile(_ uuid: String) -> Profile? {
    state.withLock { $0.profiles.first { $0.uuid == uuid.lowercased() } }
  }

  func keep(_ channel: DBusDescriptor, of device: String) {
    state.withLock { $0.channels[device, default: []].append(channel) }
  }

  /// Ends a device's channels, whoever has copies of them.
  func hangUp(_ device: String) {
    let channels = state.withLock { $0.channels.removeValue(forKey: device) ?? [] }
    for channel in channels {
      guard let number = channel.take() else { continue }
      shutdown(number, Int32(SHUT_RDWR))
      close(number)
    }
  }

  func answer(_ call: DBusIncomingCall, _ reply: DBusReply) {
    guard let path = call.arguments.first?.objectPath else {
      return reply.give(.failure(.unknown(DBusError.Name.invalidArguments, call)))
    }
    let failure = state.withLock { state -> DBusError? in
      switch call.member {
      case "RegisterProfile":
        guard call.arguments.count == 3, let uuid = call.arguments[1].string?.lowercased(),
          let options = call.arguments[2].variantDictionary
        else { return .unknown(DBusError.Name.invalidArguments, call) }
        if state.profiles.contains(where: { $0.owner == call.sender && $0.path == path }) {
          return .bluez("AlreadyExists", "Already Exists")
        }
        if state.taken.contains(uuid) || state.profiles.contains(where: { $0.uuid == uuid }) {
          return .bluez("NotPermitted", "UUID already registered")
        }
        state.profiles.append(Profile(owner: call.sender, path: path, uuid: uuid, options: options))
      case "UnregisterProfile":
        guard state.profiles.contains(where: { $0.owner == call.sender && $0.path == path }) else {
          return .bluez("DoesNotExist", "Does Not Exist")
        }
        state.profiles.removeAll { $0.owner == call.sender && $0.path == path }
      default: return .unknown(DBusError.Name.unknownMethod, call)
      }
      return nil
    }
    reply.give(failure.map { .failure($0) } ?? .success([]))
  }
}

extension FakeBlueZ {
  /// Whether another program has registered a profile for a UUID; `RegisterProfile` then fails with `NotPermitted`.
  public func take(profile uuid: String, _ isTaken: Bool = true) { profiles.take(uuid, isTaken) }
}

extension FakeDevice {
  /// The link goes down with the channel of this number, counted from 1 in the order of ``channels``; nothing happens where
  /// another channel has been opened since, however late this comes.
  public func drop(withChannel number: Int) {
    opened.withLock { count in
      guard count == number, isConnected else { return }
      profiles.hangUp(path)
      table.set(path, ["Connected": .boolean(false)])
    }
  }

  /// Opens a channel for a profile: `NewConnection` with one end of a socket pair; the other end is the printer's.
  func connectProfile(_ call: DBusIncomingCall, _ reply: DBusReply) {
    if let failure = state.withLock({ $0.script.profile }) { return reply.give(.failure(failure)) }
    let waits = state.withLock { state in
      if state.script.profileWaits { state.connecting = reply }
      return state.script.profileWaits
    }
    if waits { return }
    guard let uuid = call.arguments.first?.string, let profile = profiles.profile(uuid),
      let connection = table.connection
    else { return reply.give(.failure(.bluez("NotAvailable", "br-connection-profile-unavailable"))) }
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      return reply.give(.failure(.bluez("Failed", "br-connection-unknown")))
    }
    let ours = DBusDescriptor(owning: ends[0])
    let theirs = DBusDescriptor(owning: ends[1])
    Task { [self] in
      let offer = DBusCall(
        destination: profile.owner, path: profile.path, interface: "org.bluez.Profile1",
        member: "NewConnection",
        arguments: [.objectPath(path), .descriptor(theirs), .variants([:])])
      do throws(DBusError) {
        _ = try await connection.call(offer, by: BootClock().now.advanced(by: .seconds(25)))
        opened.withLock { count in
          count += 1
          profiles.keep(theirs, of: path)
          table.set(path, ["Connected": .boolean(true)])
          channel.yield(ours)
        }
        reply.give(.success([]))
      } catch {
        reply.give(.failure(.bluez("Failed", "br-connection-refused")))
      }
    }
  }
}
