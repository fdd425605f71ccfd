/// Printer profiles by name: the built-in ones, or a shop's own file of the same form.
///
/// JSON: `{"profiles": [{"name": "generic-80", …}, …]}`, described by `Docs/schema/profiles.schema.json`.
public struct ProfileCatalogue: Equatable, Sendable {
  /// The profiles in the order of the file.
  public var profiles: [PrinterProfile]

  /// Creates a catalogue.
  public init(profiles: [PrinterProfile]) {
    self.profiles = profiles
  }

  /// The profile with a name, or nil.
  public subscript(name: String) -> PrinterProfile? {
    profiles.first { $0.name == name }
  }

  /// The profile with a name.
  ///
  /// - Throws: ``DocumentFault`` that names the nearest known one.
  public func profile(named name: String) throws(DocumentFault) -> PrinterProfile {
    if let profile = self[name] { return profile }
    let names = profiles.map(\.name)
    let advice =
      nearestWord(to: name, among: names).map { "did you mean \"\($0)\"?" }
      ?? "known: \(names.joined(separator: ", "))"
    throw DocumentFault(path: "profile", message: "there is no printer profile \"\(name)\"; \(advice)")
  }
}

extension ProfileCatalogue: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case profiles
  }

  /// Reads a catalogue.
  ///
  /// - Throws: `DecodingError` at an unknown key, a wrong type, a value out of range, or a name that occurs
  ///   twice.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(known: CodingKeys.allCases.map(\.stringValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    profiles = try container.decode([PrinterProfile].self, forKey: .profiles)
    var names: Set<String> = []
    for (index, profile) in profiles.enumerated() where !names.insert(profile.name).inserted {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: container.codingPath + [CodingKeys.profiles, AnyKey(intValue: index), AnyKey("name")],
          debugDescription: "there is another profile of this name"))
    }
  }
}

extension PrinterProfile {
  /// The built-in catalogue as JSON, for a decoder: `generic-58`, `generic-80` and `epson-tm-m30`.
  public static let builtInJSON: [UInt8] = PackageResources.profiles_json
}
