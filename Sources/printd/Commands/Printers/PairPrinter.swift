import BLETransport
import ESCPOS
import Glibc

/// `printd printers pair`: from a printer that is switched on to a test page, in one go.
struct PairPrinter: Sendable {
  var address: BluetoothAddress
  var name: String?
  var link: Configuration.Printer.Link?
  var profile: String?
  var adapter: String?
  var pinFile: String?
  /// Whether the best guess is taken instead of asking.
  var yes: Bool
  /// Whether a test page is printed.
  var test: Bool
  /// Whether a device is taken that does not look like a printer for ESC/POS.
  var force: Bool
  let clock = BootClock()
  let steps = Steps()

  /// Takes the options out of the arguments.
  init(_ arguments: inout Arguments) throws(Failure) {
    name = try arguments.option("--name")
    profile = try arguments.option("--profile")
    adapter = try arguments.option("--adapter")
    pinFile = try arguments.option("--pin-file")
    if arguments.flag("--pin") {
      throw Failure(
        .usage, "a PIN never stands on the command line, where every user of the machine can read it",
        remedy: "write it into a file, and: --pin-file FILE")
    }
    yes = arguments.flag("--yes", "-y")
    test = !arguments.flag("--no-test")
    force = arguments.flag("--force")
    if let word = try arguments.option("--link") {
      guard let link = Configuration.Printer.Link(rawValue: word), link.isBluetooth else {
        throw Failure(.usage, "--link must be ble or rfcomm", remedy: "printd help printers")
      }
      self.link = link
    }
    let word = try arguments.position("ADDRESS")
    guard let address = BluetoothAddress(word) else {
      throw Failure(
        .usage, "\(word) is no Bluetooth address, such as 00:11:22:33:44:55", remedy: "printd printers scan")
    }
    self.address = address
  }

  /// Does it.
  ///
  /// - Throws: ``Failure`` with the step that failed and the remedy. No half entry is left; a bond that was made is kept,
  ///   and said.
  func run(_ options: CommonOptions) async throws -> ExitCode {
    guard yes || Console.canAsk else {
      throw Failure(.usage, "there is no terminal to ask on", remedy: "--yes takes the best guess everywhere")
    }
    let plan = try Plan(self, options)
    return try await Interruption.run {
      do throws(Failure) {
        return try await pair(plan)
      } catch {
        steps.clear()
        throw error
      }
    }
  }

  private func pair(_ plan: Plan) async throws(Failure) -> ExitCode {
    let client = ControlClient(socket: plan.loaded.configuration.control.socket)
    let loan: PrinterLoan?
    do throws(Failure) {
      steps.begin("asking the daemon to let go of \(address)")
      loan = try await PrinterLoan.take(address, from: client)
    } catch {
      // The daemon has nothing to do with a printer that is not configured.
      guard plan.known == nil else { throw error }
      loan = nil
    }
    let turn = await ScanTurn.begin(with: client)
    do throws(Failure) {
      let (code, printer) = try await setUp(plan)
      await turn.end()
      await letGo(loan)
      // The entry is there, also when the test page was interrupted.
      await Task { await tellDaemon(printer, plan) }.value
      return code
    } catch {
      await turn.end()
      await letGo(loan)
      throw error
    }
  }

  private func setUp(_ plan: Plan) async throws(Failure) -> (code: ExitCode, printer: Configuration.Printer) {
    let device = try await find(plan)
    let bearer = plan.known?.link ?? link ?? choose(for: device)
    var contact = Contact(device: device, bearer: bearer, plan: plan, pair: self)
    do throws(Failure) {
      try await contact.open()
      let done = try await set(up: &contact, plan)
      await contact.close()
      return done
    } catch {
      await contact.close()
      throw error
    }
  }

  /// Hangs up, and lets the daemon have the printer again: what waits there is printed at once, over a connection of its own.
  private func letGo(_ loan: PrinterLoan?) async {
    // Also when the task is cancelled.
    await Task { await Bluetooth.stop() }.value
    await loan?.end()
  }

  /// The device, as soon as it has told what it is.
  private func find(_ plan: Plan) async throws(Failure) -> Device {
    steps.begin("looking for \(address)")
    let device: Device
    do throws(LinkError) {
      let soon = clock.now.advanced(by: .seconds(10))
      let adapter = try await Bluetooth.bluez.adapter(
        plan.known?.adapter ?? adapter, for: "pair", by: soon)
      device = try await Bluetooth.bluez.find(
        address, on: adapter, by: clock.now.advanced(by: Bluetooth.patience))
    } catch {
      throw Failure(error)
    }
    let sighting = Sighting(device)
    let recognition = Recognition(sighting)
    let why = recognition.reasons.map(\.text).joined(separator: ", ")
    let title =
      sighting.name.map { "\"\($0.cut(atBytes: ScanReport.longestName))\"" } ?? "a device without a name"
    steps.done("found \(title), \(sighting.radio.rawValue)\(why.isEmpty ? "" : " (\(why))")")
    if plan.known == nil { try await judge(recognition) }
    return device
  }

