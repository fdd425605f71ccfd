import DBus
import ESCPOS
import Glibc
import PrintTestKit

/// Races calls, answers, deadlines, cancellation, signals and the bus's death against one another, for a sanitizer to judge:
/// `swift build --sanitize=thread --product DBusRace`. Then connects so many times as its argument says, 500 without one.
/// Exits with 1 when something that was to be answered was not, or when descriptors or threads are left.
@main
struct Main {
  static let rounds = 20
  static let callsEach = 150

  static func main() async throws {
    // The bus ends with its scope.
    let isRight = try await contest()
    exit(isRight ? EXIT_SUCCESS : EXIT_FAILURE)
  }

  private static func contest() async throws -> Bool {
    let bus = try await PrivateBus()
    var faults = 0
    // What the runtime opens once is open then.
    faults += try await Race(DBusAddress(bus.address)).run(calls: callsEach)
    let before = await settled()
    for round in 0..<rounds {
      let race = try await Race(DBusAddress(bus.address))
      switch round % 4 {
      case 0:
        faults += await race.run(calls: callsEach)
        await race.close()
      case 1:
        // The bus dies while all goes on.
        async let running = race.run(calls: callsEach, mayLose: true)
        await race.isUnderWay()
        try await bus.restart()
        faults += await running
      default: faults += await race.run(calls: callsEach)
      }
    }
    let connects = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 500
    let memory = residentKilobytes
    for _ in 0..<connects {
      let connection = try await DBusConnection.connect(
        to: DBusAddress(bus.address), clock: BootClock(), by: BootClock().now.advanced(by: .seconds(60)))
      await connection.close()
    }
    let after = await settled()
    print(
      "\(rounds) rounds, \(faults) faults; \(connects) connects, resident \(memory) → \(residentKilobytes) KB"
    )
    print("descriptors \(before.0) → \(after.0), threads \(before.1) → \(after.1)")
    await bus.kill()
    return faults == 0 && after.0 <= before.0 && after.1 <= before.1 + 2
  }

  private static var residentKilobytes: Int {
    let status = (try? Fixtures.text(ofFile: "/proc/self/status")) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }

  /// The numbers of descriptors and threads, once they have stopped falling: looked at again and again, since the kernel tells
  /// nobody of the end of a detached thread, and the sanitizer has threads of its own.
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
  private let beginnings = AsyncStream<Void>.makeStream()

  private struct Echo: DBusObject {
    let server: DBusConnection
    let beginning: AsyncStream<Void>.Continuation

    func answer(_ call: DBusIncomingCall) async throws(DBusError) -> [DBusValue] {
      beginning.yield()
      try? server.emit(
        DBusSignal(path: "/race", interface: "race.Race", member: "Tick", arguments: call.arguments))
      return call.arguments
    }
  }

  init(_ address: DBusAddress) async throws {
    let soon = BootClock().now.advanced(by: .seconds(60))
    server = try await .connect(to: address, clock: BootClock(), by: soon)
    client = try await .connect(to: address, clock: BootClock(), by: soon)
    export = try server.export(Echo(server: server, beginning: beginnings.continuation), at: "/race")
  }

  func close() async {
    await client.close()
    await server.close()
  }

  /// Returns once a hundred calls have come.
  func isUnderWay() async {
    var count = 0
    for await _ in beginnings.stream {
      count += 1
      if count == 100 { return }
    }
  }

  /// Returns the number of calls that ended otherwise than they may; with `mayLose` the bus may go away meanwhile.
  func run(calls: Int, mayLose: Bool = false) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      for way in 0..<6 {
        for number in 0..<calls {
          group.addTask { [self] in await call(way, Int32(number), mayLose) }
        }
      }
      group.addTask { [self] in await subscribe(calls, mayLose) }
      return await group.reduce(0, +)
    }
  }

  private func call(_ way: Int, _ number: Int32, _ mayLose: Bool) async -> Int {
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
        case .disconnected where mayLose: return 0
        // The server's connection has ended before the client's.
        case .remote where mayLose: return 0
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
  private func subscribe(_ times: Int, _ mayLose: Bool) async -> Int {
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
        if !isHeard, !mayLose { faults += 1 }
      } catch {
        if !mayLose { faults += 1 }
      }
    }
    return faults
  }
}
