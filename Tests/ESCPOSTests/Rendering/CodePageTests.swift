import Testing

@testable import ESCPOS

@Suite struct CodePageTests {
  @Test("every byte of every page is the character that the C library says it is", arguments: CodePage.names)
  func pages(name: String) throws {
    let page = try #require(CodePage.named(name))
    var count = 0
    for scalar in (UInt32(0x80)..<CodePage.limit).filter({ page.byte(for: $0) != 0 }) + Array(0xFF61...0xFF9F)
    {
      let byte = page.byte(for: scalar)
      guard byte != 0 else { continue }
      count += 1
      #expect(Iconv.decode([byte], from: name)?.unicodeScalars.map(\.value) == [scalar])
    }
    #expect(count > 60)
  }

  @Test(
    "every double-byte code is the character that the C library says it is",
    arguments: [
      (PrinterProfile.Kanji.Encoding.gb18030, "GB18030", 23_000), (.shiftJIS, "CP932", 6_900),
      (.big5, "CP950", 13_000),
      (.eucKR, "EUC-KR", 8_200),
    ])
  func doubleBytes(encoding: PrinterProfile.Kanji.Encoding, name: String, least: Int) throws {
    let table = DoubleByte(.init(encoding: encoding, maximumBytes: encoding == .gb18030 ? 4 : 2))
    let aliases: Set<UInt32> = [0x301C, 0x2016, 0x2212, 0xA2, 0xA3, 0xAC]
    var count = 0
    for scalar in UInt32(0x80)..<0x10000 where !(0xD800...0xF8FF).contains(scalar) {
      let code = table.code(for: scalar)
      guard code != 0, scalar % 7 == 0 || code > 0xFFFF else {
        count += code != 0 ? 1 : 0
        continue
      }
      count += 1
      if encoding == .shiftJIS, aliases.contains(scalar) { continue }
      if code > 0xFFFF, scalar % 101 != 0 { continue }
      let bytes = code > 0xFFFF ? [24, 16, 8, 0] : [8, 0] as [UInt32]
      let decoded = Iconv.decode(bytes.map { UInt8(truncatingIfNeeded: code >> $0) }, from: name)
      #expect(decoded?.unicodeScalars.map(\.value) == [scalar], "U+\(String(scalar, radix: 16))")
    }
    #expect(count >= least)
  }

  @Test("characters beyond U+FFFF have the four bytes of GB18030")
  func supplementary() {
    let table = DoubleByte(.init(encoding: .gb18030, maximumBytes: 4))
    for scalar: UInt32 in [0x10000, 0x1F600, 0x20BB7, 0x10FFFF] {
      let code = table.code(for: scalar)
      let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }
      #expect(Iconv.decode(bytes, from: "GB18030")?.unicodeScalars.map(\.value) == [scalar])
    }
  }

  @Test("firmware of two bytes gets nothing that GBK lacks")
  func twoBytes() {
    let table = DoubleByte(.init(encoding: .gb18030, maximumBytes: 2))
    for scalar: UInt32 in [0x20AC, 0xA5, 0x9FB6, 0x1F600, 0x3402] { #expect(table.code(for: scalar) == 0) }
    #expect(table.code(for: 0xFFE5) == 0xA3A4)
  }

  @Test("Greek letters of CP737 and CP1253 are not swapped")
  func greek() throws {
    let page = try #require(CodePage.named("CP737"))
    #expect(
      "ΑΒΓαβγά".unicodeScalars.map { page.byte(for: $0.value) } == [0x80, 0x81, 0x82, 0x98, 0x99, 0x9A, 0xE1])
    let windows = try #require(CodePage.named("CP1253"))
    #expect("ΑΩαω€".unicodeScalars.map { windows.byte(for: $0.value) } == [0xC1, 0xD9, 0xE1, 0xF9, 0x80])
  }
}
