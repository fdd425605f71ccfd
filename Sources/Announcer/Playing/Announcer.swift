public import ESCPOS
public import PrintJobs
public import Sound

/// Says announcements, one at a time and in their order, and tells how each of them ended.
///
/// - An announcement is never interrupted by the next one, and never cut short by its own deadline: half an amount is a wrong
///   amount. A caller who has no more time is told `expired` at it; what sounds then is said to its end, and volumes are set
///   back after it. One that still waits keeps its turn until it is older than ``AnnouncerOptions/maximumAge``.
/// - A payment that waits, sounds or has been heard is not said again: `silent`. One that was not heard may be asked for again.
/// - At rest there is no timer, no thread and no connection.
public actor Announcer {
  /// An announcement and its place.
  struct Entry {
    let number: Int
    let announcement: Announcement
    let deadline: BootInstant
    let acceptedAt: BootInstant
    var speech: Task<Speech?, Never>?
  }

  /// Why one is not said whose time is over.
  static let tooOld = "it came too late: a late amount would be taken for the next payment's"

  let options: AnnouncerOptions
  let speaker: any Speaker
  let output: any SoundOutput
  let clock: any BootTimeClock
  let note: @Sendable (AnnouncementRecord) -> Void
  let mixer: Mixer
  let alarms: Alarms
  var session: (any SoundSession)?
  /// When the last sound ended, and on which speaker.
  var lastPlayed: (sink: String, at: BootInstant)?
  /// Announcements too old to be said, since the last one that was.
  var staleCount = 0

  private var queue: [Entry] = []
  /// The one whose turn it is.
  private var current: Entry?
  private var nextNumber = 0
  private var isRunning = false
  private(set) var isClosed = false
  private var isGathering = false
  private var waiters: [Int: CheckedContinuation<AnnouncementRecord, Never>] = [:]
  /// The caller's deadline, by the announcement's number.
  private var deadlines: [Int: Int] = [:]
  private var known: RememberedPayments
  private var idlers: [CheckedContinuation<Void, Never>] = []

  /// Creates an announcer; nothing is opened before the first announcement.
  ///
  /// - Parameters:
  ///   - speaker: Finds the sound for an announcement.
  ///   - output: Where it is played.
  ///   - note: Gets a record of every announcement after its end.
  public init(
    options: AnnouncerOptions = AnnouncerOptions(), speaker: any Speaker, output: any SoundOutput,
    clock: any BootTimeClock = BootClock(), note: @escaping @Sendable (AnnouncementRecord) -> Void = { _ in }
  ) {
    self.options = options
    self.speaker = speaker
    self.output = output
    self.clock = clock
    self.note = note
    known = RememberedPayments(limit: max(options.memory, options.queueLimit + 1))
    mixer = Mixer(folder: options.stateDirectory)
    alarms = Alarms(clock: clock)
  }

  /// Undoes what a process that was killed in the middle of an announcement left changed.
  ///
  /// To be called at the start, before anything is announced. Where the sound server does not answer, the file stays and
  /// is undone with the first announcement.
  ///
  /// - Throws: ``SoundError`` when that could not be done now.
  public func recover(by deadline: BootInstant) async throws(SoundError) {
    try await mixer.takeOver()
    // What is changed while something is said belongs to that, which takes over what was left as well.
    guard await mixer.isChanged, !isRunning else { return }
    // Announcements wait meanwhile: two who undo and raise at once would take each other's changes for their own.
    isRunning = true
    defer { endRecovery() }
    let session = try await output.open(by: deadline)
    do throws(SoundError) {
      try await mixer.undo(in: session, by: deadline)
    } catch {
      await session.close()
      throw error
    }
    await session.close()
  }

  /// Says an announcement and returns how it ended, at its deadline at the latest.
  public func announce(_ announcement: Announcement, by deadline: BootInstant) async -> VoiceEnd {
    await record(of: announcement, by: deadline).end
  }

  /// Says an announcement and returns how it ended, however late that is; for a caller who keeps the time himself.
  ///
  /// - Parameter deadline: One that is over by now makes it `expired`.
  public func announceToItsEnd(_ announcement: Announcement, askedBy deadline: BootInstant) async -> VoiceEnd
  {
    await record(of: announcement, by: deadline, expires: false).end
  }

  /// Says an announcement and returns how it went, at its deadline at the latest.
  public func record(of announcement: Announcement, by deadline: BootInstant) async -> AnnouncementRecord {
    await record(of: announcement, by: deadline, expires: true)
  }

  private func record(
    of announcement: Announcement, by deadline: BootInstant, expires: Bool
  ) async -> AnnouncementRecord {
    var record = AnnouncementRecord(announcement)
    let now = clock.now
    if isClosed {
      record.end = .stopping
    } else if known.contains(announcement.id) {
      record.end = .silent
      record.remarks = ["it has been said, or is about to be"]
    } else if deadline <= now || isStale(announcement, at: now) {
      record.end = .expired
      record.remarks = [Self.tooOld]
      countStale()
    } else if queue.count >= options.queueLimit {
      record.end = .queueFull
    } else {
      return await accept(announcement, by: deadline, at: now, expires: expires)
    }
    note(record)
    return record
  }

  /// How many announcements wait behind the one that sounds.
  public var waitingCount: Int { queue.count }

  /// How many announcements have been taken so far.
  public var acceptedCount: Int { nextNumber }

  /// Takes no more; returns when the announcement that sounds has ended. Those that wait end as `failed`.
  ///
  /// - Parameter deadline: When the one that sounds is cut after all, and volumes are set back; nil for never.
  public func close(by deadline: BootInstant? = nil) async {
    isClosed = true
    let left = queue
    queue = []
    for entry in left {
      entry.speech?.cancel()
      finish(entry, AnnouncementRecord(entry.announcement, end: .stopping))
    }
    guard isRunning else { return }
    guard let deadline else { return await idle() }
    let cut = alarms.set(at: deadline) { [weak self] in Task { await self?.closeSession() } }
    // A card that hangs cannot be cut, and is not waited for.
    let last = deadline.advanced(by: .seconds(1))
    let isOver: Void? = await waiting(until: last, alarms) { [weak self] in await self?.idle() }
    alarms.takeBack(cut)
    // Where the session was cut, nothing could be set back in it.
    if isOver != nil {
      try? await recover(by: clock.now.advanced(by: .seconds(1)))
    } else if let current {
      let end = VoiceEnd.failed("the speaker did not come to an end before printd stopped")
      answer(current.number, AnnouncementRecord(current.announcement, end: end))
    }
  }

  /// Returns when nothing is being said.
  private func idle() async {
    guard isRunning else { return }
    await withCheckedContinuation { idlers.append($0) }
  }

  // MARK: The queue

  private func accept(
    _ announcement: Announcement, by deadline: BootInstant, at now: BootInstant, expires: Bool
  ) async -> AnnouncementRecord {
    let number = nextNumber
    nextNumber += 1
    known.remember(announcement.id)
    queue.append(Entry(number: number, announcement: announcement, deadline: deadline, acceptedAt: now))
    fetchSpeech()
    if !isRunning {
      isRunning = true
      Task { await run() }
    }
    if expires {
      deadlines[number] = alarms.set(at: deadline) { [weak self] in
        Task { await self?.expire(number, announcement) }
      }
    }
    return await withCheckedContinuation { waiters[number] = $0 }
  }

  /// Finds the sound of the next two announcements meanwhile; that of more would only fill the memory.
  private func fetchSpeech() {
    for index in queue.indices.prefix(2) where queue[index].speech == nil {
      let (speaker, clock, alarms, patience) = (self.speaker, self.clock, self.alarms, options.patience)
      let announcement = queue[index].announcement
      queue[index].speech = Task {
        let latest = clock.now.advanced(by: patience)
        // The speaker keeps to its deadline by itself; one that hangs is left behind.
        return await waiting(until: latest.advanced(by: .seconds(1)), alarms) {
          await speaker.speech(for: announcement, by: latest)
        }
      }
    }
  }

  private func run() async {
    let patience = clock.now.advanced(by: options.patience)
    let holdScans = options.holdScans
    let release = await waiting(until: patience, alarms, late: { $0() }, for: { await holdScans() })
    repeat {
      while !queue.isEmpty {
        let entry = queue.removeFirst()
        current = entry
        fetchSpeech()
        let record = await turn(entry)
        current = nil
        finish(entry, record)
      }
      await sumUp()
      // Others may have come while the session closed.
      await closeSession()
    } while !queue.isEmpty || wantsSummary
    release?()
    isRunning = false
    for idler in idlers { idler.resume() }
    idlers = []
  }

  /// Whether there is something to be summed up.
  var wantsSummary: Bool { staleCount > 0 && options.summary != nil && !isClosed }

  /// Counts one that came too late. Where nothing is being said the summary waits for more of them: after an outage they come
  /// one behind the other.
  private func countStale() {
    staleCount += 1
    guard wantsSummary, !isRunning, !isGathering else { return }
    isGathering = true
    _ = alarms.set(at: clock.now.advanced(by: options.gathering)) { [weak self] in
      Task { await self?.endGathering() }
    }
  }

  private func endGathering() {
    isGathering = false
    // One that is being said is followed by the summary anyway.
    guard wantsSummary, !isRunning else { return }
    isRunning = true
    Task { await run() }
  }

  /// Goes on with those that have come meanwhile.
  private func endRecovery() {
    guard queue.isEmpty, !wantsSummary || isGathering else {
      Task { await run() }
      return
    }
    isRunning = false
    for idler in idlers { idler.resume() }
    idlers = []
  }

  private func finish(_ entry: Entry, _ record: AnnouncementRecord) {
    var record = record
    record.isLate = entry.deadline <= clock.now
    if record.end != .played { known.forget(entry.announcement.id) }
    answer(entry.number, record)
    note(record)
  }

  private func expire(_ number: Int, _ announcement: Announcement) {
    var record = AnnouncementRecord(announcement, end: .expired)
    record.remarks = ["it had not ended when the time for it was over"]
    answer(number, record)
  }

  /// Answers the caller, once.
  private func answer(_ number: Int, _ record: AnnouncementRecord) {
    waiters.removeValue(forKey: number)?.resume(returning: record)
    if let deadline = deadlines.removeValue(forKey: number) { alarms.takeBack(deadline) }
  }

  /// Whether an announcement is too old to begin.
  func isStale(_ announcement: Announcement, at now: BootInstant) -> Bool {
    announcement.receivedAt.duration(to: now) > options.maximumAge
  }

  func closeSession() async {
    guard let session else { return }
    self.session = nil
    await session.close()
  }
}
