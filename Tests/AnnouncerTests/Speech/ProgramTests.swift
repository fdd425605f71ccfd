import ESCPOS
import Glibc
import PrintTestKit
import Sound
import Testing

@testable import Announcer

/// A program of a few lines of shell, and what it has noted.
struct Script {
  let folder: TemporaryFolder
  let path: String

  init(_ lines: String) throws {
    folder = try TemporaryFolder()
    path = try folder.write("#!/bin/sh\n\(lines)\n", to: "program")
    chmod(path, 0o755)
  }

  /// Runs it; the folder is there at least until it has ended.
  func run(_ input: [UInt8] = [], outputLimit: Int = 1 << 20, by deadline: BootInstant) async throws
    -> [UInt8]
  {
    defer { withExtendedLifetime(folder) {} }
    return try await Program(path: path, arguments: [], outputLimit: outputLimit, remedy: "look for it").run(
      input, by: deadline)
  }

  /// The process that the script has noted under a name.
  func process(_ name: String) throws -> pid_t {
    let text = try Fixtures.text(ofFile: folder.path(name))
    return try #require(pid_t(text.prefix { $0 != "\n" }))
  }
}

extension BootInstant {
  static func soon(_ duration: Duration) -> BootInstant { BootClock().now.advanced(by: duration) }
}

@Suite("A program that is run for its output", .timeLimit(.minutes(1)))
struct ProgramTests {
  @Test("gets its input and gives its output, more of both than a pipe holds")
  func exchange() async throws {
    let input = [UInt8]((0..<900_000).map { UInt8(truncatingIfNeeded: $0) })
    let output = try await Script("exec cat").run(input, by: .soon(.seconds(30)))
    #expect(output == input)
  }

  @Test("may leave its input unread")
  func unread() async throws {
    let output = try await Script("echo done").run(
      [UInt8](repeating: 65, count: 500_000), by: .soon(.seconds(30)))
    #expect(output == Array("done\n".utf8))
  }

  @Test("is killed at the deadline with all that it has started, and nothing of it is left")
  func hangs() async throws {
    let script = try Script(
      "trap '' TERM INT HUP\necho $$ > \"$(dirname \"$0\")/parent\"\nsleep 1000 &\necho $! > \"$(dirname \"$0\")/child\"\nwait"
    )
    let run = Task { try await script.run(by: .soon(.seconds(5))) }
    await #expect(throws: SoundError.self) { try await run.value }
    let (parent, child) = (try script.process("parent"), try script.process("child"))
    #expect(kill(parent, 0) != 0 && errno == ESRCH, "no process and no zombie")
    // The child belongs to init now, which waits for it when it gets to it.
    while kill(child, 0) == 0 {
      let state = (try? Fixtures.text(ofFile: "/proc/\(child)/stat")) ?? ""
      if state.contains(") Z ") || state.isEmpty { break }
      await Task.yield()
    }
  }

  @Test("gets nothing that is open here but its input and its output")
  func inherited() async throws {
    // Without O_CLOEXEC, as the service manager hands its sockets over.
    let descriptor = open("/dev/null", O_RDONLY)
    defer { close(descriptor) }
    try #require(descriptor > 2)
    let output = try await Script("[ -e /proc/$$/fd/\(descriptor) ] && echo open || echo closed").run(
      by: .soon(.seconds(30)))
    #expect(output == Array("closed\n".utf8))
  }

  @Test("leaves nobody behind when it ends by itself")
  func leftBehind() async throws {
    let script = try Script(
      "sleep 1000 >/dev/null 2>&1 </dev/null &\necho $! > \"$(dirname \"$0\")/child\"\necho ok")
    let output = try await script.run(by: .soon(.seconds(30)))
    #expect(output == Array("ok\n".utf8))
    let child = try script.process("child")
    while kill(child, 0) == 0 {
      let state = (try? Fixtures.text(ofFile: "/proc/\(child)/stat")) ?? ""
      if state.contains(") Z ") || state.isEmpty { break }
      await Task.yield()
    }
  }

  @Test("fails with its code, its signal, or too much output")
  func fails() async throws {
    let code = await #expect(throws: SoundError.self) {
      try await Script("exit 3").run(by: .soon(.seconds(30)))
    }
    #expect(code?.message.contains("code 3") == true)
    let signal = await #expect(throws: SoundError.self) {
      try await Script("kill -9 $$").run(by: .soon(.seconds(30)))
    }
    #expect(signal?.message.contains("signal 9") == true)
    let much = await #expect(throws: SoundError.self) {
      try await Script("exec cat /dev/zero").run(outputLimit: 100_000, by: .soon(.seconds(30)))
    }
    #expect(much?.message.contains("more than 100000 bytes") == true)
  }

  @Test("that is not there is named")
  func notThere() async {
    let error = await #expect(throws: SoundError.self) {
      try await Program(
        path: "/nowhere/espeak-ng", arguments: [], outputLimit: 10, remedy: "apt install espeak-ng"
      ).run(
        [], by: .soon(.seconds(30)))
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("apt install espeak-ng") == true)
  }

  @Test("leaves no descriptor open, however it ends")
  func descriptors() async throws {
    let (good, bad) = (try Script("exec cat"), try Script("exit 1"))
    func open() throws -> Int { try Fixtures.names(inFolder: "/proc/self/fd").count }
    _ = try await good.run([1], by: .soon(.seconds(30)))
    let before = try open()
    for _ in 0..<40 {
      _ = try await good.run([1], by: .soon(.seconds(30)))
      _ = try? await bad.run([1], by: .soon(.seconds(30)))
    }
    // Other tests open descriptors meanwhile and close them again, of which the system tells nobody; what has leaked, 80
    // at least, stays for good.
    let end = BootInstant.soon(.seconds(60))
    while try open() >= before + 40, BootClock().now < end {
      try await BootClock().sleep(for: .milliseconds(50))
    }
    #expect(try open() < before + 40)
  }
}
