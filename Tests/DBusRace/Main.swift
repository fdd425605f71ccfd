import DBus
import ESCPOS
import Glibc
import PrintTestKit

/// Races calls, answers, deadlines, cancellation, signals and the bus's death against one another, for a sanitizer to judge:
/// `swift build --sanitize=thread --product DBusRace`. Exits with 1 when something that was to be answered was not, or
/// when descriptors or threads are left.
@main
struct Main {
  static let rounds = 20
  static let callsEach = 150

  static func main() async throws {
    let bus = try await PrivateBus()
    var faults = 0
    let before = await settled()
    for round in 0..<rounds {
      let race = try await Race(DBusAddress(bus.address))
      faults += await race.run(calls: callsEach)
      switch round % 4 {
      case 0: await race.close()
      case 1: try await bus.restart()
      default: break
      }
    }
    let after = await settled()
    print(
      "\(rounds) rounds, \(faults) faults; descriptors \(before.0) → \(after.0), threads \(before.1) → \(after.1)"
    )
    exit(faults == 0 && after.0 <= before.0 && after.1 <= before.1 + 2 ? EXIT_SUCCESS : EXIT_FAILURE)
  }

  /// The numbers of descriptors and threads, once they have stopped falling.
  private static func settled() async -> (Int, Int) {
    var least = (Int.max, Int.max)
    for _ in 0..<50 {
      least = (min(least.0, entries("/proc/self/fd")), min(least.1, entries("/proc/self/task")))
      try? await Task.sleep(for: .milliseconds(20))
    }
    return least
  }

  private static func entries(_ path: String) -> Int {
    guard let folder = opendir(path) else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }
}

/// Two connections, one of which calls the other in every way there is to give up.
final class Race: Sendable {
  private let server: DBusConnection
  private let client: DBusConnection
  private let export: DBusExport

  private struct Echo: DBusObject {
    let server: DBusConnection

    func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
      try? server.emit(
        DBusSignal(path: "/race", interface: "race.Race", member: "Tick", arguments: call.arguments))
      return call.arguments
    }
  }

  init(_ address: DBusAddress) async throws {
    let soon = BootClock().now.advanced(by: .seconds(60))
    server = try await .connect(to: address, clock: BootClock(), by: soon)
    client = try await .connect(to: address, clock: BootClock(), by: soon)
    export = try server.export(Echo(server: server), at: "/race")
  }

  func close() async {
    await client.close()
    await server.close()
  }

  /// Returns the number of calls that ended otherwise than they may.
  func run(calls: Int) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      for way in 0..<6 {
        for number in 0..<calls {
          group.addTask { [self] in await call(way, Int32(number)) }
        }
      }
      group.addTask { [self] in await subscribe(calls) }
      return await group.reduce(0, +)
    }
  }

  private func call(_ way: Int, _ number: Int32) async -> Int {
    let call = DBusCall(
      destination: server.uniqueName, path: "/race", interface: "race.Race", member: "Echo",
      arguments: [.int32(number)])
    let clock = BootClock()
    let task = Task { [client] in
      // Ways 2 and 3 have so little time that some make it and some do not.
      let time: Duration =
        way == 2 ? .microseconds(Int64(number) * 20) : way == 3 ? .milliseconds(1) : .seconds(60)
      do throws(DBusError) {
        return try await client.call(call, by: clock.now.advanced(by: time)) == [.int32(number)] ? 0 : 1
      } catch {
        switch error.code {
        case .deadline where way == 2 || way == 3, .cancelled where way >= 4: return 0
        default: return 1
        }
      }
    }
    if way == 4 { task.cancel() }
    if way == 5 {
      for _ in 0..<number { sched_yield() }
      task.cancel()
    }
    return await task.value
  }

  /// Comes and goes as a subscriber; a signal that was answered for after the subscription must be heard.
  private func subscribe(_ times: Int) async -> Int {
    let soon = BootClock().now.advanced(by: .seconds(60))
    var faults = 0
    for number in 0..<times / 10 {
      let mark = DBusValue.int32(-1 - Int32(number))
      do throws(DBusError) {
        let signals = try await client.signals(DBusMatch(sender: server.uniqueName, member: "Tick"), by: soon)
        let call = DBusCall(
          destination: server.uniqueName, path: "/race", interface: "race.Race", member: "Echo",
          arguments: [mark])
        _ = try await client.call(call, by: soon)
        var isHeard = false
        for await signal in signals where signal.arguments == [mark] {
          isHeard = true
          break
        }
        if !isHeard { faults += 1 }
      } catch {
        faults += 1
      }
    }
    return faults
  }
}
