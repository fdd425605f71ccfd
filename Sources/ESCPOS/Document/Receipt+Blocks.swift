// The JSON forms of the blocks, in the order of `Receipt.Block`.

extension Receipt.Style {
  static let keys = ["bold", "underline", "invert", "width", "height", "font"]

  init(_ fields: DocumentFields) throws {
    self.init(
      bold: try fields.flag("bold"), underline: try fields.flag("underline"),
      invert: try fields.flag("invert"), width: try fields.integer("width", in: 1...8, default: 1),
      height: try fields.integer("height", in: 1...8, default: 1),
      font: try fields.word("font", default: .a))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    try container.encode(bold, as: "bold", unless: false)
    try container.encode(underline, as: "underline", unless: false)
    try container.encode(invert, as: "invert", unless: false)
    try container.encode(width, as: "width", unless: 1)
    try container.encode(height, as: "height", unless: 1)
    try container.encode(font, as: "font", unless: .a)
  }
}

extension Receipt.Text: BlockForm {
  static let keys = ["text", "align"] + Receipt.Style.keys

  init(_ fields: DocumentFields) throws {
    self.init(
      try fields.string("text", bytes: 0...Receipt.maximumTextBytes),
      align: try fields.word("align", default: .left), style: try Receipt.Style(fields))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    try container.encode(text, as: "text")
    try container.encode(align, as: "align", unless: .left)
    try style.write(to: &container)
  }
}

extension Receipt.Columns: BlockForm {
  static let keys = ["cells"] + Receipt.Style.keys

  init(_ fields: DocumentFields) throws {
    let cells = try fields.list("cells", of: Cell.self, limit: Receipt.maximumCells)
    guard let cells, !cells.isEmpty else {
      throw fields.fault("cells", "expected a list of at least one cell")
    }
    self.init(cells, style: try Receipt.Style(fields))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    try container.encode(cells, as: "cells")
    try style.write(to: &container)
  }
}

extension Receipt.Columns.Cell: Codable {
  /// Reads a cell.
  ///
  /// - Throws: `DecodingError` with the path of the first fault.
  public init(from decoder: any Decoder) throws {
    let fields = try DocumentFields(decoder, keys: ["text", "align", "width"])
    self.init(
      try fields.string("text", bytes: 0...Receipt.maximumTextBytes),
      align: try fields.word("align", default: .left), width: try fields.integer("width", in: 1...255))
  }

  /// Writes the cell, leaving out what a reader assumes anyway.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(text, as: "text")
    try container.encode(align, as: "align", unless: .left)
    if let width { try container.encode(width, as: "width") }
  }
}

extension Receipt.Rule: BlockForm {
  static let keys = ["style"]

  init(_ fields: DocumentFields) throws {
    self.init(try fields.word("style", default: .single))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    try container.encode(style, as: "style", unless: .single)
  }
}

extension Receipt.Barcode: BlockForm {
  static let keys = ["symbology", "data", "height", "module_width", "caption", "align"]

  init(_ fields: DocumentFields) throws {
    guard let symbology = try fields.word("symbology", as: Symbology.self) else {
      throw fields.fault("symbology", "is missing; expected \"ean13\" or \"code128\"")
    }
    self.init(
      symbology, try fields.string("data", bytes: 1...255),
      height: try fields.integer("height", in: 1...255, default: 64),
      moduleWidth: try fields.integer("module_width", in: 1...6, default: 2),
      caption: try fields.word("caption", default: .below),
      align: try fields.word("align", default: .center))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    try container.encode(symbology, as: "symbology")
    try container.encode(data, as: "data")
    try container.encode(height, as: "height", unless: 64)
    try container.encode(moduleWidth, as: "module_width", unless: 2)
    try container.encode(caption, as: "caption", unless: .below)
    try container.encode(align, as: "align", unless: .center)
  }
}

extension Receipt.QRCode: BlockForm {
  static let keys = ["data", "module_size", "correction", "align"]

  init(_ fields: DocumentFields) throws {
    self.init(
      try fields.string("data", bytes: 1...2_953),
      moduleSize: try fields.integer("module_size", in: 1...16, default: 6),
      correction: try fields.word("correction", default: .m),
      align: try fields.word("align", default: .center))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    try container.encode(data, as: "data")
    try container.encode(moduleSize, as: "module_size", unless: 6)
    try container.encode(correction, as: "correction", unless: .m)
    try container.encode(align, as: "align", unless: .center)
  }
}

extension Receipt.Image: BlockForm {
  static let keys = ["data", "name", "width", "dither", "align"]

  init(_ fields: DocumentFields) throws {
    self.init(
      try Source(fields), width: try fields.integer("width", in: 1...4_096),
      dither: try fields.word("dither", default: .diffusion),
      align: try fields.word("align", default: .center))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    switch source {
    case .data(let bytes): try container.encode(Base64.encode(bytes), as: "data")
    case .named(let name): try container.encode(name, as: "name")
    }
    if let width { try container.encode(width, as: "width") }
    try container.encode(dither, as: "dither", unless: .diffusion)
    try container.encode(align, as: "align", unless: .center)
  }
}

extension Receipt.Image.Source {
  fileprivate init(_ fields: DocumentFields) throws {
    switch (fields.has("data"), fields.has("name")) {
    case (true, true):
      throw fields.fault("name", "cannot stand beside \"data\": a picture has one source")
    case (false, false):
      throw fields.fault("data", "is missing; a picture needs \"data\" (base64) or \"name\"")
    case (true, false):
      let text = try fields.string("data", bytes: 1...Receipt.maximumImageBytes / 3 * 4 + 4)
      guard let bytes = Base64.decode(text) else {
        throw fields.fault("data", "expected base64 (RFC 4648, padded, no line breaks) of a PNG or JPEG file")
      }
      self = .data(bytes)
    case (false, true):
      let name = try fields.string("name", bytes: 1...255)
      guard Self.isName(name) else {
        throw fields.fault("name", "expected the name of a file in the image folder, such as \"logo.png\"")
      }
      self = .named(name)
    }
  }

  /// Whether `name` names a file in the image folder and nothing outside of it: no "/", no "..", no control
  /// character, and no dot in front.
  public static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 255 && !name.hasPrefix(".") && !name.contains("..")
      && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "/" && $0 != "\\" }
  }
}

extension Receipt.Feed: BlockForm {
  static let keys = ["lines"]

  init(_ fields: DocumentFields) throws {
    self.init(lines: try fields.integer("lines", in: 1...255, default: 1))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    try container.encode(lines, as: "lines", unless: 1)
  }
}

extension Receipt.Cut: BlockForm {
  static let keys = ["mode"]

  init(_ fields: DocumentFields) throws {
    self.init(try fields.word("mode", default: .full))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    try container.encode(mode, as: "mode", unless: .full)
  }
}

extension Receipt.Drawer: BlockForm {
  static let keys = ["pin", "milliseconds"]

  init(_ fields: DocumentFields) throws {
    let pin = try fields.integer("pin", in: 2...5, default: 2)
    guard pin == 2 || pin == 5 else { throw fields.fault("pin", "expected 2 or 5") }
    self.init(pin: pin, milliseconds: try fields.integer("milliseconds", in: 2...510, default: 100))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    try container.encode(pin, as: "pin", unless: 2)
    try container.encode(milliseconds, as: "milliseconds", unless: 100)
  }
}

extension Receipt.Beep: BlockForm {
  static let keys = ["times"]

  init(_ fields: DocumentFields) throws {
    self.init(times: try fields.integer("times", in: 1...9, default: 1))
  }

  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    try container.encode(times, as: "times", unless: 1)
  }
}