  private func judge(_ recognition: Recognition) async throws(Failure) {
    guard !force else { return }
    switch recognition.verdict {
    case .printer: return
    case .refused:
      throw Failure(
        .unavailable, "\(address) is not taken: \(recognition.refusal ?? "it does not speak ESC/POS")",
        remedy: "if you know better: --force")
    case .possible where yes:
      steps.done("nothing but its serial service says that it is a printer; taken since you named it")
    case .other where yes:
      throw Failure(
        .unavailable, "nothing says that \(address) is a printer",
        remedy: "if you know that it is one: --force")
    case .possible, .other:
      let answer = await Question.ask("Nothing sure says that this is a printer. Go on? [y/N]")
      guard answer?.lowercased().hasPrefix("y") == true else {
        throw Failure(.unavailable, "nothing was changed", remedy: "printd printers scan shows the printers")
      }
    }
  }

  /// The bearer, by what the device speaks.
  private func choose(for device: Device) -> Configuration.Printer.Link {
    switch Sighting(device).radio {
    case .ble: return .ble
    case .classic: return .rfcomm
    case .dual:
      steps.done(
        "it has both radios: taking Serial Port (rfcomm), many times faster for pictures; --link ble takes the other"
      )
      return .rfcomm
    }
  }
}

extension PairPrinter {
  /// What is known before the radio is touched, so that nothing that could be known fails later.
  struct Plan: Sendable {
    let loaded: ConfigurationFile.Loaded
    /// The folder of printer files.
    let folder: String
    /// The printer of the configuration with this address: it is paired again, and its entry stays.
    let known: Configuration.Printer?
    let pin: String?
    /// The pin file's absolute path.
    let pinFile: String?
    let configPath: String

    init(_ pair: PairPrinter, _ options: CommonOptions) throws(Failure) {
      loaded = try options.loadPrinters(mayBeMissing: true)
      configPath = options.configPath
      folder = ConfigurationFile.printerFolder(of: options.configPath)
      let address = pair.address.description
      known = loaded.configuration.printers.first { $0.link.isBluetooth && $0.address == address }
      if let known {
        let isOther =
          pair.name.map { $0 != known.name } ?? false || pair.profile.map { $0 != known.profile } ?? false
          || pair.link.map { $0 != known.link } ?? false
        guard !isOther else {
          throw Failure(
            .configuration, "\(address) is configured already, as \(known.name)",
            remedy: "printd printers forget \(known.name), then pair again; or pair without these options")
        }
      }
      if known == nil, let name = pair.name {
        guard PrinterEntry.isName(name) else {
          throw Failure(.usage, "--name must be a word of 1 to 64 characters without spaces and slashes")
        }
        guard !loaded.configuration.printers.contains(where: { $0.name == name }) else {
          throw Failure(
            .configuration, "there is a printer \"\(name)\" already", remedy: "take another --name")
        }
      }
      if let profile = pair.profile, loaded.profiles[profile] == nil {
        let names = loaded.profiles.names
        throw Failure(
          .configuration, "there is no profile \"\(profile)\"",
          remedy: nearestWord(to: profile, among: names).map { "--profile \($0)" }
            ?? names.joined(separator: ", "))
      }
      if known == nil { try Self.checkWritable(folder) }
      let path = pair.pinFile ?? known?.pinFile
      pin = if let path { try Self.readPIN(path) } else { nil }
      pinFile = pair.pinFile.map { $0.hasPrefix("/") ? $0 : "\(Files.currentFolder)/\($0)" }
    }

    private static func checkWritable(_ folder: String) throws(Failure) {
      try Files.makeFolder(folder)
      guard access(folder, W_OK | X_OK) == 0 else {
        throw Failure(.noPermission, "\(folder) cannot be written by this user", remedy: "use sudo")
      }
    }

    private static func readPIN(_ path: String) throws(Failure) -> String {
      let bytes = try Files.read(path, limit: 256, mayWait: false)
      let pin =
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      guard PairingPINs.isValid(pin) else {
        throw Failure(.badInput, "\(path): must hold a PIN of 1 to 16 characters, and nothing else")
      }
      return pin
    }
  }
}
