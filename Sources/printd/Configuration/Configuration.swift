import ESCPOS

/// What the shop's administrator has written: `printd.json5` and `printers.d/*.json5`.
///
/// Every key has a default where one makes sense; an unknown key is refused with the nearest right one.
/// JSON Schema: `Docs/schema/configuration.schema.json`.
struct Configuration: Decodable, Equatable, Sendable {
  /// Where the journal lives.
  var stateDirectory = "/var/lib/printd"
  /// The language of the built-in layout: `en`, `de-DE`, `zh-CN`, …
  var locale = "en"
  /// The time zone of the dates on the paper: `Europe/Berlin`; nil for the system's own.
  var timeZone: String?
  /// Whether the built-in layout writes the total of a receipt in renminbi in financial capitals (大写), too.
  var capitals = false
  /// The folder with the pictures that receipts name.
  var images: String?
  /// The folder with more printer profiles.
  var profiles: String?
  var budget = Budget()
  var jobs = Jobs()
  var printers: [Printer] = []
  var routes: [Route] = []
  var orders: Orders?
  var wakes = Wakes()
  var webhook: Webhook?
  /// Says payments aloud; nil for no voice.
  var voice: Voice?
  var control = Control()

  /// The wake's budget.
  struct Budget: Decodable, Equatable, Sendable {
    /// From the wake's arrival to its completion, seconds; 1 through 30.
    var seconds = 10.0
    /// The completion is called this long before the budget ends, milliseconds.
    var graceMilliseconds = 300
    /// Kept free for the report, milliseconds; a quarter of what the grace leaves of a short budget.
    var reportReserveMilliseconds = 1000
  }

  /// How long jobs live.
  struct Jobs: Decodable, Equatable, Sendable {
    /// A job older than this is not printed without a person, minutes after the payment.
    var expireMinutes = 120
    /// Jobs that have ended are kept this long, days; a duplicate is known for as long.
    var historyDays = 30
    /// What becomes of a journal whose file is damaged.
    var damagedJournal = DamagedJournal.refuse

    /// The ways to deal with a damaged journal.
    enum DamagedJournal: String, CaseIterable, Sendable {
      /// printd does not start: what the damage has taken may be the memory of what was printed.
      case refuse
      /// The damaged file is kept under another name, and a new journal takes over what can be read.
      case moveAside = "move_aside"
    }
  }

  /// A printer.
  struct Printer: Decodable, Equatable, Sendable {
    /// The ways to a printer.
    enum Link: String, Decodable, CaseIterable, Sendable {
      /// A network printer: `address` is `host:port`, port 9100 when left out.
      case tcp
      /// A file or device node: `address` is its path.
      case file
      /// A printer that does not exist: `address` is the folder its paper goes to.
      case virtual
      /// A Bluetooth Low Energy printer: `address` is its Bluetooth address.
      case ble
      /// A Bluetooth Classic printer (Serial Port): `address` is its Bluetooth address.
      case rfcomm

      /// Whether it goes through BlueZ.
      var isBluetooth: Bool { self == .ble || self == .rfcomm }
    }

    var name: String
    var link: Link
    var address: String?
    var profile: String
    /// Replaces single features of the profile.
    var overrides: Overrides?
    /// The link is given up after this long without a job, seconds; nil for what the profile says, or 45.
    var idleSeconds: Int?
    /// The Bluetooth adapter, `hci1` or its address; nil for the one that knows the printer, or the first.
    var adapter: String?
    /// The GATT service to print to, as a UUID or its short form, where the usual ones are not to be taken.
    var service: String?
    /// The characteristic to write to, where the service has several that can be written.
    var characteristic: String?
    /// The characteristic that the answers come from, where it is not the usual one, nor the only one that notifies.
    var notify: String?
    /// How bytes are written over BLE; nil for what the profile says, or `auto`.
    var writeMode: PrinterProfile.WriteMode?
    /// The most bytes of one write over BLE, 20 through 512; nil for what the profile says, or the link allows.
    var chunk: Int?
    /// The RFCOMM channel, 1 through 30; nil to ask the printer.
    var channel: Int?
    /// The most bytes a second over RFCOMM, for a printer that loses what comes faster; nil for as fast as it takes them.
    var pace: Int?
    /// A file with the PIN of a printer that pairs by one; read by `printd printers pair` alone.
    var pinFile: String?
  }

  /// What a printer has other than its profile says.
  struct Overrides: Decodable, Equatable, Sendable {
    var fence: PrinterProfile.Fence?
    var bytesPerSecond: Int?
    var drawer: Bool?
    var status: Bool?
  }

  /// Which documents go to which printer.
  struct Route: Decodable, Equatable, Sendable {
    /// The document kind.
    var kind: String
    /// The printer's name.
    var printer: String
    /// Originals out of the printer, 1 through 9.
    var copies = 1
    /// Only orders paid in one of these ways; all when left out.
    var payTypes: [String]?
    /// Only orders of these merchants (by name); all when left out.
    var merchants: [String]?
  }

  /// Where orders come from.
  enum Orders: Equatable, Sendable {
    case http(HTTPOrders)
    case directory(String)
  }

  /// An order service over HTTP.
  struct HTTPOrders: Decodable, Equatable, Sendable {
    /// URL template with `{order_id}`.
    var fetch: String
    /// URL of the reports.
    var report: String
    /// URL template with `{cursor}`; without it a wake must name its order.
    var pending: String?
    /// A file with the bearer token.
    var tokenFile: String?
    /// A header whose value stands in a file, instead of a bearer token.
    var header: Header?
    /// A file with the CA certificates to trust instead of the system's.
    var caFile: String?

    struct Header: Decodable, Equatable, Sendable {
      var name: String
      var valueFile: String
    }
  }

  /// What wakes may carry.
  struct Wakes: Decodable, Equatable, Sendable {
    /// Whether a wake may carry the order itself.
    var inlineOrders = false
  }

  /// The signed webhook.
  struct Webhook: Decodable, Equatable, Sendable {
    /// Address and port; loopback unless something else is written.
    var listen = "127.0.0.1:8787"
    /// Files with the signing secrets, `whsec_…`; any of them signs, so that keys can be rotated.
    var secretFiles: [String]
    /// Open connections at most.
    var connections = 1200
  }

  /// The control socket.
  struct Control: Decodable, Equatable, Sendable {
    /// Path of the unix socket.
    var socket = "/run/printd/control.sock"
  }
}
