import ESCPOS
import Testing

@Suite("What a printer's status bytes mean")
struct ConversationStatusTests {
  private func status(_ replies: [ReplyParser.Reply]) -> PrinterStatus {
    var board = StatusBoard()
    for reply in replies { board.note(reply) }
    return board.status
  }

  @Test("DLE EOT 1 tells whether it is online, for every byte", arguments: 0...255)
  func first(byte: Int) {
    var expected = PrinterStatus()
    expected.online = byte & 8 == 0
    #expect(status([.realTime(question: 1, UInt8(byte))]) == expected)
  }

  @Test("DLE EOT 2 tells of cover, paper stop and error, for every byte", arguments: 0...255)
  func second(byte: Int) {
    var expected = PrinterStatus()
    expected.coverOpen = byte & 4 != 0
    expected.paper = byte & 32 != 0 ? .end : nil
    expected.error = byte & 64 != 0
    #expect(status([.realTime(question: 2, UInt8(byte))]) == expected)
  }

  @Test("DLE EOT 3 tells of errors, for every byte", arguments: 0...255)
  func third(byte: Int) {
    var expected = PrinterStatus()
    expected.error = byte & 4 != 0 || byte & 8 != 0 || byte & 32 != 0 || byte & 64 != 0
    #expect(status([.realTime(question: 3, UInt8(byte))]) == expected)
  }

  @Test(
    "DLE EOT 4 tells of the paper sensors",
    arguments: [
      (0x12, PrinterStatus.Paper.present), (0x16, .nearEnd), (0x1A, .nearEnd), (0x1E, .nearEnd), (0x32, .end),
      (0x52, .end), (0x72, .end), (0x7E, .end),
    ] as [(UInt8, PrinterStatus.Paper)])
  func fourth(byte: UInt8, paper: PrinterStatus.Paper) {
    var expected = PrinterStatus()
    expected.paper = paper
    #expect(status([.realTime(question: 4, byte)]) == expected)
  }

  @Test("automatic status back tells all at once, bit by bit", arguments: 0..<32)
  func automatic(bit: Int) {
    var frame: [UInt8] = [0x10, 0, 0, 0]
    frame[bit / 8] |= 1 << UInt8(bit % 8)
    var expected = PrinterStatus()
    expected.online = bit != 3
    expected.coverOpen = bit == 5
    expected.error = [10, 11, 13, 14].contains(bit)
    expected.paper = [16, 17].contains(bit) ? .nearEnd : [18, 19].contains(bit) ? .end : .present
    #expect(status([.automatic(frame)]) == expected)
  }

  @Test(
    "GS r 1 tells of the paper",
    arguments: [
      (0x00, PrinterStatus.Paper.present), (0x01, .nearEnd), (0x02, .nearEnd), (0x03, .nearEnd), (0x04, .end),
      (0x0C, .end), (0x0F, .end), (0x60, .present),
    ] as [(UInt8, PrinterStatus.Paper)])
  func transmitted(byte: UInt8, paper: PrinterStatus.Paper) {
    var expected = PrinterStatus()
    expected.paper = paper
    #expect(status([.transmitted(byte)]) == expected)
  }

  @Test("a stop for want of paper outweighs a sensor that sees paper, until printing goes on")
  func stopped() {
    let stop: [ReplyParser.Reply] = [.realTime(question: 2, 0x32), .realTime(question: 4, 0x12)]
    #expect(status(stop).paper == .end)
    #expect(status(stop + [.transmitted(0)]).paper == .present)
    #expect(status(stop + [.automatic([0x10, 0, 0, 0])]).paper == .present)
    #expect(status(stop + [.realTime(question: 2, 0x12)]).paper == .present)
  }

  @Test("an error of one question is not taken back by another")
  func errors() {
    #expect(status([.realTime(question: 2, 0x52), .realTime(question: 3, 0x12)]).error == true)
    #expect(status([.realTime(question: 3, 0x1A), .realTime(question: 2, 0x12)]).error == true)
    #expect(status([.realTime(question: 3, 0x1A), .realTime(question: 3, 0x12)]).error == false)
  }

  @Test("what stands against printing is named, the nearest remedy first")
  func obstacles() {
    #expect(status([.realTime(question: 1, 0x12)]).obstacle == nil)
    #expect(status([.realTime(question: 1, 0x1A)]).obstacle == "printer offline")
    #expect(status([.realTime(question: 1, 0x1A), .realTime(question: 3, 0x1A)]).obstacle == "printer error")
    #expect(status([.realTime(question: 1, 0x1A), .realTime(question: 2, 0x16)]).obstacle == "cover open")
    #expect(status([.realTime(question: 2, 0x36), .realTime(question: 4, 0x72)]).obstacle == "paper out")
    #expect(status([.realTime(question: 4, 0x1E)]).obstacle == nil)
  }
}
