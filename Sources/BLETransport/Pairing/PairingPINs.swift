/// The PINs to try on a printer from before Secure Simple Pairing, one in each attempt.
public struct PairingPINs: Equatable, Sendable {
  /// What nearly all printers have; nobody knows it that does not try them.
  public static let usual = ["0000", "1234", "1111", "8888"]

  /// In the order of trying, each once.
  public let all: [String]

  /// The configured one first, then the usual ones.
  public init(configured: String?) {
    all = (configured.map { [$0] } ?? []) + Self.usual.filter { $0 != configured }
  }

  /// Only this one, as a person has typed it.
  public init(only pin: String) {
    all = [pin]
  }

  /// Whether a PIN can be one: 1 through 16 bytes (Core Specification, volume 2, part H, 3.1), all of them printable
  /// ASCII, as printers have them.
  public static func isValid(_ pin: String) -> Bool {
    (1...16).contains(pin.utf8.count) && pin.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
