import Glibc
import PrintTestKit
import Testing

@testable import printd

@Suite("The version of BlueZ")
struct BlueZVersionTests {
  @Test(
    "counts number by number",
    arguments: [
      ("5.9", "5.55"), ("5.55", "5.66"), ("5.66", "5.100"), ("5.66", "5.66.1"), ("4.101", "5.0"), ("5", "6"),
    ])
  func order(_ older: String, _ newer: String) throws {
    let (older, newer) = (try #require(BlueZVersion(older)), try #require(BlueZVersion(newer)))
    #expect(older < newer)
    #expect(!(newer < older))
    #expect(older != newer)
  }

  @Test("is the same with a nought behind it")
  func nought() {
    #expect(BlueZVersion("5") == BlueZVersion("5.0"))
    #expect(BlueZVersion("5.0").map { $0 < BlueZVersion(numbers: [5]) } == false)
  }

  @Test("is written as it was read", arguments: ["5.66", "5.9", "5.50"])
  func description(_ text: String) { #expect(BlueZVersion(text)?.description == text) }

  @Test(
    "is nothing but numbers with dots between them",
    arguments: ["", ".", "5.", "5..1", "five", "5.66-rc1", "+5.66", "5.99999999999999999999", "٥.٦٦"])
  func faults(_ text: String) { #expect(BlueZVersion(text) == nil) }

  @Test(
    "is asked of the program; one that does not tell it has none",
    arguments: [("echo 5.66", [5, 66]), ("echo bluetoothd", nil), ("exit 1", nil)] as [(String, [Int]?)])
  func asking(_ script: String, _ numbers: [Int]?) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("#!/bin/sh\ntest \"$1\" = --version && \(script)\n", to: "bluetoothd")
    chmod(path, 0o755)
    #expect(await BlueZVersion.asked(of: path) == numbers.map(BlueZVersion.init(numbers:)))
  }
}
