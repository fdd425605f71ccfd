import ESCPOS
import PrintTestKit
import Testing

@testable import printd

@Suite("A fault of the configuration is shown with file, line, key and remedy")
struct ConfigurationFaultTests {
  /// A fault; the line with the mark `/*!*/` is the one to be named.
  struct Case: CustomTestStringConvertible, Sendable {
    var text: String
    var path: String
    var words: String
    var testDescription: String { "\(path): \(words)" }

    /// Keys beside a printer and a folder of orders that are right.
    init(_ more: String, _ path: String, _ words: String) {
      text = """
        // A comment, so that lines are not all the first one.
        {
          printers: [{name: "counter", link: "tcp", address: "10.0.0.1", profile: "generic-80"}],
          orders: {directory: "orders"},
        \(more)
        }
        """
      (self.path, self.words) = (path, words)
    }

    /// A printer of generic-58 with these keys beside its name.
    init(printer keys: String, _ key: String, _ words: String) {
      text =
        "{\n  orders: {directory: 'o'},\n  printers: [\n    {name: 'a', profile: 'generic-58', \(keys)}, /*!*/\n  ],\n}"
      (path, self.words) = ("printers[0].\(key)", words)
    }

    init(whole: String, _ path: String, _ words: String) {
      (text, self.path, self.words) = (whole, path, words)
    }
  }

  static let printer = #"{name: "a", link: "tcp", address: "10.0.0.1", profile: "generic-80"}"#
  static let address = "address: '00:AA:01:01:00:42'"
  static let http = #"fetch: "https://a/{order_id}", report: "https://a/r""#

