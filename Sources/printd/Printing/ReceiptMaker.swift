import Documents
import ESCPOS
import PrintJobs
import SpokenAmounts
import Synchronization
import WakeHandler

/// Makes an order into a job's bytes: decodes it, asks its route, lays it out, renders it.
///
/// What it is made of changes at a reload; a job in hand keeps what it began with.
final class ReceiptMaker: Sendable {
  /// What of the configuration shapes the paper.
  struct Shape: Sendable {
    /// The language of orders that name none.
    var locale: String
    var clock: WallClock
    /// Whether a Chinese receipt has its total in capitals, too.
    var capitals = false
    var routes: [Configuration.Route]
    var dots: any DotSource
  }

  private struct State {
    var shape: Shape
    var renderers: [Renderer] = []
  }

  private let state: Mutex<State>

  init(_ shape: Shape) {
    state = Mutex(State(shape: shape))
  }

  /// Replaces the shape for the jobs to come; pictures are read anew.
  func replace(_ new: Shape) {
    state.withLock { $0 = State(shape: new) }
  }

  /// The renderer of the printers with this profile, kept until the shape is replaced: it holds their character tables
  /// and the pictures as they have been rendered.
  func renderer(for profile: PrinterProfile) -> Renderer {
    state.withLock { state in
      if let known = state.renderers.first(where: { $0.profile == profile }) { return known }
      let new = Renderer(profile: profile, dots: state.shape.dots)
      state.renderers.append(new)
      return new
    }
  }

  /// The port of the story.
  func prepare(
    _ job: Job, order bytes: [UInt8], for profile: PrinterProfile
  ) throws(DocumentFault) -> Preparation {
    let shape = state.withLock { $0.shape }
    let order = try DocumentReader.read(Order.self, from: bytes)
    guard order.id == job.key.orderID else {
      throw DocumentFault(path: "id", message: "is not the id that was asked for")
    }
    if job.key.copy == 1, let route = shape.routes.first(where: { $0.kind == job.key.kind }),
      let reason = route.refusal(of: order)
    {
      return .unwanted(reason)
    }
    let mark = job.key.copy > 1 ? CopyMark(copy: job.key.copy) : nil
    let layout = OrderLayout(
      locale: order.locale ?? shape.locale, clock: shape.clock,
      capitals: shape.capitals ? FinancialCapitals.text : nil)
    do throws(RenderError) {
      let rendered = try renderer(for: profile)
        .render(
          job.key.kind == "kitchen"
            ? layout.kitchenTicket(for: order) : layout.receipt(for: order),
          originals: job.originals, mark: mark)
      return .receipt(
        PreparedReceipt(
          bytes: rendered.bytes, seams: rendered.seams, paidAt: order.paidAt,
          warnings: rendered.warnings.map(\.description)))
    } catch {
      let path = order.receipt == nil ? "order" : error.path.isEmpty ? "receipt" : "receipt.\(error.path)"
      throw DocumentFault(path: path, message: error.message)
    }
  }
}

extension Configuration.Route {
  /// Why this route does not want an order, or nil when it does.
  func refusal(of order: Order) -> String? {
    if let payTypes, !payTypes.contains(order.payType ?? "") {
      return "the route \"\(kind)\" does not take pay type \(order.payType ?? "none")"
    }
    if let merchants, !merchants.contains(order.merchant?.name ?? "") {
      return "the route \"\(kind)\" does not take this merchant"
    }
    return nil
  }
}

extension CopyMark {
  /// The mark of a reprint: `COPY 2 / 补打 2`.
  init(copy: Int) {
    self.init(text: "COPY \(copy) / 补打 \(copy)")
  }
}
