public import Sound

/// Shows texts one after the other, without holding up whoever has one to show.
public final class ScreenLine: Sendable {
  /// Texts that may wait; of more, the oldest are left out.
  static let longest = 16

  private let texts: AsyncStream<ScreenText>.Continuation

  /// Begins to wait for texts; ends with the line itself, after the program that runs then.
  ///
  /// - Parameter failed: Is told why a text could not be shown.
  public init(_ screen: Screen, failed: @escaping @Sendable (SoundError) -> Void) {
    let (stream, texts) = AsyncStream.makeStream(
      of: ScreenText.self, bufferingPolicy: .bufferingNewest(Self.longest))
    self.texts = texts
    Task {
      for await text in stream {
        do throws(SoundError) {
          try await screen.show(text)
        } catch {
          failed(error)
        }
      }
    }
  }

  deinit { texts.finish() }

  /// Shows a text in its turn.
  public func show(_ text: ScreenText) { texts.yield(text) }
}
