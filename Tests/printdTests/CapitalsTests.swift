import PrintTestKit
import Testing

@testable import printd

@Suite("The capitals of a Chinese receipt are the shop's choice", .timeLimit(.minutes(1)))
struct CapitalsTests {
  private static let line = "大写: 人民币壹拾贰元伍角整"

  @Test("The daemon prints them", arguments: [true, false])
  func printed(isWanted: Bool) async throws {
    let orders = try Orders()
    let rig = try await DaemonRig(orders: orders.path, more: #"locale: "zh-CN", capitals: \#(isWanted),"#)
    try orders.add(sample: "20261130-000187")
    #expect(try await rig.wake("20261130-000187").outcome == "printed")
    let paper = try #require(try rig.paper().first)
    #expect(paper.contains("12.50"))
    #expect(paper.contains(Self.line) == isWanted, "\(paper)")
    await rig.stop()
  }

  @Test("preview shows them", arguments: [true, false])
  func previewed(isWanted: Bool) async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {printers: [{name: "a", link: "virtual", profile: "generic-80", address: "paper"}], state_directory: "state",
       orders: {directory: "orders"}, locale: "zh-CN", capitals: \(isWanted)}
      """, to: "printd.json5")
    let (code, output) = try await CommandLineTests.run(
      [
        "preview", Fixtures.path("samples/20261130-000187.json"), "--text", "--config",
        folder.path("printd.json5"),
      ], in: folder)
    #expect(code == 0, "\(output)")
    #expect(output.contains(Self.line) == isWanted, "\(output)")
  }
}
