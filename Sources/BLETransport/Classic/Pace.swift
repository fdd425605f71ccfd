import ESCPOS

/// How fast data may be handed to a printer whose Bluetooth module takes all at once and drops what does not fit.
///
/// RFCOMM has credits, which stop the sender; some modules grant them without end. Such a printer gets no more at once than
/// fits its buffer, and then as much as it prints.
struct Pace: Equatable, Sendable {
  /// The most that goes out at once; the smallest receive buffer of common printers is 4 KB.
  static let burst = 2_048
  /// The most bytes of one write.
  static let slice = 256

  /// Bytes that the printer takes in a second, at least 1.
  let bytesPerSecond: Int
  /// When the printer will have taken all that has gone out.
  private var empty = BootInstant(nanoseconds: .min)

  init(bytesPerSecond: Int) {
    self.bytesPerSecond = max(1, bytesPerSecond)
  }

  /// When the next write of `count` bytes may go out.
  func due(_ count: Int, now: BootInstant) -> BootInstant {
    max(now, max(now, empty).advanced(by: time(count)).advanced(by: .zero - time(Self.burst)))
  }

  /// Notes that `count` bytes have gone out.
  mutating func sent(_ count: Int, at now: BootInstant) {
    empty = max(now, empty).advanced(by: time(count))
  }

  private func time(_ count: Int) -> Duration { .seconds(Double(count) / Double(bytesPerSecond)) }
}
