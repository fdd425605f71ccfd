/// `printd printers`
struct PrintersCommand: Command {
  static let name = "printers"
  static let summary = "finds, pairs, lists, checks and forgets printers"
  static let help = """
    usage: printd printers [list] [--json] [--config FILE]
           printd printers scan [--seconds N] [--all] [--adapter A] [--json]
           printd printers pair ADDRESS [--name N] [--yes] [--profile P] [--link ble|rfcomm] [--pin-file F]
                  [--adapter A] [--no-test] [--force]
           printd printers doctor [NAME]
           printd printers forget NAME|ADDRESS

      list     the configured printers and, with a running daemon, how they are
      scan     the Bluetooth printers that show themselves, whether they speak ESC/POS, and why that is thought
      pair     pairs with a Bluetooth printer, asks what it can, writes its file into printers.d, and prints a test page
      doctor   looks at Bluetooth and tries to reach each printer: what is wrong and what to do
      forget   removes a printer that has a file in printers.d, and a Bluetooth printer's pairing

    scan:
      --seconds N      how long (default 15); Ctrl-C ends it sooner
      --all            also devices that are no printers
      --adapter A      this adapter only: hci1, or its address
      --json           a list of devices: address, name, radio, rssi, verdict (printer, possible, refused, other),
                       language, why, refusal, paired, connected, configured

    pair:
      --name N         the printer's name in printd (default: asked, or made of what it calls itself)
      --yes            asks nothing: takes the best guess everywhere, and says so
      --profile P      the profile (default: asked, or guessed by its model)
      --link L         ble or rfcomm (default: what it has; Serial Port where it has both)
      --pin-file F     a file with its PIN, where it is none of 0000, 1234, 1111, 8888
      --no-test        prints no test page
      --force          takes a device that is not known as a printer for ESC/POS

    exit codes: 0 done · 69 not found, off, or no printer · 75 busy, or stopped · 77 wrong PIN, or not allowed ·
    78 configured already

    Examples:
      printd printers
      printd printers scan
      sudo printd printers pair 00:11:22:33:44:55
      sudo printd printers pair 00:11:22:33:44:55 --name till --yes
      printd printers doctor till
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    let json = arguments.flag("--json")
    // The word may stand behind options that only it knows; so it is looked for before they are taken out.
    switch arguments.position() {
    case nil, "list":
      try arguments.finish()
      return try await PrinterList.show(options, json: json)
    case "scan":
      let scan = try ScanPrinters(&arguments, json: json)
      try arguments.finish()
      return try await scan.run(options)
    case "pair":
      let pair = try PairPrinter(&arguments)
      try arguments.finish()
      return try await pair.run(options)
    case "doctor":
      let name = arguments.position()
      try arguments.finish()
      return try await doctor(options, name)
    case "forget":
      let name = try arguments.position("NAME")
      try arguments.finish()
      return try await ForgetPrinter.run(options, name)
    case let word?:
      throw Failure(
        .usage, "\(word) is none of list, scan, pair, doctor, forget", remedy: "printd help printers")
    }
  }

  private static func doctor(_ options: CommonOptions, _ name: String?) async throws -> ExitCode {
    let loaded = try options.loadPrinters(mayBeMissing: true)
    let printers = name == nil ? loaded.configuration.printers : [try loaded.printer(named: name)]
    let isBluetooth = printers.contains(where: \.link.isBluetooth)
    let findings = try await Interruption.run {
      var findings: [Finding] = []
      if name == nil || isBluetooth {
        // Before the first printer, Bluetooth is what one wants to know about.
        findings = await BluetoothCheck.findings(printers, isNeeded: isBluetooth || printers.isEmpty)
      }
      return findings + (try await PrinterCheck.findings(printers, loaded))
    }
    for finding in findings { Console.print(finding.text) }
    return findings.allSatisfy(\.isGood) ? .success : .unavailable
  }
}