  static let cases: [Case] = [
    // A typo names the nearest key; a key far from all names the ones there are.
    Case("  locael: 'de', /*!*/", "locael", #"did you mean "locale"?"#),
    Case("  budget: {\n    second: 5, /*!*/\n  },", "budget.second", #"did you mean "seconds"?"#),
    Case("  colour: 'red', /*!*/", "colour", "known here"),
    Case("  jobs: {\n\n    expires_minutes: 5 /*!*/\n  },", "jobs.expires_minutes", #""expire_minutes""#),
    Case("  webhook: {secret_file: ['a']}, /*!*/", "webhook.secret_file", #""secret_files""#),
    // Wrong types.
    Case("  budget: {\n    seconds: 'ten', /*!*/\n  },", "budget.seconds", "a number"),
    Case("  locale: 5, /*!*/", "locale", "a string"),
    Case("  budget: 10, /*!*/", "budget", "an object"),
    Case("  routes: {}, /*!*/", "routes", "a list"),
    Case("  wakes: {inline_orders: 'yes'}, /*!*/", "wakes.inline_orders", "true or false"),
    Case("  jobs: {history_days: 1.5}, /*!*/", "jobs.history_days", "a whole number"),
    Case("  jobs: {history_days: 1e300}, /*!*/", "jobs.history_days", "from 1 to 3650"),
    Case("  budget: {seconds: 1e999}, /*!*/", "budget.seconds", "from 1 to 30"),
    Case(
      "  routes: [\n    {kind: 'receipt', printer: 'counter',\n     pay_types: [1]}, /*!*/\n  ],",
      "routes[0].pay_types[0]", "a string"),
    // Out of range, and parts that do not go together.
    Case("  budget: {seconds: 31}, /*!*/", "budget.seconds", "from 1 to 30"),
    Case("  budget: {seconds: 0.5}, /*!*/", "budget.seconds", "from 1 to 30"),
    Case("  budget: {seconds: 1, grace_ms: 900}, /*!*/", "budget.grace_ms", "half of the 1 seconds"),
    Case(
      "  budget: {\n    seconds: 2,\n    report_reserve_ms: 1000 /*!*/\n  },", "budget.report_reserve_ms",
      "half of the 2 seconds"),
    Case("  jobs: {expire_minutes: 0}, /*!*/", "jobs.expire_minutes", "from 1 to 10080"),
    Case("  webhook: {secret_files: []}, /*!*/", "webhook.secret_files", "at least one file"),
    Case(
      "  webhook: {\n    secret_files: ['a'],\n    listen: 'a b' /*!*/\n  },", "webhook.listen",
      "127.0.0.1:8787"),
    Case("  control: {socket: 'a.sock'}, /*!*/", "control.socket", "absolute path"),
    Case("  time_zone: 'Europe/Berlln', /*!*/", "time_zone", "Europe/Berlin"),
    // Names.
    Case(
      "  routes: [\n    {kind: 'receipt',\n     printer: 'countre'}, /*!*/\n  ],", "routes[0].printer",
      #"did you mean "counter"?"#),
    Case(
      "  routes: [\n    {kind: 'receipt', printer: 'counter'},\n    {kind: 'receipt', printer: 'counter'}, /*!*/\n  ],",
      "routes[1].kind", "a kind of its own"),
    Case(
      whole:
        "{\n  printers: [\n    {name: 'a', link: 'tcp', address: 'h',\n     profile: 'generic-8O'}, /*!*/\n  ],\n  orders: {directory: 'o'},\n}",
      "printers[0].profile", #"did you mean "generic-80"?"#),
    Case(
      whole: "{\n  printers: [\n    \(printer),\n    \(printer), /*!*/\n  ],\n  orders: {directory: 'o'},\n}",
      "printers[1].name", "a name of its own"),
    Case(
      whole: "{\n  printers: [\n    {name: 'a', link: 'tpc', profile: 'generic-80'}, /*!*/\n  ],\n}",
      "printers[0].link", #"did you mean "tcp"?"#),
    Case(
      whole: "{\n  printers: [\n    {name: 'a', link: 'tcp', profile: 'generic-80'}, /*!*/\n  ],\n}",
      "printers[0].address", "192.168.1.50:9100"),
    Case(
      whole: "{\n  printers: [\n    {name: 'a b', link: 'tcp', profile: 'generic-80'}, /*!*/\n  ],\n}",
      "printers[0].name", "without spaces"),
    Case(
      whole:
        "{\n  printers: [\n    {name: 'a', link: 'tcp', address: 'h:99999', profile: 'generic-80'}, /*!*/\n  ],\n  orders: {directory: 'o'},\n}",
      "printers[0].address", "host:port"),
    Case(
      whole:
        "{\n  printers: [\n    {name: 'a', link: 'virtual', profile: 'generic-80',\n     overrides: {fence: 'maybe'}}, /*!*/\n  ],\n}",
      "printers[0].overrides.fence", "processID"),
    // The voice.
    Case("  voice: {}, /*!*/", "voice.currency", "is missing"),
    Case("  voice: {currency: 'CHY'}, /*!*/", "voice.currency", "must be one of CNY, EUR"),
    Case("  voice: {currency: 'CNY', langauge: 'zh'}, /*!*/", "voice.langauge", #"did you mean "language"?"#),
    Case("  voice: {currency: 'CNY', language: 'tlh'}, /*!*/", "voice.language", "zh, yue, en"),
    Case(
      "  voice: {currency: 'CNY', templates: {\n    wx: '收款'}}, /*!*/", "voice.templates.wx",
      "must have {amount}"),
    Case("  voice: {currency: 'CNY', templates: {wxx: '{amount}'}}, /*!*/", "voice.templates.wxx", #""wx""#),
    Case(
      "  voice: {currency: 'CNY', templates: {fixed: '{amount}'}}, /*!*/", "voice.templates.fixed", "without"),
    Case(
      "  voice: {currency: 'CNY', pay_types: {'9': 'order'}}, /*!*/", "voice.pay_types", "must be one of wx"),
    Case("  voice: {currency: 'CNY', set: '..'}, /*!*/", "voice.set", "the name of a set"),
    Case("  voice: {currency: 'CNY', group: 'a/b'}, /*!*/", "voice.group", "without slashes"),
    Case("  voice: {currency: 'CNY', chime: 3}, /*!*/", "voice.chime", "true, false, or the path"),
    Case("  voice: {currency: 'CNY', output: 'file'}, /*!*/", "voice.device", "the path of the WAV file"),
    Case("  voice: {currency: 'CNY', rate: 3}, /*!*/", "voice.rate", "from 0.5 to 2"),
    Case(
      "  voice: {currency: 'CNY', online: {url: 'ftp://a/{text}'}}, /*!*/", "voice.online.url", "https://"),
    Case("  voice: {currency: 'CNY', online: {url: 'https://a/'}}, /*!*/", "voice.online.url", "{text}"),
    // Bluetooth printers.
    Case(printer: "link: 'ble'", "address", "00:11:22:33:44:55"),
    Case(printer: "link: 'ble', address: 'Printer001'", "address", "printd printers scan"),
    Case(printer: "link: 'rfcomm', address: '00:11:22:33:44'", "address", "Bluetooth address"),
    Case(printer: "link: 'rfcomm', address: '00:11:22:33:44:5G'", "address", "Bluetooth address"),
    Case(printer: "link: 'rfcomm', address: '00:00:00:00:00:00'", "address", "Bluetooth address"),
    Case(printer: "link: 'blee', \(address)", "link", #"did you mean "ble"?"#),
    Case(printer: "link: 'ble', \(address), adaptor: 'hci0'", "adaptor", #"did you mean "adapter"?"#),
    Case(printer: "link: 'ble', \(address), adapter: 'wlan0'", "adapter", "hci0"),
    Case(printer: "link: 'ble', \(address), adapter: 'hci-1'", "adapter", "hci0"),
    Case(printer: "link: 'ble', \(address), service: '18f'", "service", "18f0"),
    Case(printer: "link: 'ble', \(address), service: '１８f０'", "service", "18f0"),
    Case(printer: "link: 'ble', \(address), characteristic: 'x'", "characteristic", "must be a UUID"),
    Case(printer: "link: 'ble', \(address), notify: '2af'", "notify", "must be a UUID"),
    Case(printer: "link: 'ble', \(address), notify: ''", "notify", "must be a word"),
    Case(printer: "link: 'ble', \(address), write_mode: 'fast'", "write_mode", "auto, command, request"),
    Case(printer: "link: 'ble', \(address), chunk: 19", "chunk", "from 20 to 512"),
    Case(printer: "link: 'rfcomm', \(address), channel: 31", "channel", "from 1 to 30"),
    Case(printer: "link: 'ble', \(address), pinfile: 'p'", "pinfile", #"did you mean "pin_file"?"#),
    // Keys of another link.
    Case(printer: "link: 'ble', \(address), channel: 1", "channel", #"it is for "rfcomm""#),
    Case(printer: "link: 'rfcomm', \(address), pace: 99", "pace", "from 100 to 1000000"),
    Case(printer: "link: 'ble', \(address), pace: 1000", "pace", #"it is for "rfcomm""#),
    Case(printer: "link: 'rfcomm', \(address), chunk: 20", "chunk", #"it is for "ble""#),
    Case(printer: "link: 'rfcomm', \(address), notify: '2af0'", "notify", #"it is for "ble""#),
    Case(printer: "link: 'rfcomm', \(address), service: '18f0'", "service", #"it is for "ble""#),
    Case(printer: "link: 'rfcomm', \(address), write_mode: 'auto'", "write_mode", #"it is for "ble""#),
    Case(printer: "link: 'tcp', address: 'h', adapter: 'hci0'", "adapter", #""ble" or "rfcomm""#),
    Case(printer: "link: 'tcp', address: 'h', pin_file: 'p'", "pin_file", #""ble" or "rfcomm""#),
    // One device twice, whatever the spelling and the link.
    Case(
      whole:
        "{\n  orders: {directory: 'o'},\n  printers: [\n    {name: 'a', profile: 'generic-58', link: 'ble', address: '00:aa:01:01:00:42'},\n    {name: 'b', profile: 'generic-58', link: 'rfcomm',\n     address: '00-AA-01-01-00-42'}, /*!*/\n  ],\n}",
      "printers[1].address", #"printer "a" has this address, too"#),
    // Where orders come from.
    Case(whole: "{\n  printers: [\(printer)],\n}", "orders", "where orders come from"),
    Case(
      whole: "{\n  orders: {}, /*!*/\n  printers: [\(printer)],\n}", "orders.http", "where orders come from"),
    Case(
      whole:
        "{\n  printers: [\(printer)],\n  orders: {\n    http: {\(http)},\n    directory: 'o', /*!*/\n  },\n}",
      "orders.directory", "keep one of them"),
    Case(
      whole:
        "{\n  printers: [\(printer)],\n  orders: {http: {fetch: 'https://a/', report: 'https://a'}}, /*!*/\n}",
      "orders.http.fetch", "{order_id}"),
    Case(
      whole:
        "{\n  printers: [\(printer)],\n  orders: {http: {\(http),\n    pending: 'https://a/p'}}, /*!*/\n}",
      "orders.http.pending", "{cursor}"),
    Case(
      whole: "{\n  printers: [\(printer)],\n  orders: {http: {\(http),\n    pending: 'ftp://a/p'}}, /*!*/\n}",
      "orders.http.pending", "https://"),
    Case(
      whole:
        "{\n  printers: [\(printer)],\n  orders: {http: {\(http), token_file: 't',\n    header: {name: 'a', value_file: 'b'}}}, /*!*/\n}",
      "orders.http.header", "keep one of them"),
  ]

  @Test("Each kind of fault", arguments: cases)
  func fault(_ fault: Case) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(fault.text, to: "printd.json5")
    let failure = try #require(Self.failure(path))
    #expect(failure.code == .configuration)
    let line = fault.text.split(separator: "\n", omittingEmptySubsequences: false)
      .firstIndex { $0.contains("/*!*/") }
    // What is missing altogether is shown at the document.
    let place = "\(path):\(line.map { $0 + 1 } ?? 1): \(fault.path): "
    #expect(failure.message.hasPrefix(place), "\(failure.message)")
    #expect(failure.message.contains(fault.words), "\(failure.message)")
  }

  @Test("Text that is not JSON5 is shown with its line")
  func syntax() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("{\n  printers: [\n    {name: }\n  ],\n}", to: "printd.json5")
    let failure = try #require(Self.failure(path))
    #expect(failure.message.hasPrefix("\(path): line 3, column 12: "), "\(failure.message)")
  }

  @Test("A fault in a file of printers.d is shown with that file and its line")
  func printerFiles() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "{\n  printers: [\(Self.printer)],\n  orders: {directory: 'o'},\n}", to: "printd.json5")
    try Files.makeFolder(folder.path("printers.d"))
    try folder.write("{\n  name: 'b', link: 'tcp',\n  adress: 'h',\n}", to: "printers.d/1.json5")
    try folder.write(
      "{\n  name: 'c',\n  link: 'virtual',\n  profile: 'generic-81',\n}", to: "printers.d/2.json5")
    try folder.write(
      "{\n  name: 'a',\n  link: 'virtual',\n  profile: 'generic-80',\n}", to: "printers.d/3.json5")
    let faults = try #require(Self.failure(path)).message.split(separator: "\n")
    #expect(faults.count == 3, "\(faults)")
    #expect(faults.first?.hasPrefix("\(folder.path)/printers.d/1.json5:3: adress: ") == true, "\(faults)")
    #expect(
      faults.contains {
        $0.hasPrefix("\(folder.path)/printers.d/2.json5:4: profile: ") && $0.contains(#""generic-80""#)
      }, "\(faults)")
    #expect(faults.contains { $0.hasPrefix("\(folder.path)/printers.d/3.json5:2: name: ") }, "\(faults)")
  }

  @Test("A printer of printers.d stands behind the others, and its paths begin at the configuration's folder")
  func goodPrinterFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("{printers: [\(Self.printer)], orders: {directory: 'o'}}", to: "printd.json5")
    try Files.makeFolder(folder.path("printers.d"))
    try folder.write(
      "{name: 'b', link: 'virtual', profile: 'generic-80', address: 'paper'}", to: "printers.d/b.json5")
    let loaded = try ConfigurationFile.load(path)
    #expect(loaded.configuration.printers.map(\.name) == ["a", "b"])
    #expect(loaded.configuration.printers.last?.address == folder.path("paper"))
  }

  @Test("One network printer under two names is odd, and said so")
  func oneAddress() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      """
      {printers: [
        {name: "a", link: "tcp", address: "10.0.0.1", profile: "generic-80"},
        {name: "b", link: "tcp", address: "10.0.0.1:9100", profile: "generic-58"},
        {name: "c", link: "tcp", address: "10.0.0.1:9101", profile: "generic-58"},
      ], orders: {directory: 'o'}}
      """, to: "printd.json5")
    let warnings = try ConfigurationFile.load(path).warnings
    #expect(warnings.count == 1, "\(warnings)")
    #expect(warnings.first?.contains(#"printer "b": printer "a" has this address, too"#) == true)
  }

  @Test("A configuration without a printer, as after the last was forgotten, is odd and not wrong")
  func noPrinter() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("{printers: [], orders: {directory: 'o'}}", to: "printd.json5")
    let loaded = try ConfigurationFile.load(path)
    #expect(loaded.configuration.printers.isEmpty)
    #expect(loaded.warnings.count == 1 && loaded.warnings[0].contains("printd printers pair"))
  }

  @Test("The sample that is installed is right")
  func sample() throws {
    _ = try ConfigurationFile.load("\(Fixtures.project)/packaging/printd.json5")
  }

  @Test("A profile of the shop's own is found, and a fault in its file is shown there")
  func profiles() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "{printers: [\(Self.printer)], profiles: 'mine', orders: {directory: 'o'}}", to: "printd.json5")
    try Files.makeFolder(folder.path("mine"))
    try folder.write(#"{"profiles": [{"name": "x"}]}"#, to: "mine/x.json")
    let failure = try #require(Self.failure(path))
    #expect(failure.message.contains("\(folder.path)/mine/x.json"), "\(failure.message)")
  }

  private static func failure(_ path: String) -> Failure? {
    do throws(Failure) {
      _ = try ConfigurationFile.load(path)
      return nil
    } catch {
      return error
    }
  }
}
