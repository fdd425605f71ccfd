/// Amounts in languages that count units and their hundredths: "twelve euros and fifty cents".
struct CountedAmounts: Sendable {
  /// A unit of money as it is counted.
  struct Noun: Sendable {
    /// The clips' name, with the form behind it: `eur` gives `eur-one`, `eur-many`, `eur-of`.
    var id: String
    var one: String
    var many: String
    /// Behind a round number of millions: "d'euros", "de euros".
    var ofMillions: String?
    var gender = Gender.masculine

    init(
      _ id: String, _ one: String, _ many: String, of ofMillions: String? = nil, _ gender: Gender = .masculine
    ) {
      self.id = id
      self.one = one
      self.many = many
      self.ofMillions = ofMillions
      self.gender = gender
    }

    func word(_ count: Int64) -> SpokenWord {
      if let ofMillions, count >= 1_000_000, count % 1_000_000 == 0 {
        return SpokenWord("\(id)-of", ofMillions)
      }
      return count == 1 ? SpokenWord("\(id)-one", one) : SpokenWord("\(id)-many", many)
    }
  }

  /// What a number before a noun agrees with.
  enum Gender: Sendable { case masculine, feminine }

  /// A number in words as it stands before a noun.
  let numerals: @Sendable (Int64, Gender) -> [SpokenWord]
  let unit: Noun
  let subunit: Noun?
  /// Between units and hundredths.
  let and: SpokenWord
  /// Whether ten and more hundredths stand bare behind the unit: "zwölf Euro fünfzig". Fewer never do: "zwölf Euro
  /// fünf" could be either.
  let saysHundredthsBare: Bool

  func words(units: Int64, subunits: Int) -> [SpokenWord] {
    guard subunits > 0, let subunit else { return numerals(units, unit.gender) + [unit.word(units)] }
    let hundredths = numerals(Int64(subunits), subunit.gender)
    guard units > 0 else { return hundredths + [subunit.word(Int64(subunits))] }
    let whole = numerals(units, unit.gender) + [unit.word(units)]
    if saysHundredthsBare, subunits >= 10 { return whole + hundredths }
    return whole + [and] + hundredths + [subunit.word(Int64(subunits))]
  }
}
