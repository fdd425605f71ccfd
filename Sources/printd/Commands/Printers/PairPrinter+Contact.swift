import BLETransport
import ESCPOS

extension PairPrinter {
  /// The link to a printer that is being set up: it pairs when the printer asks for that, and hears who it is.
  struct Contact: Sendable {
    private(set) var device: Device
    private(set) var bearer: Configuration.Printer.Link
    let plan: Plan
    let pair: PairPrinter
    private(set) var link: (any PrinterLink)?
    private(set) var answers = PrinterInterview.Answers()
    /// What the link is written by, where a profile was chosen.
    private var profile: PrinterProfile?
    /// Whether a bond was made, for the messages.
    private(set) var bonded = false

    init(device: Device, bearer: Configuration.Printer.Link, plan: Plan, pair: PairPrinter) {
      self.device = device
      self.bearer = bearer
      self.plan = plan
      self.pair = pair
      profile = pair.profile.flatMap { plan.loaded.profiles[$0] }
    }

    private var bluez: BlueZ { Bluetooth.bluez }
    private var steps: Steps { pair.steps }

    /// The printer as the transport knows it.
    private var printer: BluetoothPrinter {
      let profiles = plan.loaded.profiles
      if let known = plan.known, var printer = known.bluetooth(of: known.profile(from: profiles)) {
        // Its speed is to be measured, not kept to.
        printer.bytesPerSecond = nil
        return printer
      }
      var printer = BluetoothPrinter(
        name: device.name ?? "the printer", address: device.address, bearer: bearer == .ble ? .ble : .rfcomm,
        adapter: pair.adapter)
      // As the daemon will write to it.
      if let profile {
        printer.writeMode = BluetoothPrinter.WriteMode(profile.writeMode ?? .auto)
        printer.chunk = profile.chunk
      }
      return printer
    }

    /// Opens the link and interviews the printer, pairing where that is needed: a Classic printer first, a BLE one only
    /// when it refuses us without.
    mutating func open() async throws(Failure) {
      if bearer == .rfcomm { try await bond() }
      do throws(LinkError) {
        try await meet()
      } catch {
        if error.tellsOfClassic, bearer == .ble, plan.known == nil {
          guard pair.link == nil else {
            throw Failure(
              .unavailable,
              "it has both radios, and this bluetoothd connects the Classic one (\(error.message))",
              remedy: "--link rfcomm")
          }
          steps.done(
            "it has both radios, and bluetoothd connects the Classic one: taking Serial Port (rfcomm)")
          await close()
          bearer = .rfcomm
          return try await open()
        }
        guard !bonded, await isWantOfBond(error) else { throw failure(error) }
        await close()
        let isPaired = await bluez.tree.devices[device.path]?.paired == true
        if isPaired || bearer == .rfcomm { try await forgetOldBond() }
        try await bond()
        do throws(LinkError) {
          try await meet()
        } catch {
          throw failure(error)
        }
      }
    }

    /// Writes from now on as this profile says, over a link of its own where the one that is open writes otherwise.
    ///
    /// - Throws: ``Failure`` when the printer cannot be connected again; no link is open then.
    mutating func write(by profile: PrinterProfile) async throws(Failure) {
      let before = printer
      self.profile = profile
      let isSame = before.writeMode == printer.writeMode && before.chunk == printer.chunk
      guard plan.known == nil, bearer == .ble, !isSame else { return }
      await close()
      steps.begin("connecting anew, to write as \(profile.name) is written to")
      do throws(LinkError) {
        link = try await Bluetooth.opener(for: printer).open(
          by: pair.clock.now.advanced(by: Bluetooth.patience))
      } catch {
        throw failure(error)
      }
    }

    /// Whether a new bond may mend what went wrong.
    ///
    /// A BLE printer that has forgotten its bond lets itself be connected, and hangs up when the old keys are used; to
    /// bluetoothd that is a failure like any other. One that is off fails in the same way, so it must show itself.
    private func isWantOfBond(_ error: LinkError) async -> Bool {
      if error.asksForPairing { return true }
      guard bearer == .ble, error.code != .cancelled, error.code != .refused,
        let known = await bluez.tree.devices[device.path], known.paired
      else { return false }
      steps.begin("it is paired, and cannot be used; looking whether it is there")
      let limit = pair.clock.now.advanced(by: .seconds(8))
      return (try? await bluez.shows(itself: device, by: limit)) == true
    }

    private mutating func meet() async throws(LinkError) {
      steps.begin("connecting over \(bearer == .ble ? "BLE" : "Serial Port (rfcomm)")")
      let limit = pair.clock.now.advanced(by: Bluetooth.patience)
      // A BLE printer may ask for a pairing at any question.
      let consent = bearer == .ble ? try await bluez.consent(to: device.path, by: limit) : nil
      do throws(LinkError) {
        try await talk(by: limit)
        await consent?.end()
        await noteBond()
      } catch {
        await consent?.end()
        await noteBond()
        throw error
      }
    }

