extension String {
  /// Columns that the text takes on a terminal or a printer's line, by East Asian Width; line breaks count nothing.
  public var columnCount: Int {
    unicodeScalars.reduce(0) { count, scalar in
      switch CellWidth(scalar.value) {
      case .none: count
      case .one, .symbol: count + 1
      case .two: count + 2
      }
    }
  }
}
