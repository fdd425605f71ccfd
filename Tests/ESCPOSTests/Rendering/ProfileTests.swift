import FoundationEssentials
import PrintTestKit
import Testing

@testable import ESCPOS

@Suite struct ProfileTests {
  private func catalogue(_ json: String) throws(DocumentFault) -> ProfileCatalogue {
    do {
      return try JSONDecoder().decode(ProfileCatalogue.self, from: Data(json.utf8))
    } catch let error as DecodingError {
      throw DocumentFault(error)
    } catch {
      throw DocumentFault(path: "", message: "\(error)")
    }
  }

  private let builtIn = String(decoding: PrinterProfile.builtInJSON, as: UTF8.self)

  @Test("the built-in profiles are read, and written back the same")
  func builtInProfiles() throws {
    let catalogue = try catalogue(builtIn)
    #expect(catalogue.profiles.map(\.name) == PrinterProfile.builtInNames)
    let written = try JSONEncoder().encode(catalogue)
    #expect(try JSONDecoder().decode(ProfileCatalogue.self, from: written) == catalogue)
    #expect(catalogue["generic-58"]?.fontA.columns == 32)
    #expect(catalogue["generic-80"]?.widthDots == 576)
  }

  @Test("a name that is nearly right is corrected")
  func wrongName() throws {
    let catalogue = try catalogue(builtIn)
    let fault = #expect(throws: DocumentFault.self) { try catalogue.profile(named: "generic-85") }
    #expect(fault?.message == "there is no printer profile \"generic-85\"; did you mean \"generic-80\"?")
  }

  @Test(
    "what is wrong in a profile is refused with its place",
    arguments: [
      ("\"widthDots\": 384", "\"widthDots\": 0", "profiles[0].widthDots: expected 64 through 4096 dots"),
      ("\"widthDots\": 384", "\"widthDots\": \"384\"", "profiles[0].widthDots: expected a whole number"),
      (
        "\"widthDots\": 384", "\"widthDot\": 384",
        "profiles[0].widthDot: unknown key; did you mean \"widthDots\"?"
      ),
      (
        "\"columns\": 32", "\"columns\": 48",
        "profiles[0].fontA: 48 columns of 12 dots are wider than the 384 dots of the head"
      ),
      ("\"columns\": 32", "\"columns\": 3", "profiles[0].fontA.columns: expected 16 through 255 columns"),
      ("\"slot\": 2,", "\"slot\": 0,", "profiles[0].codePages: a slot is named twice"),
      (
        "\"maximumBytes\": 2}", "\"maximumBytes\": 3}",
        "profiles[0].kanji.maximumBytes: expected 2, or 4 with GB18030"
      ),
      (
        "\"maximumRows\": 255", "\"maximumRows\": 5000",
        "profiles[0].raster.maximumRows: expected 1 through 4095 rows"
      ),
      (
        "\"withoutCommands\": []", "\"withoutCommands\": [\"ESC=\"]",
        "profiles[0].withoutCommands: unknown command \"ESC=\"; did you mean \"ESC =\"?"
      ),
      (
        "\"notReset\": [\"GS L\"", "\"notReset\": [\"ESC L\"",
        "profiles[0].notReset: expected \"GS L\" or \"GS W\", found \"ESC L\""
      ),
      (
        "\"name\": \"generic-80\"", "\"name\": \"generic-58\"",
        "profiles[1].name: there is another profile of this name"
      ),
      (
        "\"widthDots\": 384", "\"chunk\": 19, \"widthDots\": 384",
        "profiles[0].chunk: expected 20 through 512 bytes"
      ),
      (
        "[\"full\"]", "[]",
        "profiles[0].cutter.modes: expected \"full\", \"partial\" or both; leave the cutter out for none"
      ),
    ])
  func faults(right: String, wrong: String, fault: String) throws {
    let range = try #require(builtIn.firstRange(of: right))
    var json = builtIn
    json.replaceSubrange(range, with: wrong)
    let found = #expect(throws: DocumentFault.self) { try catalogue(json) }
    #expect(found?.description == fault)
  }

  @Test("code pages that differ from printer to printer are unknown")
  func unreliablePages() throws {
    for page in ["CP851", "CP853", "cp437"] {
      let json = builtIn.replacing(
        "\"encoding\": \"CP860\"", with: "\"encoding\": \"\(page)\"", maxReplacements: 1)
      let fault = #expect(throws: DocumentFault.self) { try catalogue(json) }
      #expect(
        fault?.description.hasPrefix("profiles[0].codePages[7].encoding: unknown code page \"\(page)\"")
          == true)
    }
  }

  @Test("the schema names the keys, the code pages and the commands that profiles may have")
  func schema() throws {
    struct Node: Decodable {
      var properties: [String: Node]?
      var items: [Node]?
      var words: [String]?
      var required: [String]?

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        properties = try container.decodeIfPresent([String: Node].self, forKey: AnyKey("properties"))
        items = (try? container.decode(Node.self, forKey: AnyKey("items"))).map { [$0] }
        words = try? container.decode([String].self, forKey: AnyKey("enum"))
        required = try container.decodeIfPresent([String].self, forKey: AnyKey("required"))
      }
    }
    struct Schema: Decodable {
      var definitions: [String: Node]
      enum CodingKeys: String, CodingKey { case definitions = "$defs" }
    }
    let json = try Fixtures.bytes("../Docs/schema/profiles.schema.json")
    let schema = try JSONDecoder().decode(Schema.self, from: Data(json))
    let profile = try #require(schema.definitions["profile"]?.properties)
    #expect(Set(profile.keys) == Set(PrinterProfile.CodingKeys.allCases.map(\.stringValue)))
    #expect(profile["codePages"]?.items?.first?.properties?["encoding"]?.words == CodePage.names)
    #expect(profile["withoutCommands"]?.items?.first?.words == Abilities.mnemonics.map(\.name))
    let required = try #require(schema.definitions["profile"]?.required)
    for key in required {
      let range = try #require(builtIn.firstRange(of: "\"\(key)\""))
      var json = builtIn
      json.replaceSubrange(range, with: "\"\(key)X\"")
      #expect(throws: DocumentFault.self, "\(key)") { try catalogue(json) }
    }
  }
}
