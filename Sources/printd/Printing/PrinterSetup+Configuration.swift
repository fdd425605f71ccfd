import BLETransport
import ESCPOS
import PrinterLinks
import TextRaster
import VirtualPrinter
import WakeHandler

extension Configuration.Printer {
  /// The profile with what the configuration says otherwise; nil when there is no such profile.
  func profile(from catalogue: ProfileCatalogue) -> PrinterProfile? {
    guard var model = catalogue[profile] else { return nil }
    guard let overrides else { return model }
    if let fence = overrides.fence { model.fence = fence }
    if let bytesPerSecond = overrides.bytesPerSecond { model.bytesPerSecond = bytesPerSecond }
    if let drawer = overrides.drawer { model.drawer = drawer }
    if overrides.status == true { model.status.dleEOT = true }
    if overrides.status == false {
      model.status.dleEOT = false
      model.status.asb = false
      model.fence = overrides.fence ?? .none
    }
    return model
  }

  /// How the printer is reached.
  ///
  /// - Throws: ``Failure`` when the folder for a virtual printer's paper cannot be made.
  func opener(
    profile: PrinterProfile, raster: PangoRaster, clock: any BootTimeClock
  ) throws(Failure) -> any LinkOpener {
    switch link {
    case .tcp:
      guard let address = HostAndPort(address ?? "", defaultPort: 9100) else {
        throw Failure(.configuration, "printer \(name): address must be host:port")
      }
      return TCPLinkOpener(host: address.host, port: address.port, clock: clock)
    case .file:
      return FileLinkOpener(path: address ?? "", clock: clock)
    case .ble, .rfcomm:
      guard let bluetooth = bluetooth(of: profile) else {
        throw Failure(.configuration, "printer \(name): address must be a Bluetooth address")
      }
      return Bluetooth.opener(for: bluetooth)
    case .virtual:
      return try PaperFolder(profile: profile, raster: raster, folder: address, clock: clock)
    }
  }
}
