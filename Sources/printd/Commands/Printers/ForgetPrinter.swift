import BLETransport
import Curl
import ESCPOS
import Glibc

/// `printd printers forget`
enum ForgetPrinter {
  /// Removes a printer's file and, of a Bluetooth printer, its pairing; an address without a file loses its pairing.
  ///
  /// A signal ends the wait for the daemon, and nothing is removed; later it ends nothing.
  static func run(_ options: CommonOptions, _ word: String) async throws -> ExitCode {
    let loaded = try options.loadPrinters(mayBeMissing: true)
    let address = BluetoothAddress(word)
    let printers = loaded.configuration.printers
    let named = printers.first { $0.name == word || (address != nil && $0.bluetooth?.address == address) }
    guard let printer = named else {
      guard let address else {
        _ = try loaded.printer(named: word)
        return .success
      }
      guard try await forgetBond(address) else {
        throw Failure(.noInput, "\(address) is neither configured nor known to bluetoothd")
      }
      Console.print("removed the pairing with \(address)")
      return .success
    }
    try checkRoutes(to: printer, in: loaded.configuration, options.configPath)
    let client = ControlClient(socket: loaded.configuration.control.socket)
    return try await Interruption.run {
      let loan = await borrow(printer, from: client)
      do {
        try Interruption.check()
        // What has begun is brought to its end.
        try await Task { try await remove(printer, options.configPath, client) }.value
      } catch {
        await loan?.end()
        throw error
      }
      await loan?.end()
      return .success
    }
  }

  /// Removes the file, tells the daemon, and removes the pairing.
  private static func remove(
    _ printer: Configuration.Printer, _ configPath: String, _ client: ControlClient
  ) async throws(Failure) {
    try removeFile(of: printer, in: ConfigurationFile.printerFolder(of: configPath), configPath)
    // Before the bond goes, so that the daemon does not try to make a new one.
    await tellDaemon(client)
    guard let address = printer.bluetooth?.address else { return }
    do throws(Failure) {
      if try await forgetBond(address) { Console.print("removed the pairing with \(address)") }
    } catch {
      // The file is gone, and that is what was asked for first; the bond does no harm.
      Console.error("warning: the pairing with \(address) is still there: \(error)")
    }
  }

  /// A route to a printer that is not there would be a configuration that nothing starts with.
  private static func checkRoutes(
    to printer: Configuration.Printer, in configuration: Configuration, _ configPath: String
  ) throws(Failure) {
    guard let index = configuration.routes.firstIndex(where: { $0.printer == printer.name }) else { return }
    let route = configuration.routes[index]
    throw Failure(
      .configuration,
      "\(configPath): routes[\(index)] sends documents of the kind \"\(route.kind)\" to \(printer.name)",
      remedy:
        "name another printer there, or take the route out, and then: printd printers forget \(printer.name)")
  }

  /// Lets the daemon end what it has in hand with a Bluetooth printer; one that does not is not waited for.
  private static func borrow(_ printer: Configuration.Printer, from client: ControlClient) async
    -> PrinterLoan?
  {
    guard let address = printer.bluetooth?.address else { return nil }
    do throws(Failure) {
      return try await PrinterLoan.take(address, from: client)
    } catch {
      guard error != .stopped else { return nil }
      Console.error("warning: the daemon does not let go of \(printer.name): \(error)")
      return nil
    }
  }

  private static func removeFile(
    of printer: Configuration.Printer, in folder: String, _ configPath: String
  ) throws(Failure) {
    for path in ConfigurationFile.printerFiles(in: folder, named: printer.name) {
      guard unlink(path) == 0 else {
        throw Failure(
          .noPermission, "\(path): \(String(cString: strerror(errno)).lowercased())", remedy: "use sudo")
      }
      Console.print("forgot \(printer.name): removed \(path)")
      return
    }
    throw Failure(
      .noInput, "\(printer.name) has no file \(folder)/\(printer.name).json5",
      remedy: "take it out of \(configPath) by hand")
  }

  private static func forgetBond(_ address: BluetoothAddress) async throws(Failure) -> Bool {
    do throws(LinkError) {
      return try await Bluetooth.bluez.remove(address, by: BootClock().now.advanced(by: .seconds(10)))
    } catch {
      throw Failure(error)
    }
  }

  private static func tellDaemon(_ client: ControlClient) async {
    guard await client.isRunning() else { return }
    do throws(Failure) {
      _ = try await client.read(StatusMessage.self, .post, "/v1/reload")
      Console.print("the daemon has forgotten it, too")
    } catch {
      Console.error("warning: the daemon did not take it: \(error)\n  try: systemctl reload printd")
    }
  }
}
