import ESCPOS
import Glibc
import OrderService
import PrintJobs
import PrintJournal
import WakeChannels
import WakeHandler

/// The daemon's life: everything is opened in turn, serves until a signal, and is closed in reverse.
struct Daemon {
  private let configPath: String
  private let clock = BootClock()
  private let configuration: Configuration
  private let journal: Journal
  private let printing: Printing
  private let orders: any OrderPort
  private let handler: WakeHandler
  private let voice: ShopVoice?
  private let scans: ScanTurns
  private let secrets: Secrets?

  /// Opens the journal and wires the story; nothing listens yet.
  ///
  /// - Throws: ``Failure`` with what is wrong and what to do; nothing stays open then.
  init(configPath: String) async throws(Failure) {
    self.configPath = configPath
    let loaded = try ConfigurationFile.load(configPath)
    for warning in loaded.warnings { Log.warning("configuration", ["warning": warning]) }
    configuration = loaded.configuration
    try Files.makeFolder(configuration.stateDirectory, mode: 0o750)
    Bluetooth.note { Log.info("bluetooth", ["note": $0]) }
    secrets = if let webhook = configuration.webhook { try Secrets(webhook) } else { nil }
    orders = try configuration.orderService()
    printing = try Printing(loaded, clock: clock)
    let plan = try printing.plan(loaded)
    printing.adopt(plan)
    await Bluetooth.own(plan.graces)
    do throws(JournalError) {
      journal = try await Journal.open(
        path: "\(configuration.stateDirectory)/journal.sqlite", historyDays: configuration.jobs.historyDays,
        damage: configuration.jobs.damagedJournal == .moveAside ? .moveAside : .refuse)
    } catch {
      throw Failure(.inputOutput, error.message)
    }
    if let aside = await journal.movedAside {
      Log.error(
        "the journal was damaged; what could not be read may print again",
        ["kept": aside.path, "finding": aside.finding, "jobs_saved": aside.savedJobs])
    }
    scans = ScanTurns(clock: clock)
    voice = try configuration.shopVoice(clock: clock, besides: scans)
    let ports = Ports(
      orders: orders, jobs: journal, prepare: printing.prepare, announcer: voice,
      note: { event in
        let priority: Log.Priority =
          switch event.level {
          case .error: .error
          case .warning: .warning
          case .notice: .info
          }
        Log.write(priority, event)
      })
    handler = WakeHandler(
      ports: ports, printers: plan.setups, routes: configuration.storyRoutes, clock: clock,
      policies: configuration.policies)
  }

  /// Serves until SIGTERM or SIGINT.
  ///
  /// - Throws: ``Failure`` when a channel cannot listen.
  func run() async throws(Failure) {
    let sockets = ServiceNotify.sockets()
    let place: HTTPServer.Listen
    if let socket = sockets["control"] {
      place = .descriptor(socket)
    } else {
      place = .unix(path: try controlSocket(), mode: 0o660)
    }
    let requests = DaemonRequest.all()
    let reloads = Reloads { await reload() }
    let control = try listen(
      place,
      limits: HTTPServer.Limits(bodyBytes: 1 << 20, receive: .seconds(10)), name: "control",
      ControlRoutes(
        handler: handler, journal: journal, printing: printing, voice: voice, scans: scans,
        reload: { await reloads.run() }
      ).router)
    let webhook = try webhookServer(sockets["webhook"])
    do throws(JournalError) {
      try await handler.start()
    } catch {
      throw Failure(.inputOutput, error.message)
    }
    let watchdog = Watchdog(handler: handler, journal: journal, clock: clock)
    ServiceNotify.ready(await watchdog.summary())
    Log.info("ready", ["version": Version.text, "printers": configuration.printers.count])
    let watching = Task { await watchdog.run() }
    // Clips and volumes are nothing that a wake has to wait for.
    let voicing = Task { [voice] in await voice?.start() }
    let upkeep = Task { [journal] in await Upkeep.run(journal) }
    serving: for await request in requests {
      switch request {
      case .stop: break serving
      case .reload: _ = await reloads.run()
      }
    }
    await stop(webhook, control)
    watching.cancel()
    voicing.cancel()
    upkeep.cancel()
  }

