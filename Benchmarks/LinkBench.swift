import BLETransport
import ESCPOS
import FoundationEssentials
import Glibc
import Threads

/// Writes print data to a BLE printer over printd's own link, for the Bluetooth rig's bench (`Tests/Rig/bench`).
///
///     printd-bench link ADDRESS CHUNK RATE
///
/// RATE is the printer's in bytes a second, 0 for one that keeps up with the radio. Each line of the standard input is a
/// number of bytes: so many are written, and a line of JSON says when that began and how much processor time of this
/// process it took.
enum LinkBench {
  private struct Round: Encodable {
    /// CLOCK_MONOTONIC, in seconds.
    var began: Double
    /// Processor time in seconds.
    var cpu: Double
  }

  static func run(_ words: [String]) async throws {
    guard words.count == 3, let address = BluetoothAddress(words[0]), let chunk = Int(words[1]),
      let rate = Int(words[2])
    else { throw Fault(description: "usage: printd-bench link ADDRESS CHUNK RATE") }
    let clock = BootClock()
    let bluez = BlueZ(clock: clock, note: { _ in })
    let printer = BluetoothPrinter(
      name: "bench", address: address, bearer: .ble, writeMode: rate == 0 ? .commands : .automatic,
      chunk: chunk,
      bytesPerSecond: rate == 0 ? nil : rate)
    let link = try await BLELinkOpener(printer, bluez).open(by: clock.now.advanced(by: .seconds(60)))
    say("ready")
    while let count = await nextCount() {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 0x20 + $0 % 0x5F) }
      let deadline = clock.now.advanced(by: .seconds(60))
      let began = seconds(CLOCK_MONOTONIC)
      let before = seconds(CLOCK_PROCESS_CPUTIME_ID)
      try await link.send(bytes[...], by: deadline)
      try await link.flush(by: deadline)
      let round = Round(began: began, cpu: seconds(CLOCK_PROCESS_CPUTIME_ID) - before)
      say(String(decoding: try JSONEncoder().encode(round), as: UTF8.self))
    }
    await link.close()
    await bluez.stop(by: clock.now.advanced(by: .seconds(5)))
  }

  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  /// For what waits or computes for long: for a thread of the pool that does, the system adds another, which is woken with
  /// many a job of the first from then on. The daemon keeps such work off the pool, too.
  static let desk = WorkThreads(keeping: 1)

  /// The next line's number; nil at the end.
  static func nextCount() async -> Int? {
    await desk.run { readLine() }.flatMap { Int($0) }
  }

  static func seconds(_ id: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(id, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
  }
}
