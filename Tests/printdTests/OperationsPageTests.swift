import Glibc
import PrintTestKit
import Testing

@testable import printd

@Suite("What Docs/operations.md quotes is what printd says")
struct OperationsPageTests {
  /// All that the program is made of, with the quotes in its texts as they are printed.
  private static let sources: String = {
    var text = ""
    func add(_ folder: String) {
      for name in Files.names(in: folder) {
        if name.hasSuffix(".swift") {
          text += (try? Fixtures.text(ofFile: "\(folder)/\(name)")) ?? ""
        } else {
          add("\(folder)/\(name)")
        }
      }
    }
    add("\(Fixtures.project)/Sources")
    return text.replacing("\\\"", with: "\"").replacing("\\\n", with: "\n")
  }()

  /// The quotations in the first column of "What to do when".
  private static func quotations() throws -> [String] {
    let page = try Fixtures.text(ofFile: "\(Fixtures.project)/Docs/operations.md")
    let section = try #require(
      page.split(separator: "## What to do when").last?.split(separator: "\n## ").first)
    return section.split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { row -> [String] in
      let cell = row.dropFirst(2).split(separator: " | ").first ?? ""
      return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }
  }

  @Test("Each stands in the code, but for what it fills in")
  func quoted() throws {
    let quotations = try Self.quotations()
    #expect(quotations.count > 15)
    for quotation in quotations {
      let text = quotation.replacing("queued: ", with: "").replacing("voice: ", with: "")
        .replacing("ADDRESS: ", with: "").replacing("order:…", with: "…")
      for part in text.split(separator: "…") {
        let isSaid = Self.sources.contains(part)
        #expect(isSaid, "\(quotation): nothing says “\(part)”")
      }
    }
  }
}
