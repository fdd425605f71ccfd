import BLETransport
import DBus
import ESCPOS
import FakeBlueZ
import PrintTestKit
import Threads

/// Printers of both kinds on two adapters, and one program that prints on all of them at once.
final class Contest: Sendable {
  private struct Tally {
    var jobs = 0
    var losses = 0
    var isOver = false
  }

  private let fake: FakeBlueZ
  private let adapters: [FakeAdapter]
  private let printers: [RacePrinter]
  private let bluez: BlueZ
  private let clock = BootClock()
  private let tally = Locked(Tally())

  init() async throws {
    fake = try await FakeBlueZ()
    adapters = [fake.addAdapter(), fake.addAdapter()]
    bluez = BlueZ(address: fake.address, clock: clock, patience: .seconds(30))
    var printers: [RacePrinter] = []
    for (number, adapter) in adapters.enumerated() {
      for (place, bearer) in [BluetoothPrinter.Bearer.ble, .rfcomm, .ble].enumerated() {
        let text = "00:11:22:33:\(number)\(number):\(place)\(place)"
        guard let address = BluetoothAddress(text) else { continue }
        var printer = BluetoothPrinter(name: "printer \(number).\(place)", address: address, bearer: bearer)
        printer.adapter = "hci\(number)"
        printer.writeMode = place == 0 ? .commands : .automatic
        printers.append(RacePrinter(printer, on: adapter, text))
      }
    }
    self.printers = printers
  }

  var jobs: Int { tally.withLock { $0.jobs } }
  var losses: Int { tally.withLock { $0.losses } }

  func end() async {
    await bluez.stop(by: clock.now.advanced(by: .seconds(10)))
    for printer in printers { await printer.end() }
    await fake.end()
  }

  /// Prints on all printers at once.
  ///
  /// - Parameter isCalm: Whether nothing disturbs, so that every job must come out whole.
  /// - Returns: The number of calls that ended otherwise than they may.
  func run(rounds: Int, isCalm: Bool) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      for printer in printers {
        group.addTask { [self] in
          var faults = 0
          for round in 0..<rounds { faults += await job(printer, round, isCalm) }
          return faults
        }
      }
      // What else goes on in the daemon meanwhile.
      group.addTask { [self] in
        for _ in 0..<rounds * 3 {
          let hold = await bluez.holdScans(by: clock.now.advanced(by: .seconds(5)))
          try? await clock.sleep(for: .milliseconds(20))
          hold.release()
          for printer in printers { printer.device.appear(rssi: -60) }
        }
        return 0
      }
      return await group.reduce(0, +)
    }
  }

  private func job(_ printer: RacePrinter, _ round: Int, _ isCalm: Bool) async -> Int {
    do throws(LinkError) {
      let link = try await bluez.opener(for: printer.printer).open(by: clock.now.advanced(by: .seconds(40)))
      let problem: String?
      do throws(LinkError) {
        problem = try await talk(printer, link, round)
      } catch {
        await link.close()
        throw error
      }
      await link.close()
      tally.withLock { $0.jobs += 1 }
      guard isCalm, let problem else { return 0 }
      print("\(printer.printer.title), round \(round): \(problem)")
      return 1
    } catch {
      tally.withLock { $0.losses += 1 }
      guard isCalm else { return 0 }
      print("\(printer.printer.title), round \(round): \(error)")
      return 1
    }
  }

  /// Sends a job while answers are read, asks the printer, and now and then calls a send off in the middle.
  ///
  /// - Returns: What is not as it must be.
  private func talk(
    _ printer: RacePrinter, _ link: any PrinterLink, _ round: Int
  ) async throws(LinkError) -> String? {
    let soon = clock.now.advanced(by: .seconds(30))
    let before = printer.paper
    let bytes = (0..<6_000).map { UInt8($0 % 90 + 32) }
    let reading = Task { try? await link.receive(by: soon) }
    if round % 3 == 2 {
      let sending = Task { try? await link.send(bytes[...], by: soon) }
      try? await clock.sleep(for: .microseconds(300 * round))
      sending.cancel()
      _ = await sending.value
      reading.cancel()
      return nil
    }
    try await link.send(bytes[...], by: soon)
    try await link.flush(by: soon)
    try await link.send([0x10, 0x04, 0x01], by: soon)
    let answer = await reading.value
    let paper = await printer.paper(of: before + bytes.count, by: soon)
    guard answer == [0x12] else { return "the answer is \(answer ?? [])" }
    guard link.bytesAccepted == bytes.count + 3 else { return "\(link.bytesAccepted) bytes accepted" }
    return paper >= before + bytes.count ? nil : "\(paper - before) of \(bytes.count) bytes on paper"
  }

  /// Ends links in every way there is, until ``rest()``.
  func disturb() async throws {
    var turn = 0
    while !tally.withLock({ $0.isOver }) {
      turn += 1
      try await clock.sleep(for: .milliseconds(60))
      switch turn % 9 {
      case 3:
        adapters[turn % 2].setPowered(false)
        try await clock.sleep(for: .milliseconds(30))
        adapters[turn % 2].setPowered(true)
      case 6:
        await fake.leave()
        try await clock.sleep(for: .milliseconds(30))
        try await fake.come()
      default: printers[turn % printers.count].device.drop()
      }
    }
  }

  func rest() async { tally.withLock { $0.isOver = true } }
}
