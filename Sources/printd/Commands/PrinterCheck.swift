import Curl
import ESCPOS
import TextRaster

/// Tries to reach printers; with a daemon running the daemon's own word is taken, since it may hold the link.
enum PrinterCheck {
  /// What is found, a line for each printer.
  ///
  /// - Throws: ``Failure/stopped`` when the task is cancelled; no link stays open.
  static func findings(
    _ printers: [Configuration.Printer], _ loaded: ConfigurationFile.Loaded
  ) async throws(Failure) -> [Finding] {
    let client = ControlClient(socket: loaded.configuration.control.socket)
    let status = try? await client.read(StatusMessage.self, .get, "/v1/status")
    var findings: [Finding] = []
    for printer in printers {
      try Interruption.check()
      if let known = status?.printers.first(where: { $0.name == printer.name }) {
        let isBad = known.obstacle != nil
        findings.append(
          Finding(
            isBad ? .bad : .good, "printer \(printer.name)", known.text, remedy: isBad ? remedy(printer) : nil
          ))
      } else {
        findings.append(await ask(printer, loaded))
      }
    }
    try Interruption.check()
    return findings
  }

  private static func ask(_ printer: Configuration.Printer, _ loaded: ConfigurationFile.Loaded) async
    -> Finding
  {
    let subject = "printer \(printer.name)"
    guard printer.link != .virtual else {
      return Finding(.good, subject, "virtual; its paper goes to \(printer.address ?? "nowhere")")
    }
    do throws(Failure) {
      let direct = try DirectPrint(printer, loaded, raster: loaded.configuration.raster)
      do {
        let answer = try await direct.ask(within: printer.link.isBluetooth ? printer.patience : .seconds(5))
        guard let obstacle = answer.obstacle else {
          return Finding(.good, subject, answer.lines.joined(separator: "; "))
        }
        return Finding(.bad, subject, obstacle, remedy: remedy(printer))
      } catch {
        var remedy = remedy(printer)
        if error.code == .refused, let other = await BluetoothCheck.remedyOfStaleCache(printer) {
          remedy = "if it has printed before: \(other)"
        }
        return Finding(.bad, subject, error.message, remedy: remedy)
      }
    } catch {
      return Finding(.bad, subject, error.message, remedy: error.remedy)
    }
  }

  private static func remedy(_ printer: Configuration.Printer) -> String {
    switch printer.link {
    case .tcp: "is it switched on, has it paper, and is \(printer.address ?? "") its address? ping it"
    case .file: "is it plugged in, and may this user write \(printer.address ?? "")? ls -l it"
    case .virtual: "look at the folder's permissions"
    case .ble, .rfcomm: "is it switched on and near, and does no phone hold it? printd printers scan shows it"
    }
  }
}
