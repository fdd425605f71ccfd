import Announcer
import BLETransport
import Documents
import ESCPOS
import PrintTestKit
import SpokenAmounts
import Testing
import WakeHandler

@testable import printd

@Suite("The configuration's keys, its schema and its page agree")
struct ConfigurationTests {
  /// Every key with another value than its default.
  static let whole = #"""
    {
      state_directory: "/s", locale: "de-AT", time_zone: "Europe/Berlin", capitals: true, images: "/i", profiles: "/p",
      budget: {seconds: 12.5, grace_ms: 400, report_reserve_ms: 900},
      jobs: {expire_minutes: 60, history_days: 7},
      printers: [
        {name: "counter", link: "tcp", address: "10.0.0.1:9101", profile: "generic-80", idle_seconds: 9,
         overrides: {fence: "none", bytes_per_second: 9000, drawer: false, status: false}},
        {name: "belt", link: "ble", address: "00-aa-01-01-00-42", profile: "generic-58", adapter: "hci1",
         service: "FF00", characteristic: "ff02", notify: "FF03", write_mode: "request", chunk: 100, pin_file: "/p"},
        {name: "desk", link: "rfcomm", address: "00:AA:01:02:00:42", profile: "generic-80",
         adapter: "00:aa:00:00:00:01", channel: 3, pace: 1000},
      ],
      routes: [{kind: "kitchen", printer: "counter", copies: 3, pay_types: ["1"], merchants: ["A"]}],
      orders: {http: {
        fetch: "https://a/{order_id}", report: "https://a/r", pending: "https://a/p?c={cursor}",
        header: {name: "X-Key", value_file: "/k"}, ca_file: "/ca"}},
      wakes: {inline_orders: true},
      webhook: {listen: "127.0.0.1:1", secret_files: ["/w"], connections: 5},
      voice: {
        enabled: false, language: "zh-HK", currency: "HKD", set: "/v", brand: "B", rate: 1.2, chime: "/c.wav",
        pitch: 0.9, gain_db: -3.5, repeat: 2, screen: ["/show", "{title}", "{body}"],
        templates: {wx: "w{amount}", fixed: "f", fixed_refund: "fr"}, pay_types: {"9": "card"}, jiaofen: true,
        liang: true, synthesiser: "none", online: {url: "https://v/{text}", deadline_ms: 900, cache_mb: 2, ca_file: "/a"},
        group: "g", event_files: true, output: "alsa", device: "hw:1", server: "unix:/n", mute: "override",
        others: "duck", duck_db: 12, minimum_volume: 70, max_age_seconds: 9, summary: true, queue: 3,
        pre_roll_ms: 5, bluetooth_pre_roll_ms: 6},
      control: {socket: "/c"},
    }
    """#

  @Test("Every key is read")
  func everyKey() throws {
    let read = try DocumentReader.read(Configuration.self, from: Array(Self.whole.utf8), json5: true)
    var expected = Configuration()
    expected.stateDirectory = "/s"
    expected.locale = "de-AT"
    expected.timeZone = "Europe/Berlin"
    expected.capitals = true
    expected.images = "/i"
    expected.profiles = "/p"
    expected.budget.seconds = 12.5
    expected.budget.graceMilliseconds = 400
    expected.budget.reportReserveMilliseconds = 900
    expected.jobs.expireMinutes = 60
    expected.jobs.historyDays = 7
    expected.printers = [
      .init(
        name: "counter", link: .tcp, address: "10.0.0.1:9101", profile: "generic-80",
        overrides: .init(
          fence: PrinterProfile.Fence.none, bytesPerSecond: 9000, drawer: false, status: false),
        idleSeconds: 9),
      .init(
        name: "belt", link: .ble, address: "00:AA:01:01:00:42", profile: "generic-58", adapter: "hci1",
        service: "0000ff00-0000-1000-8000-00805f9b34fb",
        characteristic: "0000ff02-0000-1000-8000-00805f9b34fb",
        notify: "0000ff03-0000-1000-8000-00805f9b34fb", writeMode: .request, chunk: 100, pinFile: "/p"
      ),
      .init(
        name: "desk", link: .rfcomm, address: "00:AA:01:02:00:42", profile: "generic-80",
        adapter: "00:AA:00:00:00:01", channel: 3, pace: 1_000),
    ]
    expected.routes = [
      .init(kind: "kitchen", printer: "counter", copies: 3, payTypes: ["1"], merchants: ["A"])
    ]
    expected.orders = .http(
      .init(
        fetch: "https://a/{order_id}", report: "https://a/r", pending: "https://a/p?c={cursor}",
        header: .init(name: "X-Key", valueFile: "/k"), caFile: "/ca"))
    expected.wakes.inlineOrders = true
    expected.webhook = .init(listen: "127.0.0.1:1", secretFiles: ["/w"], connections: 5)
    expected.control.socket = "/c"
    expected.voice = try Self.voice
    #expect(read == expected)
  }

  private static var voice: Configuration.Voice {
    get throws {
      var voice = Configuration.Voice(currency: .hkd)
      (voice.isEnabled, voice.language, voice.set, voice.brand) = (false, .cantonese, "/v", "B")
      (voice.prosody, voice.times) = (Prosody(rate: 1.2, pitch: 0.9, gain: -3.5), 2)
      voice.chime = .file("/c.wav")
      voice.templates.templates = [.wx: try PhraseTemplate("w{amount}")]
      (voice.templates.fixed, voice.templates.fixedRefund) = ("f", "fr")
      voice.payTypes = ["9": .card]
      (voice.usesJiaoAndFen, voice.usesLiang, voice.synthesiser) = (true, true, nil)
      voice.online = .init(
        url: "https://v/{text}", deadlineMilliseconds: 900, cacheMegabytes: 2, caFile: "/a")
      voice.screen = try Screen(["/show", "{title}", "{body}"])
      (voice.group, voice.leavesFiles) = ("g", true)
      (voice.output, voice.device, voice.server) = (.alsa, "hw:1", "unix:/n")
      (voice.mute, voice.others, voice.duckDecibels) = (.override, .duck, 12)
      (voice.minimumVolume, voice.maximumAgeSeconds, voice.sumsUp, voice.queue) = (70, 9, true, 3)
      (voice.preRollMilliseconds, voice.bluetoothPreRollMilliseconds) = (5, 6)
      return voice
    }
  }

  @Test("A token file and a directory are read where the header and the backend are not")
  func alternatives() throws {
    func orders(_ text: String) throws -> Configuration.Orders? {
      try DocumentReader.read(Configuration.self, from: Array("{orders: \(text)}".utf8), json5: true).orders
    }
    #expect(try orders(#"{directory: "/o"}"#) == .directory("/o"))
    let http = try orders(#"{http: {fetch: "http://a/{order_id}", report: "http://a/r", token_file: "/t"}}"#)
    #expect(http == .http(.init(fetch: "http://a/{order_id}", report: "http://a/r", tokenFile: "/t")))
  }

  @Test("A BLE printer is written to and heard as its entry says, else as its profile does")
  func bluetooth() throws {
    let catalogue = try ProfileCatalogue.builtIn()
    var profile = try catalogue.profile(named: "generic-58")
    var entry = Configuration.Printer(
      name: "belt", link: .ble, address: "00:AA:01:01:00:42", profile: "generic-58")
    let plain = try #require(entry.bluetooth(of: profile))
    #expect(plain.writeMode == .automatic && plain.chunk == nil && plain.notifyCharacteristic == nil)
    #expect(plain.bytesPerSecond == profile.bytesPerSecond)
    profile.writeMode = .request
    profile.chunk = 100
    let asked = try #require(entry.bluetooth(of: profile))
    #expect(asked.writeMode == .requests && asked.chunk == 100)
    entry.writeMode = .auto
    entry.chunk = 20
    entry.notify = "0000ff03-0000-1000-8000-00805f9b34fb"
    let told = try #require(entry.bluetooth(of: profile))
    #expect(told.writeMode == .automatic && told.chunk == 20)
    #expect(told.notifyCharacteristic == BluetoothUUID(0xFF03))
  }

  @Test("A short budget keeps less for the report, and the story gets the budget that was written")
  func shortBudget() throws {
    let read = try DocumentReader.read(
      Configuration.self, from: Array("{budget: {seconds: 2}}".utf8), json5: true)
    #expect(read.policies.budget.total == .seconds(2))
    #expect(read.policies.budget.grace == .milliseconds(300))
    #expect(read.policies.budget.reserve == .milliseconds(425))
  }

  @Test("The schema has exactly the keys that the decoder knows")
  func schemaKeys() throws {
    let schema = try Schema.ofConfiguration()
    let known: [(path: String, keys: [String])] = [
      ("", Configuration.CodingKeys.allCases.map(\.rawValue)),
      ("budget", Configuration.Budget.CodingKeys.allCases.map(\.rawValue)),
      ("jobs", Configuration.Jobs.CodingKeys.allCases.map(\.rawValue)),
      ("printers[]", Configuration.Printer.CodingKeys.allCases.map(\.rawValue)),
      ("printers[].overrides", Configuration.Overrides.CodingKeys.allCases.map(\.rawValue)),
      ("routes[]", Configuration.Route.CodingKeys.allCases.map(\.rawValue)),
      ("orders", Configuration.Orders.CodingKeys.allCases.map(\.rawValue)),
      ("orders.http", Configuration.HTTPOrders.CodingKeys.allCases.map(\.rawValue)),
      ("orders.http.header", Configuration.HTTPOrders.Header.CodingKeys.allCases.map(\.rawValue)),
      ("wakes", Configuration.Wakes.CodingKeys.allCases.map(\.rawValue)),
      ("webhook", Configuration.Webhook.CodingKeys.allCases.map(\.rawValue)),
      ("voice", Configuration.Voice.CodingKeys.allCases.map(\.rawValue)),
      ("voice.templates", Configuration.Voice.Templates.CodingKeys.allCases.map(\.rawValue)),
      ("voice.online", Configuration.Voice.Online.CodingKeys.allCases.map(\.rawValue)),
      ("control", Configuration.Control.CodingKeys.allCases.map(\.rawValue)),
    ]
    let objects = schema.nodes.filter { $0.schema.properties != nil }
    #expect(Set(objects.map(\.path)) == Set(known.map(\.path)))
    for (path, keys) in known {
      let object = try #require(objects.first { $0.path == path }, "\(path)")
      #expect(Set(object.schema.properties?.keys.map(\.self) ?? []) == Set(keys), "\(path)")
      #expect(object.schema.additionalProperties == false, "\(path)")
    }
  }

  @Test("The ranges of the schema are the ones of the decoder")
  func schemaRanges() throws {
    let numbers = try Schema.ofConfiguration().nodes.filter { $0.schema.minimum != nil }
    #expect(numbers.count >= 9)
    for (path, schema) in numbers {
      let minimum = try #require(schema.minimum)
      let maximum = try #require(schema.maximum, "\(path)")
      #expect(Self.fault(path, minimum - 1)?.path == Self.concrete(path))
      #expect(Self.fault(path, maximum + 1)?.path == Self.concrete(path))
      #expect(schema.type == "number" || Self.fault(path, minimum + 0.5)?.path == Self.concrete(path))
      for allowed in [minimum, maximum] {
        // What is in range may still not go together with the other parts of a budget.
        let fault = Self.fault(path, allowed)
        #expect(fault == nil || fault?.message.contains("together") == true, "\(path) \(allowed)")
      }
    }
  }

  @Test("The words of the schema's lists are the ones of the decoder")
  func schemaWords() throws {
    let nodes = try Schema.ofConfiguration().nodes
    let links = try #require(nodes.first { $0.path == "printers[].link" }?.schema.enum)
    #expect(Set(links) == Set(Configuration.Printer.Link.allCases.map(\.rawValue)))
    let fences = try #require(nodes.first { $0.path == "printers[].overrides.fence" }?.schema.enum)
    #expect(fences.allSatisfy { PrinterProfile.Fence(rawValue: $0) != nil })
    let modes = try #require(nodes.first { $0.path == "printers[].write_mode" }?.schema.enum)
    #expect(Set(modes) == Set(PrinterProfile.WriteMode.allCases.map(\.rawValue)))
    let currencies = try #require(nodes.first { $0.path == "voice.currency" }?.schema.enum)
    #expect(Set(currencies) == Set(SpokenCurrency.allCases.map(\.rawValue)))
    let outputs = try #require(nodes.first { $0.path == "voice.output" }?.schema.enum)
    #expect(Set(outputs) == Set(Configuration.Voice.Output.allCases.map(\.rawValue)))
    let mutes = try #require(nodes.first { $0.path == "voice.mute" }?.schema.enum)
    #expect(Set(mutes) == Set(AnnouncerOptions.Mute.allCases.map(\.rawValue)))
    let others = try #require(nodes.first { $0.path == "voice.others" }?.schema.enum)
    #expect(Set(others) == Set(AnnouncerOptions.Others.allCases.map(\.rawValue)))
    #expect(fences.contains("processID") && fences.contains("none"))
  }

  @Test("The page of the configuration has every key that has a value")
  func page() throws {
    let page = try Fixtures.text(ofFile: "\(Fixtures.project)/Docs/configuration.md")
    let nodes = try Schema.ofConfiguration().nodes
    for (path, schema) in nodes where schema.properties == nil && schema.items == nil && !path.isEmpty {
      // A list's own name stands for its entries; overrides and headers have one line together.
      let name = path.hasSuffix("[]") ? String(path.dropLast(2)) : path
      let parts = name.split(separator: ".")
      let together = parts.count > 2 || parts.dropLast().last == "header"
      let row = together ? parts.dropLast().joined(separator: ".") : name
      #expect(page.contains("| `\(name)` |") || page.contains("| `\(row)` |"), "\(name)")
    }
  }

  /// The fault of a configuration that has little but a number at `path`.
  private static func fault(_ path: String, _ number: Double) -> DocumentFault? {
    let needed = [
      "printers[]": #"name: "p", link: "virtual", profile: "generic-80", "#,
      "routes[]": #"kind: "receipt", printer: "p", "#, "webhook": #"secret_files: ["/w"], "#,
      "voice": #"currency: "CNY", "#, "online": #"url: "https://a/{text}", "#,
    ]
    var text = Int(exactly: number).map(String.init) ?? "\(number)"
    for part in path.split(separator: ".").map(String.init).reversed() {
      if let more = needed[part] { text = "{\(more)\(text.dropFirst())" }
      text = part.hasSuffix("[]") ? "{\(part.dropLast(2)): [\(text)]}" : "{\(part): \(text)}"
    }
    do throws(DocumentFault) {
      _ = try DocumentReader.read(Configuration.self, from: Array(text.utf8), json5: true)
      return nil
    } catch {
      return error
    }
  }

  private static func concrete(_ path: String) -> String { path.replacing("[]", with: "[0]") }
}

/// What the tests ask of a JSON Schema.
final class Schema: Decodable {
  let type: String?
  let properties: [String: Schema]?
  let items: Schema?
  let additionalProperties: Bool?
  let minimum: Double?
  let maximum: Double?
  let `enum`: [String]?

  static func ofConfiguration() throws -> Schema {
    let text = try Fixtures.text(ofFile: "\(Fixtures.project)/Docs/schema/configuration.schema.json")
    return try DocumentReader.read(Schema.self, from: Array(text.utf8))
  }

  /// Every value with its path, this one first: `printers[].overrides.fence`.
  var nodes: [(path: String, schema: Schema)] {
    var nodes: [(path: String, schema: Schema)] = [("", self)]
    for (key, schema) in properties ?? [:] {
      nodes += schema.nodes.map { node in
        let joint = node.path.isEmpty || node.path.hasPrefix("[]") ? "" : "."
        return (key + joint + node.path, node.schema)
      }
    }
    if let items {
      nodes += items.nodes.map { node in
        let joint = node.path.isEmpty || node.path.hasPrefix("[]") ? "" : "."
        return ("[]" + joint + node.path, node.schema)
      }
    }
    return nodes
  }
}
