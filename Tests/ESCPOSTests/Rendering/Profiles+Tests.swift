import ESCPOS
import FoundationEssentials
import PrintTestKit

extension PrinterProfile {
  /// A built-in profile, changed where a test needs it.
  static func builtIn(
    _ name: String, change: (inout PrinterProfile) -> Void = { _ in }
  ) throws -> PrinterProfile {
    let catalogue = try JSONDecoder().decode(ProfileCatalogue.self, from: Data(builtInJSON))
    var profile = try catalogue.profile(named: name)
    change(&profile)
    return profile
  }

  static let builtInNames = ["generic-58", "generic-80", "epson-tm-m30"]
}

extension Receipt {
  /// A receipt of the fixtures.
  static func fixture(_ name: String) throws -> Receipt {
    try JSONDecoder().decode(Receipt.self, from: Data(Fixtures.bytes("receipts/\(name).json")))
  }

  /// A receipt of text alone.
  static func lines(_ texts: String..., style: Style = Style(), align: Alignment = .left) -> Receipt {
    Receipt(blocks: texts.map { .text(.init($0, align: align, style: style)) })
  }
}

extension Renderer {
  /// Renders and reads back; the rules that every job keeps are in ``PrintedPaper/faults``.
  func paper(_ receipt: Receipt, originals: Int = 1, mark: CopyMark? = nil) throws -> PrintedPaper {
    try PrintedPaper(render(receipt, originals: originals, mark: mark).bytes, on: profile)
  }
}
