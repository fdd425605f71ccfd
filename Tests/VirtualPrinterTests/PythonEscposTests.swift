import ESCPOS
import FoundationEssentials
import Glibc
import PrintTestKit
import Testing
import VirtualPrinter

/// Bytes that nobody here made: what python-escpos 3.1 emits through its calls (`scripts/python_escpos_calls.py`).
@Suite struct PythonEscposTests {
  struct Job: Decodable, Sendable, CustomTestStringConvertible {
    struct Profile: Decodable, Sendable {
      var width: Int
      var pages: [String: String]
    }

    var name: String
    var profile: Profile
    var hex: String
    var texts: [String]
    var scans: [String]
    var marks: [String]

    var testDescription: String { name }

    var bytes: [UInt8] {
      let digits = Array(hex.utf8)
      return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
      }
    }
  }

  struct Missing: Error, CustomStringConvertible {
    var description: String
  }

  /// All jobs; the program runs once for all tests.
  static let jobs: Result<[Job], Missing> = {
    let python = "\(Fixtures.project)/.build/venv/bin/python"
    let remedy =
      "run `make venv`, or python3 -m venv .build/venv && .build/venv/bin/pip install python-escpos==3.1 Pillow"
    guard access(python, X_OK) == 0 else {
      return .failure(Missing(description: "\(python) is missing: \(remedy)"))
    }
    do {
      let script = "\(Fixtures.project)/scripts/python_escpos_calls.py"
      let output = try Show.run("'\(python)' '\(script)'")
      let lines = output.split(separator: "\n").filter { $0.hasPrefix("{") }
      return .success(try lines.map { try JSONDecoder().decode(Job.self, from: Data($0.utf8)) })
    } catch {
      return .failure(Missing(description: "python-escpos does not run (\(error)): \(remedy)"))
    }
  }()

  private func print(_ job: Job) throws -> VirtualPrinter {
    let pages = job.profile.pages.map { #"{"slot": \#($0.key), "encoding": "\#($0.value)"}"# }.joined(
      separator: ", ")
    let profile = try Profiles.wide(name: job.name, widthDots: job.profile.width, codePages: "[\(pages)]")
    let printer = try Profiles.printer(profile)
    printer.feed(job.bytes)
    printer.finish()
    return printer
  }

  @Test("python-escpos makes more than a hundred jobs, with each of its calls")
  func all() throws {
    #expect(try Self.jobs.get().count > 100)
  }

  @Test("not one command that python-escpos emits is unknown, truncated or ignored")
  func understood() throws {
    for job in try Self.jobs.get() {
      let bytes = job.bytes
      var tokenizer = CommandTokenizer()
      let tokens = tokenizer.tokens(of: bytes) + tokenizer.finish()
      #expect(
        tokens.allSatisfy { $0.fault == nil },
        "\(job.name): \(tokens.first { $0.fault != nil }?.meaning ?? "")")
      #expect(tokens.reduce(0) { $0 + $1.length } == bytes.count, "\(job.name)")
    }
  }

  @Test("the text that python-escpos was given stands on the paper, and the marks beside it")
  func texts() throws {
    for job in try Self.jobs.get() {
      let printer = try print(job)
      let text = printer.paper.text
      for expected in job.texts { #expect(text.contains(expected), "\(job.name): \(expected) in \(text)") }
      if !job.marks.isEmpty {
        #expect(printer.paper.all.flatMap(\.marks).map(\.words) == job.marks, "\(job.name)")
      }
    }
  }

  @Test("a scanner reads every barcode and QR code that python-escpos asks for or draws")
  func scans() throws {
    var scanned = 0
    for job in try Self.jobs.get() where !job.scans.isEmpty {
      let printer = try print(job)
      let path = try Show.save(printer, "python \(job.name)")
      let read = (try? Show.scan(path)) ?? []
      for expected in job.scans { #expect(read.contains(expected), "\(job.name): \(read)") }
      scanned += 1
    }
    #expect(scanned > 70)
  }
}
