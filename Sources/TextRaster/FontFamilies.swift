/// The font families that are asked for, in order; whichever is installed first is used, and fontconfig finds
/// another for what none of them has.
struct FontFamilies: Sendable {
  /// For cells and columns: every Latin letter as wide as the next.
  let text: String
  /// For Arabic, where a fixed width would stretch the joins.
  let arabic: String
  /// For characters of two columns.
  let wide: String

  /// - Parameter language: A BCP 47 tag; Japanese, Korean and traditional Chinese forms come first where it says so.
  init(language: String) {
    let tag = language.lowercased()
    var noto = ["Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK TC", "Noto Sans CJK KR"]
    var small = [
      "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback", "VL Gothic", "NanumGothic",
    ]
    func first(_ family: String, in list: inout [String]) {
      list.removeAll { $0 == family }
      list.insert(family, at: 0)
    }
    if tag.hasPrefix("ja") {
      first("Noto Sans CJK JP", in: &noto)
      first("VL Gothic", in: &small)
    } else if tag.hasPrefix("ko") {
      first("Noto Sans CJK KR", in: &noto)
      first("NanumGothic", in: &small)
    } else if ["zh-tw", "zh-hk", "zh-mo", "zh-hant"].contains(where: tag.hasPrefix) {
      first("Noto Sans CJK TC", in: &noto)
    }
    let latin = ["DejaVu Sans Mono", "Noto Sans Mono", "Liberation Mono", "FreeMono"]
    let others = ["Noto Sans", "Noto Sans Thai", "Noto Sans Hebrew", "DejaVu Sans"]
    // A colour font must not be named: fontconfig then puts it before all others, and draws every digit from it. It finds
    // one by itself for what stands in no other font.
    let pictures = ["Symbola"]
    text = (latin + noto + small + others + pictures + ["monospace"]).joined(separator: ",")
    arabic = (["Noto Naskh Arabic", "Noto Sans Arabic", "DejaVu Sans"] + latin + ["sans"]).joined(
      separator: ",")
    wide = (noto + small + latin + others + pictures + ["monospace"]).joined(separator: ",")
  }
}
