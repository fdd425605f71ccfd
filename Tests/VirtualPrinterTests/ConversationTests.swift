import ESCPOS
import PrintTestKit
import Testing
import VirtualPrinter

/// What the printer answers, by the bit rules of the command reference.
@Suite struct ConversationTests {
  static func ask(_ bytes: [UInt8], _ change: (inout Behaviour) -> Void = { _ in }) throws -> [UInt8] {
    let printer = try Profiles.printer(keeping: .nothing, change)
    printer.feed(bytes)
    return printer.takeReplies()
  }

  @Test("DLE EOT answers what is the matter, also offline")
  func realTimeStatus() throws {
    func all(_ change: (inout Behaviour) -> Void) throws -> [UInt8] {
      try Self.ask((1...4).flatMap { [0x10, 0x04, UInt8($0)] }, change)
    }
    #expect(try all { _ in } == [0x12, 0x12, 0x12, 0x12])
    #expect(try all { $0.paper = .nearEnd } == [0x12, 0x12, 0x12, 0x1E])
    #expect(try all { $0.paper = .end } == [0x1A, 0x32, 0x12, 0x7E])
    #expect(try all { $0.coverOpen = true } == [0x1A, 0x16, 0x12, 0x12])
    #expect(try all { $0.offline = true } == [0x1A, 0x12, 0x12, 0x12])
    #expect(try all { $0.drawerOpen = true } == [0x16, 0x12, 0x12, 0x12])
    #expect(try all { $0.fault = .cutter } == [0x1A, 0x52, 0x1A, 0x12])
    #expect(try all { $0.fault = .unrecoverable } == [0x1A, 0x52, 0x32, 0x12])
    #expect(try all { $0.fault = .autoRecoverable } == [0x1A, 0x52, 0x52, 0x12])
    #expect(try all { $0.answers = false }.isEmpty)
  }

  @Test("every real-time answer keeps the fixed bits, and so does every ASB frame")
  func fixedBits() throws {
    for paper in [Behaviour.PaperSupply.present, .nearEnd, .end] {
      for fault in [nil, Behaviour.Fault.recoverable, .cutter, .unrecoverable, .autoRecoverable] {
        for flags in 0..<8 {
          func change(_ body: inout Behaviour) {
            body.paper = paper
            body.fault = fault
            body.coverOpen = flags & 1 != 0
            body.offline = flags & 2 != 0
            body.drawerOpen = flags & 4 != 0
          }
          let status = try Self.ask((1...4).flatMap { [0x10, 0x04, UInt8($0)] }, change)
          #expect(status.count == 4 && status.allSatisfy { $0 & 0x93 == 0x12 })
          let printer = try Profiles.printer(keeping: .nothing)
          printer.feed([0x1D, 0x61, 0xFF])
          _ = printer.takeReplies()
          printer.set(change)
          let frame = printer.takeReplies()
          if flags > 0 || fault != nil || paper != .present {
            #expect(frame.count == 4 && frame[0] & 0x93 == 0x10 && frame[1...].allSatisfy { $0 & 0x90 == 0 })
          }
        }
      }
    }
  }

  @Test("GS r is answered in turn behind the print, and not while offline")
  func queuedStatus() throws {
    let printer = try Profiles.printer()
    printer.feed(Array("abc\n".utf8) + [0x1D, 0x72, 1])
    #expect(printer.takeReplies() == [0x00])
    printer.set { $0.coverOpen = true }
    printer.feed(Array("def\n".utf8) + [0x1D, 0x72, 1])
    #expect(printer.takeReplies().isEmpty)
    #expect(!printer.paper.text.contains("def"))
    printer.set {
      $0.coverOpen = false
      $0.paper = .nearEnd
    }
    #expect(printer.takeReplies() == [0x03])
    #expect(printer.paper.text.contains("def"))
  }

  @Test("GS ( H echoes the process id once what came before is printed")
  func processID() throws {
    let printer = try Profiles.printer { $0.paperLeft = 200 }
    var job = Job()
    job.raster(Job.frame(64, 300))
    job.function("H", [48, 48] + Array("A1b2".utf8))
    printer.feed(job.bytes)
    #expect(printer.takeReplies().isEmpty)
    #expect(printer.behaviour.paper == .end)
    printer.set { $0.paper = .present }
    #expect(printer.takeReplies() == [0x37, 0x22] + Array("A1b2".utf8) + [0])
    #expect(printer.paper.current.dots.map { $0[0, 419] && $0[63, 419] } == true)
  }

