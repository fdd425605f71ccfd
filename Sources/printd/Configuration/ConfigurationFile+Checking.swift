import ESCPOS
import Glibc
import OrderService
import PrintJobs

extension ConfigurationFile {
  /// Finds what no single value can show: names that must exist, names that must not be there twice, addresses and
  /// zones that the parts below would refuse at the start.
  mutating func check(_ configuration: Configuration, _ profiles: ProfileCatalogue?, in main: Source) {
    let count = configuration.printers.count - printerFiles.count
    let printerFiles = printerFiles
    checkPrinters(configuration, profiles) { index, key in
      guard index >= count else { return (main, "printers[\(index)].\(key)") }
      return (printerFiles[index - count], key)
    }
    var faults: [DocumentFault] = []
    if configuration.printers.isEmpty, !mayBeIncomplete {
      warnings.append("no printer is configured: nothing is printed; printd printers pair, or \"printers\"")
    }
    faults += Self.faults(ofRoutes: configuration)
    if let zone = configuration.timeZone {
      do throws(DocumentFault) {
        _ = try WallClock(zone: zone)
      } catch {
        faults.append(DocumentFault(path: "time_zone", message: error.message))
      }
    }
    switch configuration.orders {
    case .http(let http): faults += Self.faults(of: http)
    case .directory: break
    case nil where mayBeIncomplete: break
    case nil: faults.append(DocumentFault(path: "orders", message: "is missing: say where orders come from"))
    }
    for fault in faults { add(fault, in: main.text, main.path) }
    if let images = configuration.images, access(images, R_OK | X_OK) != 0 {
      warnings.append("images: \(images) cannot be read; receipts that name a picture will be refused")
    }
    if let webhook = configuration.webhook, let address = HostAndPort(webhook.listen, defaultPort: 8787),
      !["127.0.0.1", "::1", "localhost"].contains(address.host)
    {
      warnings.append("webhook.listen: \(address) is not loopback; whoever reaches it can try signatures")
    }
  }

  private mutating func checkPrinters(
    _ configuration: Configuration, _ profiles: ProfileCatalogue?,
    place: (_ index: Int, _ key: String) -> (file: Source, path: String)
  ) {
    for (index, printer) in configuration.printers.enumerated() {
      var faults: [(key: String, message: String)] = []
      if configuration.printers[..<index].contains(where: { $0.name == printer.name }) {
        faults.append(("name", "\"\(printer.name)\" is there twice; give each printer a name of its own"))
      }
      if let profiles, profiles[printer.profile] == nil {
        let hint = Self.hint(printer.profile, among: profiles.names)
        faults.append(("profile", "there is no profile \"\(printer.profile)\"; \(hint)"))
      }
      if printer.link == .tcp, HostAndPort(printer.address ?? "", defaultPort: 9100) == nil {
        faults.append(("address", "must be host:port, such as \"192.168.1.50:9100\""))
      }
      if let other = configuration.printers[..<index].first(where: { $0.isSameDevice(as: printer) }) {
        let words = "printer \"\(other.name)\" has this address, too"
        if printer.link.isBluetooth {
          faults.append(
            ("address", "\(words), and two cannot hold one link; keep one, and give it two routes"))
        } else if other.name != printer.name {
          warnings.append(
            "printer \"\(printer.name)\": \(words); each waits while the other holds the link: keep one of them"
          )
        }
      }
      for fault in faults {
        let (file, path) = place(index, fault.key)
        add(DocumentFault(path: path, message: fault.message), in: file.text, file.path)
      }
    }
  }

  private static func faults(ofRoutes configuration: Configuration) -> [DocumentFault] {
    let names = configuration.printers.map(\.name)
    var faults: [DocumentFault] = []
    for (index, route) in configuration.routes.enumerated() {
      if !names.contains(route.printer) {
        faults.append(
          DocumentFault(
            path: "routes[\(index)].printer",
            message: "there is no printer \"\(route.printer)\"; \(hint(route.printer, among: names))"))
      }
      if configuration.routes[..<index].contains(where: { $0.kind == route.kind }) {
        faults.append(
          DocumentFault(
            path: "routes[\(index)].kind",
            message: "\"\(route.kind)\" goes to a printer already; give this document a kind of its own"))
      }
    }
    return faults
  }

  /// What the order service would refuse; the secret is left to the daemon, since only it may read the file.
  private static func faults(of http: Configuration.HTTPOrders) -> [DocumentFault] {
    do throws(HTTPOrderService.Fault) {
      _ = try HTTPOrderService(
        HTTPOrderService.Configuration(
          orderURL: http.fetch, reportURL: http.report, pendingURL: http.pending))
      return []
    } catch {
      return [DocumentFault(path: "orders.http.\(error.key)", message: error.message)]
    }
  }

  private static func hint(_ word: String, among words: [String]) -> String {
    if let nearest = nearestWord(to: word, among: words) { return "did you mean \"\(nearest)\"?" }
    return words.isEmpty ? "there is none at all" : "there are \(words.joined(separator: ", "))"
  }
}

extension Configuration.Printer {
  /// Whether both names stand for one device.
  fileprivate func isSameDevice(as other: Configuration.Printer) -> Bool {
    guard let address, let otherAddress = other.address else { return false }
    switch (link, other.link) {
    case (.ble, .ble), (.ble, .rfcomm), (.rfcomm, .ble), (.rfcomm, .rfcomm), (.file, .file):
      return address == otherAddress
    case (.tcp, .tcp):
      guard let left = HostAndPort(address, defaultPort: 9100) else { return false }
      return left == HostAndPort(otherAddress, defaultPort: 9100)
    default: return false
    }
  }
}

extension HTTPOrderService.Fault {
  /// The key of `orders.http` that the fault is about.
  fileprivate var key: String {
    switch part {
    case .order: "fetch"
    case .report: "report"
    case .pending: "pending"
    case .secret: "token_file"
    }
  }
}
