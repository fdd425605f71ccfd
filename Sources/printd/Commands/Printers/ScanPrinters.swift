import BLETransport
import ESCPOS

/// `printd printers scan`
struct ScanPrinters {
  var seconds: Int
  var json: Bool
  var all: Bool
  var adapter: String?

  /// Scanning slows or keeps away the connections of others, above all the daemon's: so a long scan takes a rest now and
  /// then. An inquiry of Classic takes 10.24 s, and all of one must fit in.
  private static let stretch = Duration.seconds(25)
  private static let rest = Duration.seconds(4)

  /// Takes the options out of the arguments.
  init(_ arguments: inout Arguments, json: Bool) throws(Failure) {
    self.json = json
    all = arguments.flag("--all", "-a")
    adapter = try arguments.option("--adapter")
    let word = try arguments.option("--seconds")
    guard let seconds = Int(word ?? "15"), (1...300).contains(seconds) else {
      throw Failure(.usage, "--seconds must be from 1 to 300", remedy: "printd help printers")
    }
    self.seconds = seconds
  }

  /// Scans and shows what is found: as a table that grows on a terminal, at the end where the output is piped.
  ///
  /// SIGINT ends the scan, and what was found until then is shown.
  func run(_ options: CommonOptions) async throws -> ExitCode {
    let configuration = try options.loadPrinters(mayBeMissing: true).configuration
    let configured = configuration.printers
    let client = ControlClient(socket: configuration.control.socket)
    let drawing = json ? nil : LiveText()
    let scan = self
    let sightings = try await Interruption.run {
      let turn = await ScanTurn.begin(with: client)
      do throws(Failure) {
        let sightings = try await scan.scan { sightings in
          drawing?.show(
            ScanReport(sightings, configured: configured, all: scan.all).lines(columns: Console.columns))
        }
        await turn.end()
        return sightings
      } catch {
        await turn.end()
        throw error
      }
    }
    let report = ScanReport(sightings, configured: configured, all: all)
    if json {
      try JSON.print(report.rows)
      return .success
    }
    guard !report.rows.isEmpty else {
      drawing?.end([])
      throw Failure(
        .unavailable, "no printer has shown itself",
        remedy:
          "switch it on, take it near, disconnect phones from it; --all shows what is no printer; printd printers doctor"
      )
    }
    drawing?.end(report.lines(columns: Console.columns))
    return .success
  }

  /// Looks for devices until the time is over or the task is cancelled.
  ///
  /// - Throws: ``Failure`` when there is nothing to scan with.
  private func scan(_ tell: @Sendable ([Sighting]) -> Void) async throws(Failure) -> [Sighting] {
    let bluez = Bluetooth.bluez
    let clock = BootClock()
    var log = ScanLog()
    do throws(LinkError) {
      let adapter = try await bluez.adapter(
        self.adapter, for: "scan", by: clock.now.advanced(by: .seconds(10)))
      let deadline = clock.now.advanced(by: .seconds(seconds))
      var search = await bluez.search(on: adapter, .both)
      defer { search.end() }
      var breath = clock.now.advanced(by: Self.stretch)
      var seen: [Sighting] = []
      while clock.now < deadline {
        if clock.now >= breath {
          search.end()
          do { try await clock.sleep(for: Self.rest) } catch { break }
          search = await bluez.search(on: adapter, .both)
          breath = clock.now.advanced(by: Self.stretch)
        }
        seen = try await bluez.sightings(on: adapter, otherThan: seen, by: min(deadline, breath))
        // What the adapter is now, or why it is gone.
        _ = try await bluez.adapter(adapter.name, for: "scan", by: clock.now.advanced(by: .seconds(5)))
        let before = log.sightings
        log.note(seen)
        if log.sightings != before { tell(log.sightings) }
        // Strengths change all the time; nobody reads faster than this.
        do { try await clock.sleep(for: .milliseconds(250)) } catch { break }
      }
    } catch {
      guard error.code == .cancelled else { throw Failure(error) }
    }
    return log.sightings
  }
}
