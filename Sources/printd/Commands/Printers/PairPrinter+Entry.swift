import BLETransport
import Curl
import ESCPOS
import Glibc

extension PairPrinter {
  /// Chooses profile and name, writes the entry, and prints the test page.
  func set(
    up contact: inout Contact, _ plan: Plan
  ) async throws(Failure) -> (code: ExitCode, printer: Configuration.Printer) {
    let file: EntryFile?
    let printer: Configuration.Printer
    if let known = plan.known {
      printer = known
      file = nil
      steps.done("\(known.name) is configured already; its entry stays as it is")
    } else {
      let written = try await writeEntry(contact, plan)
      file = written
      printer = written.entry.printer
    }
    guard let model = printer.profile(from: plan.loaded.profiles) else {
      throw Failure(.configuration, "there is no profile \"\(printer.profile)\"")
    }
    var code = ExitCode.success
    if test {
      do throws(Failure) {
        try await contact.write(by: model)
        let page = try await printTestPage(contact, printer, model, plan)
        if var file, let rate = page.bytesPerSecond, rate != model.bytesPerSecond {
          file.entry.overrides.bytesPerSecond = rate
          file.entry.rateReason =
            "Measured by the test page: \(page.bytes) bytes from the first one sent to the proof of the last."
          try file.rewrite()
        }
      } catch {
        steps.clear()
        Console.error("printd printers: \(error)")
        Console.error(
          "\(printer.name) is configured all the same; then: printd test-print --printer \(printer.name)")
        code = error.code
      }
    }
    return (code, printer)
  }

  private func writeEntry(_ contact: Contact, _ plan: Plan) async throws(Failure) -> EntryFile {
    let profile = try await chooseProfile(contact, plan)
    let name = try await chooseName(contact, plan)
    var entry = PrinterEntry(
      name: name, link: contact.bearer, address: address.description, profile: profile.profile,
      profileReason: profile.reason, adapter: adapter, pinFile: plan.pinFile)
    let sighting = Sighting(contact.device)
    let reasons = Recognition(sighting).reasons.map(\.text).joined(separator: ", ")
    entry.findings = ["\(sighting.name.map { "\"\($0)\", " } ?? "")\(sighting.radio.rawValue); \(reasons)"]
    entry.findings += contact.lines
    if let model = plan.loaded.profiles[profile.profile] {
      entry.override(model, by: contact.answers, hasBackChannel: contact.link?.hasBackChannel ?? false)
    }
    let file = EntryFile(entry: entry, path: "\(plan.folder)/\(name).json5")
    try file.create(checking: plan.configPath)
    steps.done("wrote \(file.path)")
    return file
  }

  private func chooseProfile(
    _ contact: Contact, _ plan: Plan
  ) async throws(Failure) -> (profile: String, reason: String?) {
    if let profile { return (profile, nil) }
    let guess = PrinterGuess(model: contact.answers.model, name: contact.device.name)
    let best = plan.loaded.profiles[guess.profile] == nil ? plan.loaded.profiles.names.first : guess.profile
    guard let best else { throw Failure(.configuration, "there are no profiles") }
    let reason = guess.reason.map { "Guessed by its \($0)." }
    if yes {
      let words = reason ?? "Nothing tells its paper: 58 mm is the careful guess."
      steps.done("profile \(best). \(words) --profile takes another")
      return (best, words)
    }
    let names = [best] + plan.loaded.profiles.names.filter { $0 != best }
    for (index, name) in names.enumerated() {
      Console.print(
        "  \(index + 1)  \(name.padded(to: 16))\(plan.loaded.profiles[name]?.title ?? "")".printable)
    }
    guard let number = await Question.choose("Which profile? [1]", among: names.count) else { throw stopped }
    return number == 1 ? (best, reason) : (names[number - 1], nil)
  }

  private func chooseName(_ contact: Contact, _ plan: Plan) async throws(Failure) -> String {
    if let name { return name }
    let taken = plan.loaded.configuration.printers.map(\.name)
    let free = PrinterEntry.name(from: contact.device.name ?? contact.answers.model, taken: taken)
    guard !yes else { return free }
    while true {
      guard let answer = await Question.ask("Its name in printd? [\(free)]") else { throw stopped }
      if answer.isEmpty { return free }
      guard PrinterEntry.isName(answer) else {
        Console.print("a word of 1 to 64 characters without spaces and slashes, please")
        continue
      }
      guard !taken.contains(answer) else {
        Console.print("there is a printer of that name already")
        continue
      }
      return answer
    }
  }

  private var stopped: Failure { Failure(.temporary, "stopped; nothing was written") }

  /// Lets the daemon read the entry.
  func tellDaemon(_ printer: Configuration.Printer, _ plan: Plan) async {
    let client = ControlClient(socket: plan.loaded.configuration.control.socket)
    do throws(Failure) {
      _ = try await client.read(StatusMessage.self, .post, "/v1/reload")
      steps.done("the daemon has read it: \(printer.name) is ready")
    } catch {
      if await client.isRunning() {
        steps.done("the daemon did not take it: \(error.message); then: systemctl reload printd")
      } else {
        let first =
          access(plan.configPath, F_OK) == 0
          ? "" : "write \(plan.configPath) first (sample: packaging/printd.json5), and "
        steps.done("no daemon is running that must be told; \(first)start it: systemctl enable --now printd")
      }
    }
    let configuration = plan.loaded.configuration
    if configuration.routes.isEmpty, let first = configuration.printers.first, first.name != printer.name {
      steps.done(
        "receipts go to \(first.name), the first printer; \"routes\" in \(plan.configPath) sends them here")
    }
  }
}

/// The file of an entry.
struct EntryFile {
  var entry: PrinterEntry
  let path: String

  /// Writes the file, which must not be there yet, and checks that the configuration with it is right.
  ///
  /// - Throws: ``Failure``; the file is then not there.
  func create(checking configPath: String) throws(Failure) {
    try Files.write(Array(entry.text.utf8), toNew: path)
    letDaemonRead()
    do throws(Failure) {
      _ = try ConfigurationFile.loadPrinters(configPath, mayBeMissing: true)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Writes the entry again.
  func rewrite() throws(Failure) {
    try Files.write(Array(entry.text.utf8), to: path, durably: true)
    letDaemonRead()
  }

  /// Whatever the umask of the person was: the daemon has a user of its own.
  private func letDaemonRead() { _ = chmod(path, 0o644) }
}
