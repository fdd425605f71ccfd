import ESCPOS
import Testing
import WakeHandler

struct BudgetTests {
  private let start = BootInstant(nanoseconds: 5_000_000_000)

  @Test("the standard budget completes at 9.7 s and keeps a second for the report")
  func standard() {
    let budget = Budget(acceptedAt: start)
    #expect(start.duration(to: budget.completion) == .milliseconds(9700))
    #expect(start.duration(to: budget.work) == .milliseconds(8700))
    #expect(Budget.Limits(total: .seconds(10)) == .standard)
  }

  @Test("a budget is 1 through 30 s", arguments: [1, 2, 5, 10, 30])
  func inRange(seconds: Int) throws {
    let limits = try #require(Budget.Limits(total: .seconds(seconds)))
    let budget = Budget(acceptedAt: start, limits: limits)
    #expect(start < budget.work && budget.work < budget.completion)
    #expect(budget.completion < start.advanced(by: .seconds(seconds)))
    #expect(start.duration(to: budget.work) >= .seconds(seconds) / 2)
  }

  @Test(
    "a budget out of range is no budget",
    arguments: [Duration.zero, .milliseconds(999), .seconds(31), .seconds(-1)])
  func outOfRange(total: Duration) {
    #expect(Budget.Limits(total: total) == nil)
  }

  @Test("the parts must leave half of the time for the work")
  func parts() {
    #expect(Budget.Limits(total: .seconds(2), grace: .milliseconds(600), reserve: .milliseconds(500)) == nil)
    #expect(Budget.Limits(total: .seconds(2), grace: .milliseconds(-1)) == nil)
    #expect(Budget.Limits(total: .seconds(2), reserve: .milliseconds(-1)) == nil)
    #expect(Budget.Limits(total: .seconds(2), grace: .milliseconds(500), reserve: .milliseconds(500)) != nil)
  }
}
