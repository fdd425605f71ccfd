public import ESCPOS

/// The first of several ways to be heard that is there: the sound server, else the card.
public struct FallbackOutput: SoundOutput {
  private let outputs: [any SoundOutput]

  /// Creates the output; the first that is not `unavailable` is used, each time anew.
  public init(_ outputs: [any SoundOutput]) { self.outputs = outputs }

  /// Opens the first that can be opened.
  ///
  /// - Throws: ``SoundError``: `unavailable` with all reasons when none is there, else what the first one says.
  public func open(by deadline: BootInstant) async throws(SoundError) -> any SoundSession {
    var reasons: [String] = []
    for output in outputs {
      do throws(SoundError) {
        return try await output.open(by: deadline)
      } catch {
        guard error.code == .unavailable else { throw error }
        reasons.append(error.message)
      }
    }
    throw SoundError(.unavailable, reasons.joined(separator: "; "))
  }
}
