import ESCPOS
import PrintTestKit
import Testing
import VirtualPrinter

/// The link in the same process, and the misbehaviour that a host must live with.
@Suite(.timeLimit(.minutes(1))) struct LinkTests {
  let clock = ManualClock()
  var soon: BootInstant { clock.now.advanced(by: .seconds(10)) }

  @Test("bytes go in, answers come out, and the count is right")
  func roundTrip() async throws {
    let printer = try Profiles.printer(clock: clock)
    let link = try await printer.opener().open(by: soon)
    try await link.send(Array("hello\n".utf8)[...], by: soon)
    try await link.send([0x10, 0x04, 0x01], by: soon)
    #expect(try await link.receive(by: soon) == [0x12])
    #expect(link.bytesAccepted == 9)
    #expect(link.hasBackChannel)
    try await link.flush(by: soon)
    await link.close()
    await link.close()
    #expect(printer.paper.text == "hello")
    await #expect(throws: LinkError.self) { try await link.send([0x0A], by: soon) }
  }

  @Test("one host at a time")
  func busy() async throws {
    let printer = try Profiles.printer(clock: clock)
    let first = try await printer.opener().open(by: soon)
    await #expect(throws: LinkError(.busy, "another host holds the printer")) {
      _ = try await printer.opener().open(by: soon)
    }
    await first.close()
    let second = try await printer.opener().open(by: soon)
    await second.close()
  }

  @Test(
    "a printer that is away, taken or unwilling says which",
    arguments: [
      (Behaviour.Opening.unreachable, LinkError.Code.unreachable), (.busy, .busy), (.refused, .refused),
    ])
  func openings(opening: Behaviour.Opening, code: LinkError.Code) async throws {
    let printer = try Profiles.printer(clock: clock) { $0.opening = opening }
    let error = await #expect(throws: LinkError.self) { _ = try await printer.opener().open(by: soon) }
    #expect(error?.code == code)
  }

  @Test("a slow connection takes its time on the clock, and no longer than the deadline")
  func slowOpening() async throws {
    let printer = try Profiles.printer(clock: clock) { $0.openingDelay = .seconds(5) }
    let deadline = soon
    let opening = Task { try await printer.opener().open(by: deadline) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    await (try opening.value).close()
    printer.set { $0.openingDelay = .seconds(60) }
    let late = soon
    let second = Task { try await printer.opener().open(by: late) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: LinkError.self) { _ = try await second.value }
    #expect(error?.code == .deadline)
  }

  @Test("a slow printer holds the sender back, and prints all of it in the end")
  func backPressure() async throws {
    let printer = try Profiles.printer(clock: clock) {
      $0.bytesPerSecond = 1000
      $0.bufferSize = 100
    }
    let link = try await printer.opener().open(by: soon)
    let job = Array(String(repeating: "0123456789012345678901234567890123456789\n", count: 10).utf8)
    let deadline = clock.now.advanced(by: .seconds(3600))
    let sending = Task { try await link.send(job[...], by: deadline) }
    // Two sleep while the sender waits for room: it, and the printer.
    while printer.paper.current.entries.count < 5 {
      await clock.sleepers(atLeast: 2)
      #expect(link.bytesAccepted < job.count)
      clock.advance(by: .milliseconds(10))
    }
    // From here on the sender may be done at any moment, and nobody sleeps in the end.
    while printer.paper.current.entries.count < 10 {
      clock.advance(by: .milliseconds(1))
      await Task.yield()
    }
    try await sending.value
    #expect(link.bytesAccepted == job.count)
    await link.close()
  }

  @Test("the sender's deadline ends its wait, and the count says how far it came")
  func sendDeadline() async throws {
    let printer = try Profiles.printer(clock: clock) {
      $0.coverOpen = true
      $0.bufferSize = 64
    }
    let link = try await printer.opener().open(by: soon)
    let deadline = soon
    let sending = Task { try await link.send([UInt8](repeating: 0x41, count: 100)[...], by: deadline) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(11))
    let error = await #expect(throws: LinkError.self) { try await sending.value }
    #expect(error?.code == .deadline)
    #expect(link.bytesAccepted == 64)
    // The buffer is full, and the status is answered all the same.
    try await link.send([0x10, 0x04, 0x02], by: soon)
    #expect(try await link.receive(by: soon) == [0x16])
    await link.close()
  }

  @Test("without flow control what finds the buffer full is lost")
  func overflow() async throws {
    let printer = try Profiles.printer(clock: clock) {
      $0.offline = true
      $0.bufferSize = 16
      $0.overflow = .losesBytes
    }
    let link = try await printer.opener().open(by: soon)
    try await link.send(Array("0123456789ABCDEFlost\n".utf8)[...], by: soon)
    try await link.send([0x10, 0x04, 0x01], by: soon)
    #expect(try await link.receive(by: soon) == [0x1A])
    printer.set { $0.offline = false }
    try await link.send([0x0A], by: soon)
    #expect(printer.paper.text == "0123456789ABCDEF")
    await link.close()
  }

  @Test(
    "a link that is lost in mid-raster leaves the printer in mid-raster: the next job is swallowed until it is drained"
  )
  func lostInRaster() async throws {
    let printer = try Profiles.printer(clock: clock) { $0.linkLostAfter = 100 }
    let link = try await printer.opener().open(by: soon)
    var raster = Job()
    raster.raster(Job.frame(576, 10))
    let error = await #expect(throws: LinkError.self) { try await link.send(raster.bytes[...], by: soon) }
    #expect(error?.code == .lost)
    #expect(link.bytesAccepted == 100)
    await #expect(throws: LinkError.self) { _ = try await link.receive(by: soon) }

    printer.set { $0.linkLostAfter = nil }
    let next = try await printer.opener().open(by: soon)
    #expect(printer.missingBytes == 720 + 8 - 100)
    try await next.send(Array("swallowed\n".utf8)[...], by: soon)
    #expect(printer.paper.text.isEmpty)
    try await next.send([UInt8](repeating: 0, count: printer.missingBytes)[...], by: soon)
    try await next.send(Array("printed\n".utf8)[...], by: soon)
    #expect(printer.paper.text == "[image 576 × 10]\nprinted")
    await next.close()
  }

  @Test("a mute printer answers nothing, and the wait ends at the deadline")
  func mute() async throws {
    let printer = try Profiles.printer(clock: clock) { $0.answers = false }
    let link = try await printer.opener().open(by: soon)
    try await link.send([0x10, 0x04, 0x01], by: soon)
    let deadline = soon
    let receiving = Task { try await link.receive(by: deadline) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: LinkError.self) { _ = try await receiving.value }
    #expect(error?.code == .deadline)
    await link.close()
  }

  @Test("a cancelled wait says so")
  func cancelled() async throws {
    let printer = try Profiles.printer(clock: clock)
    let link = try await printer.opener().open(by: soon)
    let deadline = soon
    let receiving = Task { try await link.receive(by: deadline) }
    await clock.sleepers(atLeast: 1)
    receiving.cancel()
    let error = await #expect(throws: LinkError.self) { _ = try await receiving.value }
    #expect(error?.code == .cancelled)
    await link.close()
  }

  @Test("an answer wakes the task that waits for it, and a broken link ends its wait")
  func waking() async throws {
    let printer = try Profiles.printer(clock: clock)
    let link = try await printer.opener().open(by: soon)
    try await link.send([0x1D, 0x61, 0xFF], by: soon)
    #expect(try await link.receive(by: soon) == [0x10, 0, 0, 0])
    let deadline = soon
    let receiving = Task { try await link.receive(by: deadline) }
    await clock.sleepers(atLeast: 1)
    printer.set { $0.coverOpen = true }
    #expect(try await receiving.value == [0x38, 0, 0, 0])
    let last = Task { try await link.receive(by: deadline) }
    await clock.sleepers(atLeast: 1)
    printer.breakLink()
    let error = await #expect(throws: LinkError.self) { _ = try await last.value }
    #expect(error?.code == .lost)
  }

  @Test("a link that is lost right behind the last byte has taken all of it, and its answer never comes")
  func lostAtTheEnd() async throws {
    var job = Job()
    job.line("printed")
    job.function("H", [48, 48] + Array("A1b2".utf8))
    let length = job.bytes.count
    let printer = try Profiles.printer(clock: clock) { $0.linkLostAfter = length }
    let link = try await printer.opener().open(by: soon)
    try await link.send(job.bytes[...], by: soon)
    #expect(link.bytesAccepted == length)
    let error = await #expect(throws: LinkError.self) { _ = try await link.receive(by: soon) }
    #expect(error?.code == .lost)
    #expect(printer.paper.text == "printed")
  }

  @Test(
    "a slow printer goes on with the rest of a picture when there is paper again, though nothing more has come"
  )
  func slowPaperEnd() async throws {
    let printer = try Profiles.printer(clock: clock) {
      $0.bytesPerSecond = 100
      $0.paperLeft = 10
    }
    var job = Job()
    job.raster(Job.frame(8, 40))
    printer.feed(job.bytes)
    while printer.behaviour.paper != .end {
      clock.advance(by: .milliseconds(10))
      await Task.yield()
    }
    #expect(printer.paper.current.height == 130)
    printer.set { $0.paper = .present }
    #expect(printer.paper.current.height == 160)
  }
}
