import FoundationEssentials
import Testing

@testable import PrintdBench

@Suite("A measurement becomes a line of the table and a row of JSON, whatever was measured")
struct MeasurementTests {
  private struct Row: Decodable, Equatable {
    var value: Double?
    var peerValue: Double?
    var ratio: Double?

    enum CodingKeys: String, CodingKey {
      case value, ratio
      case peerValue = "peer_value"
    }
  }

  private func row(_ measurement: Measurement) throws -> Row {
    try JSONDecoder().decode(Row.self, from: JSONEncoder().encode(measurement))
  }

  /// The cells of a line.
  private func cells(_ measurement: Measurement) -> [Substring] {
    measurement.line.split(separator: " ")
  }

  @Test("Beside a peer's number stands the ratio to it")
  func ratio() throws {
    let measurement = Measurement("speed", 37.4, "KB/s", peer: ("bleak", 4), aim: "≥ 3 ×")
    #expect(cells(measurement) == ["speed", "37.4", "KB/s", "4", "bleak", "9.35", "≥", "3", "×"])
    #expect(try row(measurement) == Row(value: 37.4, peerValue: 4, ratio: 9.35))
  }

  @Test("Beside a peer's nothing there is no ratio", arguments: [0, 12.0])
  func nothing(value: Double) throws {
    let measurement = Measurement("lost", value, "bytes", peer: ("bleak", 0), aim: "= 0")
    #expect(cells(measurement) == ["lost", value == 0 ? "0" : "12", "bytes", "0", "bleak", "=", "0"])
    #expect(try row(measurement) == Row(value: value, peerValue: 0))
  }

  @Test(
    "What is no number is a dash in the table, and null in the JSON",
    arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
  func noNumber(value: Double) throws {
    #expect(cells(Measurement("median", value, "ms")) == ["median", "-", "ms"])
    #expect(try row(Measurement("median", value, "ms")).value == (value.isFinite ? value : nil))
    let beside = Measurement("median", 3, "ms", peer: ("bleak", value))
    #expect(cells(beside).prefix(5) == ["median", "3", "ms", "-", "bleak"])
    #expect(try row(beside).ratio == (value.isFinite ? 3 / value : nil))
  }

  @Test(
    "Numbers are written to the hundredth below a thousand",
    arguments: [
      (0, "0"), (0.004, "0"), (0.63, "0.63"), (999.994, "999.99"), (1234.5, "1235"), (-3.25, "-3.25"),
      (-1200, "-1200"), (2e18, "2000000000000000000"),
    ])
  func numbers(value: Double, text: Substring) {
    #expect(cells(Measurement("x", value, "ms"))[1] == text)
  }

  @Test("The spread of nothing is no number")
  func spread() {
    #expect(Spread([]).median.isNaN)
    #expect(Spread([3, 1, 2]).median == 2)
  }
}