  @Test("GS I names the printer in blocks from 5F to 00")
  func identity() throws {
    #expect(try Self.ask([0x1D, 0x49, 67]) == [0x5F] + Array("test-80".utf8) + [0])
    #expect(try Self.ask([0x1D, 0x49, 69]) == [0x5F] + Array("GB18030".utf8) + [0])
    #expect(try Self.ask([0x1D, 0x49, 2]) == [0x03])
    for n: UInt8 in 65...69 {
      let reply = try Self.ask([0x1D, 0x49, n])
      #expect(reply.first == 0x5F && reply.last == 0 && reply.count > 2)
    }
  }

  @Test("ASB is sent at once, and again when something changes that was asked for")
  func automaticStatus() throws {
    let printer = try Profiles.printer(keeping: .nothing)
    printer.feed([0x1D, 0x61, 0x08])
    #expect(printer.takeReplies() == [0x10, 0, 0, 0])
    printer.set { $0.drawerOpen = true }
    #expect(printer.takeReplies().isEmpty)
    printer.set { $0.paper = .nearEnd }
    #expect(printer.takeReplies() == [0x14, 0, 0x03, 0])
    printer.feed([0x1D, 0x61, 0x00])
    printer.set { $0.paper = .end }
    #expect(printer.takeReplies().isEmpty)
  }

  @Test("the offline notice is sent when asked for")
  func offlineNotice() throws {
    let printer = try Profiles.printer(keeping: .nothing)
    printer.feed([0x1D, 0x28, 0x48, 3, 0, 49, 48, 49])
    printer.set { $0.coverOpen = true }
    #expect(printer.takeReplies() == [0x37, 0x23, 0])
    printer.set { $0.coverOpen = false }
    printer.feed([0x1D, 0x28, 0x48, 3, 0, 49, 48, 50])
    printer.set { $0.coverOpen = true }
    #expect(printer.takeReplies() == [0x37, 0x23, 0x40, 0x40, 0x40, 0x42, 0x40, 0])
  }

  @Test("DLE DC4 8 clears half a raster and says so; DLE ENQ cures an error")
  func clearing() throws {
    let printer = try Profiles.printer()
    printer.feed([0x1D, 0x76, 0x30, 0, 72, 0, 0, 1] + [UInt8](repeating: 0xFF, count: 100))
    #expect(printer.missingBytes == 72 * 256 - 100)
    printer.feed([0x10, 0x14, 8, 1, 3, 20, 1, 6, 2, 8])
    #expect(printer.takeReplies() == [0x37, 0x25, 0])
    #expect(printer.missingBytes == 0)
    printer.feed(Array("clean\n".utf8))
    #expect(printer.paper.text == "clean")
    printer.set { $0.fault = .recoverable }
    printer.feed(Array("after\n".utf8))
    #expect(!printer.paper.text.contains("after"))
    printer.feed([0x10, 0x05, 1])
    #expect(printer.paper.text.contains("after"))
    printer.set { $0.fault = .cutter }
    printer.feed(Array("never\n".utf8) + [0x10, 0x05, 2])
    #expect(printer.behaviour.fault == nil)
    #expect(!printer.paper.text.contains("never"))
  }

  @Test("a real-time command inside a raster acts and is reported, and the raster is still whole")
  func realTimeInPayload() async throws {
    let printer = try Profiles.printer()
    let events = printer.events()
    printer.feed([0x1D, 0x76, 0x30, 0, 1, 0, 4, 0, 0x10, 0x04, 0x01, 0xFF] + Array("x\n".utf8))
    #expect(printer.takeReplies() == [0x12])
    #expect(printer.paper.text == "[image 8 × 4]\nx")
    var seen: [PrinterEvent] = []
    for await event in events {
      seen.append(event)
      if case .realTimeInside = event { break }
    }
    #expect(seen == [.realTime(.status(1)), .realTimeInside("GS v 0", offset: 8, .status(1))])
  }

  @Test("GS ( D switches the real-time pulse off, and DLE DC4 2 switches the printer off")
  func disabledPulse() throws {
    let printer = try Profiles.printer()
    printer.feed([0x10, 0x14, 1, 0, 2, 0x1D, 0x28, 0x44, 3, 0, 20, 1, 0, 0x10, 0x14, 1, 1, 2])
    #expect(printer.paper.current.marks == [.drawer(pin: 2, milliseconds: 200)])
    printer.feed([0x10, 0x14, 2, 1, 8] + Array("lost\n".utf8))
    #expect(printer.takeReplies() == [0x3B, 0x30, 0])
    printer.powerCycle()
    printer.feed(Array("back\n".utf8))
    #expect(!printer.paper.text.contains("lost"))
    #expect(printer.paper.text.contains("back"))
  }
}
