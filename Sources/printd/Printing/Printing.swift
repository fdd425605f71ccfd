import BLETransport
import ESCPOS
import PrintJobs
import Synchronization
import TextRaster
import WakeHandler

// The story's names, where the configuration has the same ones.
typealias StoryRoute = Route
typealias BudgetLimits = Budget.Limits

/// Everything about paper that a reload can change: printers, routes, layout, pictures.
final class Printing: Sendable {
  fileprivate struct Current: Sendable {
    var profiles: [String: PrinterProfile]
    var kinds: [String]
  }

  let raster: PangoRaster
  private let clock: any BootTimeClock
  private let maker: ReceiptMaker
  private let current: Mutex<Current>
  private let openers = Mutex<[String: (printer: Configuration.Printer, opener: any LinkOpener)]>([:])

  init(_ loaded: ConfigurationFile.Loaded, clock: any BootTimeClock) throws(Failure) {
    let raster = loaded.configuration.raster
    self.raster = raster
    self.clock = clock
    maker = ReceiptMaker(try Self.shape(loaded, raster))
    current = Mutex(Current(profiles: [:], kinds: []))
  }

  private static func shape(
    _ loaded: ConfigurationFile.Loaded, _ raster: PangoRaster
  ) throws(Failure) -> ReceiptMaker.Shape {
    let configuration = loaded.configuration
    return ReceiptMaker.Shape(
      locale: configuration.locale, clock: try WallClock.shop(configuration.timeZone),
      capitals: configuration.capitals,
      routes: configuration.routes,
      dots: raster)
  }

  /// The port of the story.
  var prepare: Prepare {
    { [maker] (job, order, profile) throws(DocumentFault) in
      try maker.prepare(job, order: order, for: profile)
    }
  }

  /// The document kind that a reprint means when it names none.
  var firstKind: String { current.withLock { $0.kinds.first } ?? "receipt" }

  /// A configuration's printers and paper, ready to be taken over.
  struct Plan: Sendable {
    /// The printers for the story.
    var setups: [PrinterSetup] = []
    /// The printers on Bluetooth Low Energy, and how long a connection that was left behind is kept.
    var graces: [BluetoothAddress: Duration] = [:]
    fileprivate var shape: ReceiptMaker.Shape
    fileprivate var openers: [String: (printer: Configuration.Printer, opener: any LinkOpener)] = [:]
    fileprivate var current: Current
  }

  /// Makes ready what a configuration asks for; an opener stays whose printer and profile have not changed.
  ///
  /// - Throws: ``Failure``. Nothing has changed before ``adopt(_:)``.
  func plan(_ loaded: ConfigurationFile.Loaded) throws(Failure) -> Plan {
    var plan = Plan(
      shape: try Self.shape(loaded, raster),
      current: Current(profiles: [:], kinds: loaded.configuration.routes.map(\.kind)))
    for printer in loaded.configuration.printers {
      guard let profile = printer.profile(from: loaded.profiles) else { continue }
      let known = openers.withLock { $0[printer.name] }
      let opener: any LinkOpener
      if let known, known.printer == printer, current.withLock({ $0.profiles[printer.name] }) == profile {
        opener = known.opener
      } else {
        opener = try printer.opener(profile: profile, raster: raster, clock: clock)
      }
      plan.openers[printer.name] = (printer, opener)
      plan.current.profiles[printer.name] = profile
      let idleLimit = Duration.seconds(printer.idleSeconds ?? profile.idleSeconds ?? 45)
      plan.setups.append(
        PrinterSetup(name: printer.name, profile: profile, opener: opener, idleLimit: idleLimit))
      if let bluetooth = printer.bluetooth, bluetooth.bearer == .ble {
        plan.graces[bluetooth.address] = max(
          idleLimit, plan.graces[bluetooth.address] ?? Bluetooth.shortestGrace)
      }
    }
    return plan
  }

  /// Takes a plan over, for the jobs to come.
  func adopt(_ plan: Plan) {
    maker.replace(plan.shape)
    openers.withLock { $0 = plan.openers }
    current.withLock { $0 = plan.current }
  }

  /// The names of the printers at a Bluetooth address.
  func printers(at address: BluetoothAddress) -> [String] {
    openers.withLock { $0.values.filter { $0.printer.bluetooth?.address == address }.map(\.printer.name) }
  }

  /// The test page of a printer, as bytes.
  ///
  /// - Parameter answers: What the printer has said of itself, a line each.
  /// - Throws: `Refusal` when there is no such printer, ``RenderError`` when the page cannot be rendered.
  func testPage(_ name: String, answers: [String]) throws -> [UInt8] {
    guard let profile = current.withLock({ $0.profiles[name] }) else {
      throw Refusal(.notFound, "no printer is called \"\(name)\"")
    }
    let page = TestPage(printer: name, profile: profile, answers: answers)
    return try maker.renderer(for: profile).render(page.receipt).bytes
  }
}

extension Configuration {
  /// The source of dots, with the pictures of the image folder; it costs nothing until it draws.
  var raster: PangoRaster { PangoRaster(imageFolder: images, locale: locale) }

  /// The routes as the story knows them.
  var storyRoutes: [StoryRoute] {
    routes.map { StoryRoute(kind: $0.kind, printer: $0.printer, originals: $0.copies) }
  }

  /// The policies as the story knows them.
  var policies: Policies {
    var policies = Policies()
    if let limits = budget.limits { policies.budget = limits }
    policies.expiry = .seconds(jobs.expireMinutes * 60)
    policies.allowsInlineOrders = wakes.inlineOrders
    policies.refundPayTypes = voice?.refundPayTypes ?? []
    return policies
  }
}

extension Configuration.Budget {
  /// The budget as the story knows it; nil when its parts do not fit into it, which decoding refuses.
  var limits: BudgetLimits? {
    BudgetLimits(
      total: .milliseconds(Int64(seconds * 1000)), grace: .milliseconds(graceMilliseconds),
      reserve: .milliseconds(reportReserveMilliseconds))
  }
}
