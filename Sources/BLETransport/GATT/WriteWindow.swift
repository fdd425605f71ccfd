/// The account of one link's bytes: handed to bluetoothd, refused by it, acknowledged by the printer.
///
/// Write Commands have no answer. But bluetoothd and the printer keep the order of one channel, so that the answer to a
/// request says that everything before it has reached the printer's ATT layer. A *barrier* is such a request; at most
/// one is out, and not more than ``limit`` bytes are on their way without one having been answered behind them.
struct WriteWindow: Equatable, Sendable {
  /// The most unacknowledged bytes.
  let limit: Int
  /// Bytes that may have reached the printer: handed over, and not refused.
  private(set) var accepted = 0
  /// Bytes that have reached the printer's ATT layer.
  private(set) var acknowledged = 0
  /// Where in the accepted bytes the outstanding barrier stands.
  private(set) var barrier: Int?

  /// - Parameter limit: At least one byte.
  init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// Bytes whose arrival is not known.
  var unacknowledged: Int { accepted - acknowledged }

  /// Whether `count` more bytes may go; a chunk above the limit may when nothing else is on its way.
  func hasRoom(for count: Int) -> Bool {
    unacknowledged == 0 || unacknowledged + count <= limit
  }

  /// Whether it is time for a barrier: half of the window is not covered by one, and none is out.
  var wantsBarrier: Bool {
    barrier == nil && unacknowledged * 2 >= limit
  }

  /// Counts bytes the moment before they are handed over.
  mutating func hand(_ count: Int) {
    accepted += count
  }

  /// Takes back bytes that were provably not taken; what comes before them stays.
  mutating func refuse(_ count: Int) {
    accepted -= count
    acknowledged = min(acknowledged, accepted)
    barrier = barrier.map { min($0, accepted) }
  }

  /// A barrier goes out behind all accepted bytes.
  mutating func sendBarrier() {
    barrier = accepted
  }

  /// The barrier was answered.
  mutating func answerBarrier() {
    if let barrier { acknowledged = max(acknowledged, barrier) }
    barrier = nil
  }

  /// The barrier failed without an answer from the printer.
  mutating func loseBarrier() {
    barrier = nil
  }

  /// A request that carried the bytes before `position` was answered: they and everything before them have arrived.
  mutating func acknowledge(upTo position: Int) {
    acknowledged = max(acknowledged, min(position, accepted))
  }
}