    /// Notices a pairing that came with the first write.
    private mutating func noteBond() async {
      guard bearer == .ble, !device.paired, !bonded,
        await bluez.tree.devices[device.path]?.paired == true
      else { return }
      bonded = true
      await bluez.trust(device.path)
      steps.done("paired, since the printer asked for it")
    }

    private mutating func talk(by limit: BootInstant) async throws(LinkError) {
      let opened = try await Bluetooth.opener(for: printer).open(by: limit)
      link = opened
      steps.done("connected over \(bearer == .ble ? "BLE" : "Serial Port (rfcomm)")")
      steps.begin("asking the printer who it is")
      var interview = PrinterInterview(link: opened, clock: pair.clock)
      answers = try await interview.conduct(by: pair.clock.now.advanced(by: .seconds(20)))
      while let obstacle = answers.status.obstacle, !pair.yes {
        steps.clear()
        let answer = await Question.ask(
          "The printer says: \(obstacle). Mend that, and press Enter (s skips).")
        guard let answer, !answer.lowercased().hasPrefix("s") else { break }
        var interview = PrinterInterview(link: opened, clock: pair.clock)
        answers = try await interview.conduct(by: pair.clock.now.advanced(by: .seconds(20)))
      }
      for line in lines { steps.done(line) }
    }

    /// What the interview has shown, a line each.
    var lines: [String] {
      guard link?.hasBackChannel == true else { return ["it has no back channel: nothing can be asked"] }
      guard !answers.isMute else { return ["it answers nothing: no status, no proof of a print"] }
      var lines: [String] = []
      let names = [answers.maker, answers.model, answers.firmware.map { "firmware \($0)" }].compactMap { $0 }
      if !names.isEmpty { lines.append("it says it is \(names.joined(separator: ", "))") }
      if answers.answersRealTime { lines.append("status (DLE EOT): \(answers.status.text)") }
      switch answers.fence {
      case .processID: lines.append("proof of a print: GS ( H")
      case .paperStatus: lines.append("proof of a print: GS r")
      case .some(.none): lines.append("proof of a print: none")
      case nil: lines.append("proof of a print: could not be asked, since it cannot print now")
      }
      return lines
    }

    private mutating func bond() async throws(Failure) {
      steps.begin("pairing")
      var pins = PairingPINs(configured: plan.pin)
      while true {
        let outcome: PairingOutcome
        do throws(LinkError) {
          let limit = pair.clock.now.advanced(by: .seconds(180))
          let steps = steps
          outcome = try await bluez.pair(device.path, pins: pins, by: limit) { event in
            switch event {
            case .attempt: break
            case .pinRefused(let number, let count):
              steps.begin("pairing: PIN \(number) of \(count) is not right")
            case .again(let words): steps.begin("pairing: \(words); again")
            }
          }
        } catch {
          throw Failure(error)
        }
        switch outcome {
        case .bonded: steps.done("paired")
        case .alreadyBonded: steps.done("paired already")
        case .unkept:
          steps.done("paired, though bluetoothd keeps no keys; going on, since many printers need none")
        case .wrongPIN:
          steps.clear()
          guard !pair.yes, let pin = await Question.ask("Its PIN (on its label or self-test page):"),
            PairingPINs.isValid(pin)
          else {
            throw Failure(
              .noPermission, "\(device.address) wants another PIN than \(pins.all.joined(separator: ", "))",
              remedy: "write the PIN of its label or self-test page into a file, and: --pin-file FILE")
          }
          pins = PairingPINs(only: pin)
          steps.begin("pairing")
          continue
        }
        bonded = outcome == .bonded
        return
      }
    }

    /// Removes a bond that the printer has forgotten, and finds the printer again.
    private mutating func forgetOldBond() async throws(Failure) {
      steps.begin("the printer has forgotten its pairing; removing ours")
      do throws(LinkError) {
        let soon = pair.clock.now.advanced(by: .seconds(10))
        let adapter = try await bluez.adapter(printer.adapter, for: "pair", by: soon)
        try await bluez.remove(device.address, by: soon)
        device = try await bluez.find(
          device.address, on: adapter, by: pair.clock.now.advanced(by: Bluetooth.patience),
          over: bearer == .ble ? .le : .both)
      } catch {
        throw Failure(error)
      }
      steps.done("removed a pairing that the printer has forgotten")
    }

    private func failure(_ error: LinkError) -> Failure {
      var failure = Failure(error)
      if bonded { failure.message += " (the new pairing is kept)" }
      return failure
    }

    /// Lets go of the printer.
    mutating func close() async {
      await link?.close()
      link = nil
    }
  }
}
