import ESCPOS
import Glibc
import PrintTestKit
import Testing
import WakeChannels

@testable import printd

@Suite("The command line", .timeLimit(.minutes(1)))
struct CommandLineTests {
  /// Runs `printd` by itself: its end and its output.
  static func run(_ words: [String], in folder: TemporaryFolder) async throws -> (
    code: Int32?, output: String
  ) {
    let output = folder.path("output-\(UInt32.random(in: 0 ... .max))")
    let child = try ChildProcess(Programs.path("printd"), words, output: output)
    let end = await child.end
    guard case .exit(let code) = end else { return (nil, "\(end)") }
    return (code, try Fixtures.text(ofFile: output))
  }

  @Test(
    "Help is what the kept text says; RECORD_FIXTURES=1 keeps a new one",
    arguments: [""] + Commands.all.map { $0.name })
  func help(command: String) async throws {
    let folder = try TemporaryFolder()
    let words = ["help", command].filter { !$0.isEmpty }
    let (code, output) = try await Self.run(words, in: folder)
    #expect(code == 0)
    let name = "cli/\(words.joined(separator: "-")).txt"
    if getenv("RECORD_FIXTURES") != nil {
      try Files.makeFolder(Fixtures.path("cli"))
      try Files.write(Array(output.utf8), to: Fixtures.path(name))
      Issue.record("recorded \(name); look at it, and run without RECORD_FIXTURES")
      return
    }
    #expect(output == String(decoding: try Fixtures.bytes(name), as: UTF8.self))
    #expect(output.split(separator: "\n").allSatisfy { $0.count <= 120 }, "lines fit a terminal")
    if !command.isEmpty {
      let (flag, same) = try await Self.run([command, "--help"], in: folder)
      #expect(flag == 0 && same == output)
      #expect(output.contains("usage: printd \(command)"))
      #expect(output.contains("Examples:\n"))
    }
  }

  @Test("No kept text is left of a command that is gone")
  func noStaleHelp() throws {
    let names = try Fixtures.names(in: "cli", suffix: ".txt")
    #expect(Set(names) == Set(["cli/help.txt"] + Commands.all.map { "cli/help-\($0.name).txt" }))
  }

