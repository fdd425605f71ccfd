import BLETransport
import DBus
import ESCPOS
import FakeBlueZ
import Glibc
import PrintTestKit
import Threads

/// A printer of the race: behind GATT the fake's own, behind a Serial Port one that reads and answers here.
final class RacePrinter: Sendable {
  let printer: BluetoothPrinter
  let device: FakeDevice
  private let serial = Locked(0)
  private let reading: Locked<Task<Void, Never>?> = Locked(nil)
  private let clock = BootClock()

  init(_ printer: BluetoothPrinter, on adapter: FakeAdapter, _ address: String) {
    self.printer = printer
    if printer.bearer == .ble {
      let paper = FakePrinter(clock: BootClock())
      device = adapter.addDevice(address, services: [.print, .access], printer: paper)
    } else {
      device = adapter.addDevice(address, name: "Printer")
      reading.withLock {
        $0 = Task { [weak self, channels = device.channels] in
          var number = 0
          for await channel in channels {
            number += 1
            await self?.serve(channel)
            // As bluetoothd does when the channel has ended; by now the next one may be open.
            self?.device.drop(withChannel: number)
          }
        }
      }
    }
  }

  func end() async {
    let task = reading.withLock { $0 }
    task?.cancel()
    await task?.value
  }

  /// How many bytes are on paper.
  var paper: Int { device.printer?.printed.count ?? serial.withLock { $0 } }

  /// Waits for bytes to be on paper, and returns how many are.
  func paper(of count: Int, by deadline: BootInstant) async -> Int {
    while paper < count, clock.now < deadline { try? await clock.sleep(for: .milliseconds(1)) }
    return paper
  }

  /// Reads a channel to its end, and answers each `DLE EOT`.
  private func serve(_ channel: DBusDescriptor) async {
    guard let file = channel.take() else { return }
    defer { close(file) }
    _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK)
    var buffer = [UInt8](repeating: 0, count: 1_000)
    while !Task.isCancelled {
      let count = read(file, &buffer, buffer.count)
      if count > 0 {
        serial.withLock { $0 += count }
        let answer: [UInt8] = [0x12]
        if buffer.prefix(count).contains(0x04) {
          _ = Glibc.send(file, answer, 1, Int32(MSG_NOSIGNAL))
        }
      } else if count == 0 || errno != EAGAIN {
        return
      } else {
        try? await clock.sleep(for: .milliseconds(1))
      }
    }
  }
}
