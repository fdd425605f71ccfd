import Documents
import ESCPOS
import Testing

@Suite("Reading documents")
struct DocumentReaderTests {
  private struct Plain: Decodable, Equatable {
    var a: Int
    var b: [String]
  }

  private func fault(_ text: String, json5: Bool = false) -> String? {
    do {
      try DocumentReader.check(Array(text.utf8), json5: json5)
      return nil
    } catch {
      return error.description
    }
  }

  @Test(
    "a syntax fault says its line and column",
    arguments: [
      ("", "the document is empty"),
      ("  \n ", "the document is empty"),
      ("{", "line 1, column 2: expected a key in double quotes (the document ends here)"),
      ("{\n  \"a\" 1}", "line 2, column 7: expected \":\" after the key"),
      ("{\"a\": 1 \"b\": 2}", "line 1, column 9: expected \",\" or \"}\""),
      ("[1, 2,]", "line 1, column 7: expected a value after the comma"),
      ("[1 2]", "line 1, column 4: expected \",\" or \"]\""),
      ("{a: 1}", "line 1, column 2: expected a key in double quotes"),
      ("\"äöü\" x", "line 1, column 7: expected nothing more after the document"),
      ("[01]", "line 1, column 2: a number does not begin with 0"),
      ("[1.]", "line 1, column 4: expected a digit after the point"),
      ("[1e]", "line 1, column 4: expected a digit in the exponent"),
      ("[-]", "line 1, column 3: expected a digit"),
      ("[NaN]", "line 1, column 2: expected a value"),
      ("[truely]", "line 1, column 2: expected a value"),
      ("[\"ab", "line 1, column 2: the string has no end"),
      ("[\"a\nb\"]", "line 1, column 2: the string has no end on its line"),
      ("[\"\u{1b}\"]", "line 1, column 3: a control character in a string is written as \\u001b"),
      ("[\"\\q\"]", "line 1, column 3: unknown escape in a string"),
      ("[\"\\u12\"]", "line 1, column 3: expected four hexadecimal digits after \\u"),
      ("[\"\\ud800x\"]", "line 1, column 3: half of a surrogate pair"),
      ("{\"a\": 1, \"a\": 2}", "line 1, column 10: the key a stands here twice"),
      ("// no\n1", "line 1, column 1: expected a value"),
    ])
  func syntax(text: String, expected: String) {
    #expect(fault(text)?.hasPrefix(expected) == true, "\(fault(text) ?? "no fault")")
  }

  @Test(
    "plain JSON passes",
    arguments: [
      "1", "-0.5e+3", "\"\\u00e9\\ud83d\\ude00\"", "[]", "{}", " [ true , false , null ] ",
      "{\"a\":{\"b\":[1,[2]]}}",
    ])
  func passes(text: String) {
    #expect(fault(text) == nil)
  }

  @Test("JSON5 passes where it is allowed, and is decoded as checked")
  func json5() throws {
    let text = """
      // the till
      { a: 0x10, /* two */ 'b': ['it', "is",], }
      """
    #expect(fault(text) != nil)
    let plain = try DocumentReader.read(Plain.self, from: Array(text.utf8), json5: true)
    #expect(plain == Plain(a: 16, b: ["it", "is"]))
  }

  @Test(
    "JSON5 faults have places too",
    arguments: [
      ("/* x", "line 1, column 1: the comment has no end"),
      ("{a: 1, a: 2}", "line 1, column 8: the key a stands here twice"),
      ("{1a: 1}", "line 1, column 2: expected a key"),
      ("[0x]", "line 1, column 4: expected a hexadecimal digit"),
      ("[1,,2]", "line 1, column 4: expected a value"),
    ])
  func json5Syntax(text: String, expected: String) {
    #expect(
      fault(text, json5: true)?.hasPrefix(expected) == true, "\(fault(text, json5: true) ?? "no fault")")
  }

  @Test("a bomb of brackets is refused, not followed")
  func depth() {
    let bomb = String(repeating: "[", count: 1_000_000)
    #expect(fault(bomb) == "line 1, column 65: lists and objects stand more than 64 deep in one another")
    let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(fault(deep) == nil)
  }

  @Test("bytes that are not UTF-8 are found")
  func encoding() {
    let bytes = Array("{\"a\": \"é".utf8) + [0xE9] + Array("\"}".utf8)
    #expect(throws: DocumentFault(path: "", message: "line 1, column 9: expected UTF-8")) {
      try DocumentReader.check(bytes)
    }
  }

  @Test("a byte order mark is passed over")
  func byteOrderMark() throws {
    let bytes = [0xEF, 0xBB, 0xBF] + Array("{\"a\": 1, \"b\": []}".utf8)
    #expect(try DocumentReader.read(Plain.self, from: bytes) == Plain(a: 1, b: []))
  }

  @Test(
    "a value's fault has its path",
    arguments: [
      ("{\"a\": \"x\", \"b\": []}", "a: expected a whole number"),
      ("{\"a\": 1, \"b\": [\"x\", 2]}", "b[1]: expected a string"),
      ("{\"a\": 1}", "b: is missing"),
      (
        "{\"a\": 1.5, \"b\": []}",
        "a number in the document is not whole, or too large, where it must not be"
      ),
      ("{\"a\": null, \"b\": []}", "a: expected a whole number, found null"),
    ])
  func values(text: String, expected: String) {
    do {
      _ = try DocumentReader.read(Plain.self, from: Array(text.utf8))
      Issue.record("was read")
    } catch {
      #expect(error.description == expected)
    }
  }
}
