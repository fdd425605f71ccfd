public import ESCPOS
public import PrintJobs

/// A printer as the story knows it.
public struct PrinterSetup: Sendable {
  /// The name in the configuration.
  public var name: String
  /// What it has.
  public var profile: PrinterProfile
  /// How it is reached.
  public var opener: any LinkOpener
  /// How long the link stays open after a job, for the next one.
  public var idleLimit: Duration

  /// Creates a printer.
  public init(
    name: String, profile: PrinterProfile, opener: any LinkOpener, idleLimit: Duration = .seconds(45)
  ) {
    self.name = name
    self.profile = profile
    self.opener = opener
    self.idleLimit = idleLimit
  }
}

/// Which document of an order goes where.
public struct Route: Equatable, Sendable {
  /// The document kind: `receipt`, `kitchen`.
  public var kind: String
  /// The printer's name.
  public var printer: String
  /// How many originals come out, 1 through 9.
  public var originals: Int

  /// Creates a route.
  public init(kind: String = "receipt", printer: String, originals: Int = 1) {
    self.kind = kind
    self.printer = printer
    self.originals = originals
  }
}

/// What an order came to for one job.
public enum Preparation: Sendable {
  /// It is to be printed.
  case receipt(PreparedReceipt)
  /// No document of this kind is wanted of this order (its route filters it out), and why.
  case unwanted(String)
}

/// A job's bytes, and what of the order the story must know.
public struct PreparedReceipt: Equatable, Sendable {
  /// The job for the printer, originals and copy mark included.
  public var bytes: [UInt8]
  /// Where in the bytes the printer may be asked something, as ``RenderedReceipt/seams``.
  public var seams: [Int]
  /// When the order was paid, seconds since 1970, where it says so; the expiry counts from there.
  public var paidAt: Double?
  /// What did not come out as asked, for the log.
  public var warnings: [String]

  /// Creates a prepared receipt.
  public init(bytes: [UInt8], seams: [Int] = [], paidAt: Double? = nil, warnings: [String] = []) {
    self.bytes = bytes
    self.seams = seams
    self.paidAt = paidAt
    self.warnings = warnings
  }
}

/// Makes an order into bytes: decodes it, lays it out and renders it for the printer with this profile.
///
/// A copy (`job.key.copy` above 1) is marked on the paper. The fault it throws is why the job is rejected.
public typealias Prepare =
  @Sendable (_ job: Job, _ order: [UInt8], _ profile: PrinterProfile) throws(DocumentFault) -> Preparation
