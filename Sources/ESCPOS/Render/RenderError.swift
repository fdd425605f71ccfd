/// Why a receipt cannot be rendered; nothing has been sent when it is thrown.
public struct RenderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: String, Sendable {
    /// A barcode's or QR code's data does not fit its rules.
    case barcode
    /// A picture cannot be decoded or found.
    case image
    /// Text cannot be drawn.
    case text
    /// The receipt needs what neither the printer nor a dot source can do.
    case unsupported
  }

  /// What kind of failure it is.
  public var code: Code
  /// The place in the receipt: `blocks[4]`.
  public var path: String
  /// What is wrong and what would be right; no order data.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, path: String = "", _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  /// The path and the message.
  public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}

/// A receipt as bytes for one printer.
public struct RenderedReceipt: Equatable, Sendable {
  /// What did not come out as asked, though nothing was lost.
  public struct Warning: Equatable, Sendable, CustomStringConvertible {
    /// The place in the receipt: `blocks[4]`.
    public var path: String
    /// What was done instead; no order data beyond single characters.
    public var message: String

    /// Creates a warning.
    public init(path: String, message: String) {
      self.path = path
      self.message = message
    }

    /// The path and the message.
    public var description: String { "\(path): \(message)" }
  }

  /// The job, from `ESC @` to the last cut; the fence is not in it.
  public var bytes: [UInt8]
  /// What did not come out as asked.
  public var warnings: [Warning]
  /// Offsets into ``bytes``, rising, at which a question to the printer does no harm: between whole commands, at the beginning
  /// of a line, and outside of sequences that belong together (a symbol's settings, its data and its print).
  public var seams: [Int]

  /// Creates a rendered receipt; without `seams` nothing may be asked in its middle.
  public init(bytes: [UInt8], warnings: [Warning] = [], seams: [Int] = []) {
    self.bytes = bytes
    self.warnings = warnings
    self.seams = seams
  }
}
