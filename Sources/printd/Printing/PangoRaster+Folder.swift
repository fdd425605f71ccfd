import TextRaster

extension PangoRaster {
  /// A source of dots with the pictures of a folder; it costs nothing until it draws.
  ///
  /// - Parameter locale: The paper's language; Chinese characters are drawn in its forms.
  convenience init(imageFolder: String?, locale: String) {
    self.init(
      language: locale.hasPrefix("ja") || locale.hasPrefix("ko") || locale.hasPrefix("zh") ? locale : "zh-CN"
    ) { name in
      guard let imageFolder else { return nil }
      return try? Files.read("\(imageFolder)/\(name)", limit: 16 << 20)
    }
  }
}
