public import PrintJobs

/// How an announcement went, for the log.
public struct AnnouncementRecord: Sendable, Equatable {
  /// The payment's id.
  public var id: String
  /// What was to be announced; nil for the summary of those that were too old.
  public var announcement: Announcement?
  /// How it ended.
  public var end = VoiceEnd.silent
  /// What was said.
  public var text = ""
  /// Where its sound came from; nil when it did not come to that.
  public var source: Speech.Source?
  /// Why the speech was not better.
  public var shortfall: String?
  /// The speaker's name.
  public var sink: String?
  /// The speaker's volume before, 1 for 100 %.
  public var volume: Double?
  /// Whether the speaker was muted.
  public var wasMuted = false
  /// What the volume was raised to, or nil.
  public var raisedTo: Double?
  /// How many sounds of other programs were lowered by printd.
  public var lowered = 0
  /// The length of the speech.
  public var duration = Duration.zero
  /// From its acceptance to the beginning of its turn.
  public var waited = Duration.zero
  /// Whether it ended after its deadline.
  public var isLate = false
  /// Audible gaps.
  public var gaps = 0
  /// What went wrong beside it.
  public var remarks: [String] = []

  /// Creates a record of an announcement that has not begun.
  init(_ announcement: Announcement, end: VoiceEnd = .silent) {
    id = announcement.id
    self.announcement = announcement
    self.end = end
  }

  /// Creates a record of a summary.
  init(summaryID: String) { id = summaryID }
}
