import ESCPOS
import PrinterLinks
import TextRaster
import VirtualPrinter
import WakeHandler

extension Configuration.Printer {
  /// The profile with what the configuration says otherwise; nil when there is no such profile.
  func profile(from catalogue: ProfileCatalogue) -> PrinterProfile? {
    guard var profile = catalogue[self.profile] else { return nil }
    guard let overrides else { return profile }
    if let fence = overrides.fence { profile.fence = fence }
    if let bytesPerSecond = overrides.bytesPerSecond { profile.bytesPerSecond = bytesPerSecond }
    if let drawer = overrides.drawer { profile.drawer = drawer }
    if overrides.status == false {
      profile.status = PrinterProfile.Status(dleEOT: false, asb: false)
      profile.fence = .none
    }
    return profile
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
    case .virtual:
      return try PaperFolder(profile: profile, raster: raster, folder: address, clock: clock)
    }
  }
}