  @Test("Every exit code, by a command line that ends with it")
  func exitCodes() async throws {
    let folder = try TemporaryFolder()
    try folder.write("not json", to: "bad.json")
    try folder.write("abc\u{1B}", to: "cut.bin")
    let receipt = try folder.write(#"{"blocks": [{"type": "text", "text": "a"}]}"#, to: "r.json")
    let wrong = try folder.write("{\n  prniters: []\n}", to: "wrong.json5")
    let right = try folder.write(
      """
      {printers: [{name: "a", link: "virtual", profile: "generic-80", address: "paper"}],
       orders: {directory: "orders"}, control: {socket: "\(folder.path("control.sock"))"}}
      """, to: "right.json5")
    let strange = try folder.write(
      Fixtures.text(ofFile: right).replacing("control.sock", with: "strange.sock"), to: "strange.json5")
    let open = try folder.write(
      Fixtures.text(ofFile: right).replacing(
        "{printers", with: "{webhook: {listen: \"0.0.0.0\", secret_files: [\"s\"]}, printers"),
      to: "open.json5")
    let server = try HTTPServer(
      listen: .unix(path: folder.path("strange.sock"), mode: 0o600), log: { _ in }
    ) { request in
      switch request.path {
      case "/v1/jobs": HTTPServer.Response(status: 200, body: Array("rubbish".utf8))
      case "/v1/wakes": .error(507, "the disk is full")
      default: .error(403, "not for you")
      }
    }
    let cases: [(code: ExitCode, words: [String], says: String)] = [
      (.success, ["--version"], "printd \(Version.text)"),
      (.success, ["config", "check", right], "all right; 1 printer"),
      (.success, ["config", "check", open], "warning: webhook.listen: 0.0.0.0:8787 is not loopback"),
      (.success, ["preview", receipt, "--text"], "a"),
      (.usage, [], "usage: printd COMMAND"),
      (.usage, ["preveiw", receipt], #"did you mean "preview"?"#),
      (.usage, ["help", "preveiw"], #"did you mean "preview"?"#),
      (.usage, ["preview", receipt, "--profle", "generic-58"], #"did you mean "--profile"?"#),
      (.usage, ["jobs", "--jsno"], #"did you mean "--json"?"#),
      (.usage, ["preview", receipt, "--profile", "generic-85"], "--profile generic-8"),
      (.usage, ["preview"], "FILE is missing"),
      (.usage, ["preview", receipt, "--profile"], "needs a value"),
      (.usage, ["jobs", "resolve", "x", "printed"], "not a job's number"),
      (.usage, ["jobs", "resolve", "1", "maybe"], "maybe is none of"),
      (.usage, ["config"], "check is missing"),
      (.usage, ["test-print", "extra"], "extra is not understood"),
      (.badInput, ["preview", folder.path("bad.json")], "bad.json: line 1"),
      (.badInput, ["decode", folder.path("cut.bin")], "1B"),
      (.noInput, ["preview", folder.path("none.json")], "none.json: no such file"),
      (.unavailable, ["jobs", "--config", right], "systemctl start printd"),
      (.unavailable, ["wake", folder.path("bad.json"), "--config=\(right)"], "control.sock"),
      (.software, ["jobs", "--config", strange], "the same version of both"),
      (.cannotCreate, ["preview", receipt, "-o", folder.path("none/r.png")], "none/r.png: no such file"),
      (.inputOutput, ["preview", folder.path], "is a directory"),
      (.temporary, ["wake", receipt, "--config", strange], "the disk is full"),
      (.noPermission, ["jobs", "cancel", "1", "--config", strange], "not for you"),
      (.configuration, ["config", "check", wrong], "wrong.json5:2: prniters: unknown key"),
      (.configuration, ["run", "--config", wrong], #"did you mean "printers"?"#),
      (.configuration, ["jobs", "--config", folder.path("none.json5")], "none.json5: no such file"),
      (.configuration, ["test-print", "--printer", "b", "--config", right], #"there is no printer "b""#),
    ]
    for (code, words, says) in cases {
      let (end, output) = try await Self.run(words, in: folder)
      #expect(end == code.rawValue, "\(words): \(output)")
      #expect(output.contains(says), "\(words): \(output)")
    }
    #expect(Set(cases.map(\.code)) == Set(ExitCode.allCases))
    await server.stop()
  }

  @Test("A file that may not grow is an error of its own, not a signal, and nothing half is left")
  func fileSizeLimit() async throws {
    let folder = try TemporaryFolder()
    let order = Fixtures.path("samples/20261130-000187.json")
    let words = [Programs.path("printd"), "preview", order, "-o", folder.path("out.png")]
    let child = try ChildProcess(
      "/bin/sh", ["-c", #"ulimit -f 1; exec "$0" "$@""#] + words, output: folder.path("log"))
    #expect(await child.end == .exit(ExitCode.inputOutput.rawValue))
    #expect(Files.names(in: folder.path) == ["log"])
  }

  @Test("Options are found before and behind words; -- ends them; = joins a value")
  func arguments() throws {
    var arguments = Arguments(["a", "--all", "-o", "x", "--kind=k=1", "--", "--all", "-"], of: "test")
    let flags = (arguments.flag("--all", "-a"), arguments.flag("--all"))
    #expect(flags == (true, false))
    let options = (try arguments.option("-o", "--output"), try arguments.option("--kind"))
    #expect(options == ("x", "k=1"))
    let positions = (0..<4).map { _ in arguments.position() }
    #expect(positions == ["a", "--all", "-", nil])
    try arguments.finish()
  }

  @Test("Words with anything in them end a command with a message, never with a crash")
  func strangeWords() async throws {
    let folder = try TemporaryFolder()
    for word in [
      "", " ", "-", "--", "--=", "=", "-\u{1B}[2J", "\u{202E}", "ü", String(repeating: "x", count: 9000),
    ] {
      for words in [[word], ["help", word], ["jobs", word], ["preview", word, "-o"], ["config", word]] {
        let (code, output) = try await Self.run(words + ["--config", folder.path("none")], in: folder)
        #expect(code != nil && code != 70, "\(words)")
        #expect(!output.isEmpty, "\(words)")
        #expect(!output.contains("\u{1B}") && !output.contains("\u{202E}"), "\(words)")
      }
    }
  }
}