  private func controlSocket() throws(Failure) -> String {
    let path = configuration.control.socket
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try Files.makeFolder(String(path[..<slash]))
    }
    return path
  }

  private func listen(
    _ listen: HTTPServer.Listen, limits: HTTPServer.Limits, name: String, _ router: Router
  ) throws(Failure) -> HTTPServer {
    let flood = Flood(now: clock.now)
    do throws(HTTPServerError) {
      return try HTTPServer(
        listen: listen, limits: limits,
        log: { [clock] message in
          // Without the page that was answered.
          let words = message.firstRange(of: " ('<").map { message[..<$0.lowerBound] } ?? message[...]
          flood.warning("http", [("channel", name), ("message", words)], at: clock.now)
        }
      ) { request in await router.answer(request) }
    } catch {
      throw Failure(.unavailable, "the \(name) channel cannot listen: \(error.message)")
    }
  }

  private func webhookServer(_ socket: Int32?) throws(Failure) -> HTTPServer? {
    guard let settings = configuration.webhook, let secrets,
      let address = HostAndPort(settings.listen, defaultPort: 8787)
    else { return nil }
    let handler = handler
    let flood = Flood(now: clock.now)
    let webhook = Webhook(
      keys: { secrets.keys },
      refused: { [clock] fault, request in
        flood.warning("webhook refused", [("reason", fault), ("peer", request.peer)], at: clock.now)
      },
      handle: { wake in
        await WakeRoutes.answer(wake, channel: "webhook", limit: Wake.Limits.pushBytes, by: handler)
      })
    let server = try listen(
      socket.map { .descriptor($0) } ?? .tcp(host: address.host, port: address.port),
      limits: HTTPServer.Limits(
        connections: UInt32(settings.connections), connectionsPerAddress: UInt32(settings.connections)),
      name: "webhook", webhook.routes)
    var listening = address
    listening.port = server.port ?? address.port
    Log.info("webhook listening", ["address": listening])
    return server
  }

  /// Reads printers, profiles, routes, secrets and the look of receipts again; a fault changes nothing and is returned.
  private func reload() async -> Failure? {
    ServiceNotify.reloading()
    do {
      let loaded = try ConfigurationFile.load(configPath)
      for warning in loaded.warnings { Log.warning("configuration", ["warning": warning]) }
      // All that can fail comes before the first change.
      let keys = try loaded.configuration.webhook.map(Secrets.read)
      let plan = try printing.plan(loaded)
      if let http = orders as? HTTPOrderService { try http.reload() }
      if let keys { secrets?.replace(with: keys) }
      printing.adopt(plan)
      await Bluetooth.own(plan.graces)
      await handler.replace(printers: plan.setups, routes: loaded.configuration.storyRoutes)
      Log.info("reloaded", ["printers": plan.setups.count])
      let kept = configuration.keysOfStart(otherIn: loaded.configuration)
      if !kept.isEmpty { Log.warning("restart needed", ["keys": kept.joined(separator: ",")]) }
      ServiceNotify.ready("reloaded")
      return nil
    } catch {
      Log.error("reload refused; nothing has changed", ["reason": error])
      ServiceNotify.ready("reload refused, see the log; nothing has changed")
      return error as? Failure ?? Failure(.configuration, "\(error)")
    }
  }

  /// How long a stop waits for the receipt in hand and for the phrase in the air.
  private static let patience = Duration.seconds(15)
  /// What comes after it at most: the lines give up (2 s), the printers are disconnected (5 s), the end of the last
  /// announcement is noted (2 s). Both together fit into the unit's TimeoutStopSec.
  private static let closingTime = Duration.seconds(10)

  /// Finishes the receipt in hand, lets go of the printers, answers who waits, closes.
  private func stop(_ webhook: HTTPServer?, _ control: HTTPServer) async {
    ServiceNotify.stopping(extendBy: Self.patience + Self.closingTime)
    Log.info("stopping")
    let deadline = clock.now.advanced(by: Self.patience)
    // Beside the print, as ever: a long text after it would outlast the service manager's patience.
    async let silence: Void? = voice?.stop(by: deadline)
    await handler.stop(by: deadline)
    // Before the channels, which have no time limit: whatever holds them up, a phone gets the printer.
    await Bluetooth.stop()
    await webhook?.stop()
    await scans.close()
    await control.stop()
    await silence
    // How the last announcement ended belongs into the journal; a full disk does not keep the daemon from ending.
    await handler.announcementsEnded(by: clock.now.advanced(by: .seconds(2)))
    await journal.close()
    Log.info("stopped")
  }
}
