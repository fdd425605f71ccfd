/// What tells a copy from the original: printed inverted, bold and in double size at the top and the bottom.
public struct CopyMark: Equatable, Sendable {
  /// The words: `COPY 2 / 补打 2`.
  public var text: String

  /// Creates a mark.
  public init(text: String) {
    self.text = text
  }

  /// The mark as a block of a receipt.
  var block: Receipt.Text {
    Receipt.Text(
      text, align: .center, style: Receipt.Style(bold: true, invert: true, width: 2, height: 2))
  }
}
