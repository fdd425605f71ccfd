import ESCPOS

/// The page of `printd test-print`: width, fonts, styles, code pages, codes, cut, and what the printer said.
struct TestPage {
  /// The printer's name in the configuration.
  var printer: String
  /// What it has.
  var profile: PrinterProfile
  /// What it said of itself, a line each.
  var answers: [String]

  /// The page as a receipt.
  var receipt: Receipt {
    var blocks: [Receipt.Block] = [
      .text(.init("printd", align: .center, style: .init(bold: true, width: 2, height: 2))),
      .text(.init("\(printer) · \(profile.name)", align: .center)),
      .rule(.init(.double)),
      .text(.init("Font A, \(profile.fontA.columns) columns:")),
      .text(.init(ruler(profile.fontA.columns))),
    ]
    if let font = profile.fontB {
      blocks += [
        .text(.init("Font B, \(font.columns) columns:", style: .init(font: .b))),
        .text(.init(ruler(font.columns), style: .init(font: .b))),
      ]
    }
    blocks += [
      .rule(.init()),
      .text(.init("bold", style: .init(bold: true))),
      .text(.init("underlined", style: .init(underline: true))),
      .text(.init(" inverted ", style: .init(invert: true))),
      .text(.init("wide", style: .init(width: 2))),
      .text(.init("tall", style: .init(height: 2))),
      .text(.init("large", style: .init(width: 3, height: 3))),
      .columns(.init([.init("left"), .init("center", align: .center), .init("right", align: .right)])),
      .rule(.init()),
    ]
    blocks += samples.map { .columns(.init([.init($0.label, width: 10), .init($0.text)])) }
    blocks += [
      .rule(.init()),
      .barcode(.init(.code128, "PRINTD-0123", height: 48)),
      .qr(.init("https://example.org/printd", moduleSize: 5)),
      .rule(.init()),
      .text(.init(profile.drawer ? "drawer: yes (not opened)" : "drawer: no")),
      .text(.init(profile.cutter == nil ? "cutter: none, tear here" : "cutter: cuts below")),
    ]
    blocks += answers.map { .text(.init($0)) }
    blocks += [.feed(.init(lines: 1)), .cut(.init())]
    return Receipt(blocks: blocks)
  }

  /// Characters that show whether each kind of text comes out right, natively or as dots.
  private var samples: [(label: String, text: String)] {
    [
      ("Euro", "€ £ ¥ ¢ 12,50 €"), ("Latin", "äöüß éèêç ñ åøæ"), ("Polish", "ąćęłńóśźż"),
      ("Czech", "čďěňřšťůž"), ("Greek", "αβγδ ΩΣΠ"), ("Russian", "Спасибо за покупку"),
      ("Chinese", "谢谢惠顾 实收"), ("Japanese", "ありがとう 領収書"), ("Korean", "감사합니다"),
      ("Arabic", "شكرا لكم"), ("Thai", "ขอบคุณ"), ("Frame", "┌──┬──┐ █▓▒░"),
    ]
  }

  private func ruler(_ columns: Int) -> String {
    String((1...max(1, columns)).map { Character("\($0 % 10)") })
  }
}
