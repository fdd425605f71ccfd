/// The limits of a receipt, so that no document can make printd hold or print without end.
extension Receipt {
  /// The most blocks of a receipt.
  public static let maximumBlocks = 5_000
  /// The most cells of one line.
  public static let maximumCells = 32
  /// The most bytes of UTF-8 in one text or cell.
  public static let maximumTextBytes = 65_536
  /// The most bytes of a picture inside the document.
  public static let maximumImageBytes = 4_194_304
}

extension Receipt: Codable {
  /// Reads a receipt: an object with `blocks`.
  ///
  /// - Throws: `DecodingError` with the path of the first fault.
  public init(from decoder: any Decoder) throws {
    let fields = try DocumentFields(decoder, keys: ["blocks"])
    guard let blocks = try fields.list("blocks", of: Block.self, limit: Self.maximumBlocks) else {
      throw DecodingError.keyNotFound(
        AnyKey("blocks"), .init(codingPath: decoder.codingPath, debugDescription: "is missing"))
    }
    self.init(blocks: blocks)
  }

  /// Writes the receipt, leaving out what a reader assumes anyway.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(blocks, forKey: AnyKey("blocks"))
  }
}

/// The JSON form of one kind of block: its `type`, its other keys, and how they are read and written.
protocol BlockForm {
  /// The keys besides `type`.
  static var keys: [String] { get }
  /// Reads the block's fields.
  init(_ fields: DocumentFields) throws
  /// Writes the block's fields, without those that have their default.
  func write(to container: inout KeyedEncodingContainer<AnyKey>) throws
}

extension Receipt.Block: Codable {
  /// The words that `type` may have, each with the keys that may stand beside it.
  enum Kind: String, CaseIterable {
    case text, columns, rule, barcode, qr, image, feed, cut, drawer, beep

    var form: any BlockForm.Type {
      switch self {
      case .text: Receipt.Text.self
      case .columns: Receipt.Columns.self
      case .rule: Receipt.Rule.self
      case .barcode: Receipt.Barcode.self
      case .qr: Receipt.QRCode.self
      case .image: Receipt.Image.self
      case .feed: Receipt.Feed.self
      case .cut: Receipt.Cut.self
      case .drawer: Receipt.Drawer.self
      case .beep: Receipt.Beep.self
      }
    }
  }

  private var kindAndForm: (Kind, any BlockForm) {
    switch self {
    case .text(let block): (.text, block)
    case .columns(let block): (.columns, block)
    case .rule(let block): (.rule, block)
    case .barcode(let block): (.barcode, block)
    case .qr(let block): (.qr, block)
    case .image(let block): (.image, block)
    case .feed(let block): (.feed, block)
    case .cut(let block): (.cut, block)
    case .drawer(let block): (.drawer, block)
    case .beep(let block): (.beep, block)
    }
  }

  /// Reads a block: an object whose `type` says which.
  ///
  /// - Throws: `DecodingError` with the path of the first fault.
  public init(from decoder: any Decoder) throws {
    let loose = try DocumentFields(decoder)
    guard let kind = try loose.word("type", as: Kind.self) else {
      let words = Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw loose.fault("type", "is missing; expected one of \(words)")
    }
    let fields = try DocumentFields(decoder, keys: ["type"] + kind.form.keys)
    self =
      switch kind {
      case .text: .text(try Receipt.Text(fields))
      case .columns: .columns(try Receipt.Columns(fields))
      case .rule: .rule(try Receipt.Rule(fields))
      case .barcode: .barcode(try Receipt.Barcode(fields))
      case .qr: .qr(try Receipt.QRCode(fields))
      case .image: .image(try Receipt.Image(fields))
      case .feed: .feed(try Receipt.Feed(fields))
      case .cut: .cut(try Receipt.Cut(fields))
      case .drawer: .drawer(try Receipt.Drawer(fields))
      case .beep: .beep(try Receipt.Beep(fields))
      }
  }

  /// Writes the block with its `type`, leaving out what a reader assumes anyway.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    let (kind, form) = kindAndForm
    try container.encode(kind.rawValue, forKey: AnyKey("type"))
    try form.write(to: &container)
  }
}
