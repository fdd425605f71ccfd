import PrintJobs
import SpokenAmounts

/// What stands on a screen beside an announcement: never without a title, never without a body.
public struct ScreenText: Sendable, Equatable {
  /// The first line.
  public let title: String
  /// What happened.
  public let body: String

  /// The text of an announcement that has ended.
  ///
  /// The wake's own alert where it has one; else the words that were said or were to be said, or the fixed phrase for its
  /// amount. Control characters become spaces. Nothing is cut: the cut could go through an amount.
  ///
  /// - Returns: nil for what was not to be announced, because it had been before or came too late, and for what has no words:
  ///   where nothing was received, nothing says so.
  public init?(_ record: AnnouncementRecord, _ phrasebook: Phrasebook) {
    guard let announcement = record.announcement, record.end != .silent, record.end != .expired else {
      return nil
    }
    let title = SpeakableText.oneLine(announcement.title ?? "")
    var body = SpeakableText.oneLine(announcement.body ?? "")
    if title.isEmpty, body.isEmpty {
      // The name of a prepared sound is no text.
      body = record.source == .prepared ? "" : SpeakableText.oneLine(record.text)
      if body.isEmpty { body = SpeakableText.oneLine(announcement.text ?? "") }
      if body.isEmpty { body = phrasebook.fixed(for: announcement).text }
      guard !body.isEmpty else { return nil }
    }
    // A program may take an empty word for a missing one.
    self.title = title.isEmpty ? (phrasebook.brand.isEmpty ? "printd" : phrasebook.brand) : title
    self.body = body.isEmpty ? " " : body
  }
}
