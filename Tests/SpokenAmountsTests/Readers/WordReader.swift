/// Turns amounts of the languages that write spaces back into hundredths, from lists of words alone.
struct WordReader {
  /// Words that add: `zwanzig`.
  var additions: [String: Int64]
  /// Words that multiply what stands before them below the next greater one: `hundert`, `tausend`.
  var multipliers: [String: Int64]
  /// Words of the unit and of its hundredth.
  var units: Set<String>
  var subunits: Set<String>
  /// Words without a value.
  var fillers: Set<String>
  /// Whether four before twenty is eighty.
  var countsByTwenties = false
  /// Cuts what is written in one: German numbers.
  var split: @Sendable (Substring) -> [String] = { [String($0)] }

  /// Hundredths, or nil for a word that is not known or stands where none may.
  func hundredths(_ text: String) -> Int64? {
    var sum: Int64 = 0
    var sawUnit = false
    var sawSubunit = false
    var pending: [Int64] = []
    for piece in text.split(whereSeparator: { $0 == " " || $0 == "-" }) {
      if units.contains(String(piece)) {
        if pending.isEmpty, sawUnit { continue }
        guard !sawUnit, let count = value(pending) else { return nil }
        sum += count * 100
        sawUnit = true
        pending = []
      } else if subunits.contains(String(piece)) {
        guard !sawSubunit, let count = value(pending), count < 100 else { return nil }
        sum += count
        sawSubunit = true
        pending = []
      } else if !fillers.contains(String(piece)) {
        for word in split(piece) {
          if let value = additions[word] {
            pending.append(value)
          } else if let value = multipliers[word] {
            pending.append(-value)
          } else {
            return nil
          }
        }
      }
    }
    if pending.isEmpty { return sum }
    // Hundredths may stand bare behind the unit; ten and more of them.
    guard sawUnit, !sawSubunit, let count = value(pending), (10..<100).contains(count) else { return nil }
    return sum + count
  }

  /// The value of words, multipliers as negative numbers.
  private func value(_ words: [Int64]) -> Int64? {
    guard !words.isEmpty else { return nil }
    var total: Int64 = 0
    var section: Int64 = 0
    for word in words {
      if word >= 0 {
        section = countsByTwenties && word == 20 && section % 100 == 4 ? section + 76 : section + word
      } else if -word < 1000 {
        let tens = section % 100
        section = section - tens + max(tens, 1) * -word
      } else {
        let under = total % -word
        total = total - under + max(under + section, 1) * -word
        section = 0
      }
    }
    return total + section
  }
}
