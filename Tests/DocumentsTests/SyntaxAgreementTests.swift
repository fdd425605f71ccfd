import Documents
import ESCPOS
import FoundationEssentials
import PrintTestKit
import Testing

@Suite("The syntax check and the decoder agree")
struct SyntaxAgreementTests {
  /// Any JSON at all, read to its last value.
  private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {
      if let object = try? decoder.container(keyedBy: AnyKey.self) {
        for key in object.allKeys { _ = try object.decode(Anything.self, forKey: key) }
      } else if var list = try? decoder.unkeyedContainer() {
        while !list.isAtEnd { _ = try list.decode(Anything.self) }
      } else {
        let value = try decoder.singleValueContainer()
        // A number may be too large for any type and is still JSON.
        if !value.decodeNil(), (try? value.decode(Bool.self)) == nil, (try? value.decode(String.self)) == nil
        {
          _ = try? value.decode(Double.self)
        }
      }
    }
  }

  private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  private static let seeds = [
    #"{"a": [1, -2.5e+3, true, null, "xé\u00e9\ud83d\ude00\n"], "b": {"c": {}, "d": []}}"#,
    #"{"id": "1", "items": [{"name": "\"\\\/", "amount": "12.50"}]}"#, "[[[]], 0, 0.5, \"\"]",
  ]
  private static let json5Seeds = [
    "// c\n{a: 'x', \"b\": [+1, .5, 5., 0xAF, Infinity, -NaN,], /* d */ $e_1: \"\\x41\\\n\"}",
    "['it\\'s', /**/ \"\\v\\0\", -0x1F, -Infinity]",
  ]

  private func mutate(_ text: String, using random: inout Seeded) -> [UInt8] {
    var bytes = Array(text.utf8)
    let letters =
      Array("{}[]:,\"'\\/*+-.0123456789eExXuabtrfnlsNI \n\t_$".utf8) + [0x00, 0x1F, 0x7F, 0xC3, 0xA9, 0xFF]
    for _ in 0...Int.random(in: 0...2, using: &random) {
      let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
      let letter = letters.randomElement(using: &random) ?? 0x20
      switch Int.random(in: 0...3, using: &random) {
      case 0 where !bytes.isEmpty: bytes[place] = letter
      case 1 where !bytes.isEmpty: bytes.remove(at: place)
      case 2: bytes = Array(bytes.prefix(place))
      default: bytes.insert(letter, at: min(place, bytes.count))
      }
    }
    return bytes
  }

  // The other way round does not hold: the decoder lets commas at the end, `05` and control characters in keys pass.
  @Test("whatever passes the check is decoded", arguments: 0..<40, [false, true])
  func passing(seed: Int, json5: Bool) {
    var random = Seeded(state: UInt64(seed))
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = json5
    var passed = 0
    for _ in 0..<250 {
      let text = (json5 ? Self.seeds + Self.json5Seeds : Self.seeds).randomElement(using: &random) ?? ""
      let bytes = mutate(text, using: &random)
      guard (try? DocumentReader.check(bytes, json5: json5)) != nil else { continue }
      passed += 1
      let decodes = (try? decoder.decode(Anything.self, from: Data(bytes))) != nil
      #expect(decodes, "\(String(decoding: bytes, as: UTF8.self))")
    }
    #expect(passed > 10)
  }
}
