public import ESCPOS
public import PrintJobs
import Threads

/// Orders as files in a folder, reports as lines of a file: the embedded default.
///
/// An order is `<id>.json`, to be written under another name (`.new`) and renamed, so that it is never seen in half.
/// Reports are JSON lines, each with its `idempotency_key`; a line that the disk did not take whole is taken back.
/// Everything is read and written on a thread of its own, never on the cooperative pool.
public final class DirectoryOrderService: Sendable {
  private let folder: OrderFolder
  private let reports: ReportLog
  private let disk = WorkThreads(atMost: 1)

  /// Creates a service; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - orders: The folder.
  ///   - reports: The file that reports are appended to; made with mode 0640 when it is not there.
  public init(orders: String, reports: String) {
    folder = OrderFolder(path: orders)
    self.reports = ReportLog(path: reports)
  }

  /// Reads one order, whole and checked to be a JSON object of at most 1 MiB.
  ///
  /// - Throws: ``OrderServiceError``: `.notFound` without such a file, `.refused` for an id that is no file name, or a file that
  ///   is no order, `.unavailable` for one that is being written or cannot be read.
  public func order(_ id: String, by deadline: BootInstant) async throws(OrderServiceError) -> [UInt8] {
    try await onDisk(by: deadline) { [folder] () throws(OrderServiceError) in try folder.order(id) }
  }

  /// The orders that came after `cursor`, oldest first, at most 1,000, with the cursor to ask with next.
  ///
  /// Each order is listed at least once, and those of the last minute again: the journal knows which ones are new.
  ///
  /// - Throws: ``OrderServiceError`` with `.unavailable` when the folder cannot be read.
  public func pending(
    after cursor: String?, by deadline: BootInstant
  ) async throws(OrderServiceError) -> (orderIDs: [String], cursor: String?) {
    try await onDisk(by: deadline) { [folder] () throws(OrderServiceError) in
      let arrivals = try folder.arrivals()
      return PendingOrders(arrivals: arrivals, now: OrderFolder.now()).page(after: cursor)
    }
  }

  /// Appends a report; returns once it is on disk.
  ///
  /// - Throws: ``OrderServiceError`` with `.unavailable` when the disk does not take it; the file is then as it was.
  public func report(_ report: Report, by deadline: BootInstant) async throws(OrderServiceError) {
    let line = try OrderDocument.encoded(report, withKey: true)
    try await onDisk(by: deadline) { [reports] () throws(OrderServiceError) in try reports.append(line) }
  }

  private func onDisk<Answer: Sendable>(
    by deadline: BootInstant, _ work: @escaping @Sendable () throws(OrderServiceError) -> Answer
  ) async throws(OrderServiceError) -> Answer {
    let result = await disk.run { () -> Result<Answer, OrderServiceError> in
      guard BootClock().now < deadline else {
        return .failure(
          OrderServiceError(.deadline, "the disk with the orders did not answer in the time given"))
      }
      do throws(OrderServiceError) {
        return .success(try work())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
