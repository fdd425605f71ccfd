import ESCPOS
import Glibc
import PrintTestKit
import Testing
import Threads

@testable import PrinterLinks

@Suite("A link to a file", .timeLimit(.minutes(1)))
struct FileLinkTests {
  private let clock = ManualClock()
  private var soon: BootInstant { clock.now.advanced(by: .seconds(5)) }

  /// A folder that is gone after the test.
  private final class Folder {
    let path: String

    init() throws {
      var template = Array("/tmp/printd-links-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw ListeningPeer.Failure("mkdtemp") }
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
      for name in ["paper.bin", "fifo"] { unlink("\(path)/\(name)") }
      rmdir(path)
    }
  }

  private func read(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&buffer, 1, buffer.count, file)
    return Array(buffer.prefix(count))
  }

  /// A pseudo-terminal: its end here, and the path of the device at the other.
  private func openTerminal() throws -> (Int32, String) {
    let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)  // TIOCSPTLCK, TIOCGPTN
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var value: Int32 = 0
    guard terminal >= 0, ioctl(terminal, unlock, &value) == 0, ioctl(terminal, number, &value) == 0 else {
      throw ListeningPeer.Failure("/dev/ptmx")
    }
    return (terminal, "/dev/pts/\(value)")
  }

  @Test("a device that was waited for is let go of when the link is closed")
  func letGo() async throws {
    var ends: [Int32] = [-1, -1]
    // Children of other tests must not hold the writing end.
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let link = DescriptorLink(
      descriptor: ends[1], kind: .device(hasBackChannel: false), target: "pipe", clock: clock)
    let deadline = soon
    let bytes = [UInt8](repeating: 1, count: 1 << 20)
    let sending = Task { try await link.send(bytes[...], by: deadline) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    await #expect(throws: LinkError.self) { try await sending.value }
    await link.close()
    // Nobody has the writing end any more, so what is left in the pipe has an end.
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = 1
    while count > 0 { count = Glibc.read(ends[0], &buffer, buffer.count) }
    #expect(count == 0)
  }

  @Test("a device that fails in the middle of a write may have printed")
  func deviceFails() async throws {
    let (terminal, path) = try openTerminal()
    let descriptor = open(path, O_RDWR | O_NOCTTY)
    let link = DescriptorLink(
      descriptor: descriptor, kind: .device(hasBackChannel: false), target: path, clock: clock)
    close(terminal)
    await #expect(throws: LinkError.self) { try await link.send([1, 2, 3], by: self.soon) }
    #expect(link.bytesAccepted == 3)
    await link.close()
  }

  @Test("jobs are appended to a regular file")
  func append() async throws {
    let folder = try Folder()
    let opener = FileLinkOpener(path: "\(folder.path)/paper.bin", clock: clock)
    for job in [[UInt8](repeating: 0x41, count: 100_000), [0x42, 0x0A]] {
      let link = try await opener.open(by: soon)
      #expect(!link.hasBackChannel)
      try await link.send(job[...], by: soon)
      #expect(link.bytesAccepted == job.count)
      try await link.flush(by: soon)
      await link.close()
      await link.close()
      let error = await #expect(throws: LinkError.self) { try await link.send([1], by: soon) }
      #expect(error?.code == .lost)
    }
    let paper = read("\(folder.path)/paper.bin")
    #expect(paper.elementsEqual([UInt8](repeating: 0x41, count: 100_000) + [0x42, 0x0A]))
  }

  /// A link to a disk that hangs: a pipe that is full, and takes more only when it is read.
  private func hanging() throws -> (link: FileLink, disk: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], 1_031, 4_096)  // F_SETPIPE_SZ
    let filling = [UInt8](repeating: 0, count: 4_096)
    try #require(write(ends[1], filling, filling.count) == filling.count)
    return (FileLink(descriptor: ends[1], path: "/mnt/paper.bin", clock: clock), ends[0])
  }

  /// Lets the disk take as much, or all until nobody writes to it any more.
  ///
  /// - Returns: How much it has taken.
  @discardableResult
  private func take(_ most: Int = .max, from disk: Int32) async -> Int {
    await WorkThreads().run {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      var sum = 0
      while sum < most {
        let count = Glibc.read(disk, &buffer, min(buffer.count, most - sum))
        guard count > 0 else { return sum }
        sum += count
      }
      return sum
    }
  }

  @Test(
    "a disk that hangs holds nobody longer than the deadline, or than its task; the file is closed when it goes on",
    arguments: [LinkError.Code.deadline, .cancelled])
  func hangingDisk(_ end: LinkError.Code) async throws {
    let (link, disk) = try hanging()
    defer { close(disk) }
    let deadline = soon
    let sending = Task { try await link.send([UInt8](repeating: 0x41, count: 10_000)[...], by: deadline) }
    // It takes what it had before and the first bytes of this, and hangs again.
    await take(8_192, from: disk)
    await clock.sleepers(atLeast: 1)
    if end == .deadline { clock.advance(by: .seconds(5)) } else { sending.cancel() }
    let result = await sending.result
    #expect(#expect(throws: LinkError.self) { try result.get() }?.code == end)
    #expect(link.bytesAccepted == 10_000, "all that the disk was given may be in the file")
    let later = clock.now.advanced(by: .seconds(5))
    let next = await #expect(throws: LinkError.self) { try await link.send([1], by: later) }
    #expect(next?.code == .lost)
    let flushed = await #expect(throws: LinkError.self) { try await link.flush(by: later) }
    #expect(flushed?.code == .lost)
    // Nothing moves the clock: the close itself does not wait.
    await link.close()
    #expect(await take(from: disk) == 10_000 - 4_096)
    #expect(link.bytesAccepted == 10_000)
  }

  @Test("the closing of a file waits a second for a disk that hangs, also when the caller is cancelled")
  func hangingClose() async throws {
    let (link, disk) = try hanging()
    defer { close(disk) }
    let deadline = soon
    let sending = Task { try await link.send([UInt8](repeating: 0x41, count: 10_000)[...], by: deadline) }
    await take(8_192, from: disk)
    await clock.sleepers(atLeast: 1)
    let closing = Task { await link.close() }
    closing.cancel()
    await clock.sleepers(atLeast: 2)
    clock.advance(by: FileLink.closingTime)
    await closing.value
    sending.cancel()
    _ = await sending.result
    await take(from: disk)
  }

  @Test("a file does not answer")
  func noAnswer() async throws {
    let folder = try Folder()
    let link = try await FileLinkOpener(path: "\(folder.path)/paper.bin", clock: clock).open(by: soon)
    let deadline = soon
    let hearing = Task { try await link.receive(by: deadline) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    let result = await hearing.result
    let error = #expect(throws: LinkError.self) { try result.get() }
    #expect(error?.code == .deadline)
    let late = await #expect(throws: LinkError.self) { try await link.send([1], by: deadline) }
    #expect(late?.code == .deadline)
    #expect(link.bytesAccepted == 0)
  }

  @Test("what is no printer is refused, what is not there is unreachable, and nothing is made under /dev")
  func faults() async throws {
    let folder = try Folder()
    mkfifo("\(folder.path)/fifo", 0o600)
    let reader = open("\(folder.path)/fifo", O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let missing = "/dev/printd-test-\(getpid())"
    let table: [(String, LinkError.Code)] = [
      (folder.path, .refused), ("\(folder.path)/fifo", .refused),
      ("\(folder.path)/none/paper.bin", .unreachable),
      (missing, .unreachable),
    ]
    for (path, code) in table {
      let error = await #expect(throws: LinkError.self) {
        try await FileLinkOpener(path: path, clock: clock).open(by: soon)
      }
      #expect(error?.code == code)
      #expect(error?.message.contains(path) == true)
    }
    #expect(access(missing, F_OK) != 0)
  }

  @Test("a character device takes bytes as they are")
  func device() async throws {
    let (terminal, path) = try openTerminal()
    defer { close(terminal) }
    let link = try await FileLinkOpener(path: path, clock: clock).open(by: soon)
    #expect(!link.hasBackChannel)
    let job: [UInt8] = [0x1B, 0x40, 0x41, 0x0A, 0x03, 0x04, 0x11, 0x13, 0x0D, 0xFF]
    try await link.send(job[...], by: soon)
    #expect(link.bytesAccepted == job.count)
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(terminal, &buffer, buffer.count)
    #expect(Array(buffer.prefix(max(0, count))) == job)
    await link.close()
  }

  @Test("a device that takes nothing holds the sender until the deadline")
  func stalledDevice() async throws {
    let (terminal, path) = try openTerminal()
    defer { close(terminal) }
    let link = try await FileLinkOpener(path: path, clock: clock).open(by: soon)
    let deadline = soon
    let sending = Task { try await link.send([UInt8](repeating: 0x41, count: 1 << 20)[...], by: deadline) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    let result = await sending.result
    let error = #expect(throws: LinkError.self) { try result.get() }
    #expect(error?.code == .deadline)
    #expect((1..<1 << 20).contains(link.bytesAccepted))
    await link.close()
  }
}
