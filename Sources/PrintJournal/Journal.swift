public import PrintJobs

/// The durable memory of jobs: one SQLite file, its one owner, its one thread.
///
/// Each call is one transaction, on disk when it returns (WAL, `synchronous=FULL`). Calls that come while the disk is
/// busy share the next transaction and its one sync; a call that fails takes none of the others with it. After an
/// error nothing of the call has happened. When a full disk has space again, calls succeed again by themselves.
public actor Journal {
  /// What becomes of a journal whose file is damaged.
  public enum DamagePolicy: Sendable {
    /// Nothing is touched, and every start is refused until a person has decided: what the damage has taken may be the
    /// memory of what was printed, and the shop's backend may ask for it again.
    case refuse
    /// The damaged file is renamed, a new journal begun, and what can be read taken over; see ``Journal/movedAside``.
    case moveAside
  }

  /// What was done about a damaged file.
  public struct MovedAside: Equatable, Sendable {
    /// Where the damaged file is now.
    public var path: String
    /// SQLite's first finding.
    public var finding: String
    /// Jobs that could be read and are in the new journal.
    public var savedJobs: Int
  }

  private let thread: JournalThread
  private var ownership: Ownership?
  private var connection: Connection?
  private var waiting: [Write] = []
  private var isCommitDue = false
  /// The file's path.
  public nonisolated let path: String
  /// Days that an ended job is kept.
  public nonisolated let historyDays: Int
  /// What was done about a damaged file when this journal was opened; nil where there was none. Jobs that were not saved
  /// may come in again as new ones: whoever opens a journal so tells a person.
  public private(set) var movedAside: MovedAside?
  /// Jobs that a process now dead was printing.
  var interrupted: [Int64] = []
  /// Payments that a process now dead was announcing.
  var lostAnnouncements: [String] = []
  let now: @Sendable () -> Double

  /// The journal's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Opens a journal, made new where there is none, migrated where it is an old one.
  ///
  /// - Parameters:
  ///   - path: The database file; its folder must exist. Files beside it begin with the same name.
  ///   - historyDays: Days that an ended job is kept, at least 1.
  ///   - damage: What to do about a damaged file.
  ///   - now: The time of day, seconds since 1970.
  /// - Throws: ``JournalError`` with `.storage`: another process owns it, it is damaged, written by a newer printd, a
  ///   database of another program, not writable, or the disk is full. The message has the remedy.
  ///   What was in the file is as it was.
  public static func open(
    path: String, historyDays: Int = 30, damage: DamagePolicy = .refuse,
    now: @escaping @Sendable () -> Double = wallTime
  ) async throws(JournalError) -> Journal {
    let journal = Journal(
      path: path, historyDays: max(1, historyDays), now: now, thread: try JournalThread())
    try await journal.start(damage)
    return journal
  }

  private init(path: String, historyDays: Int, now: @escaping @Sendable () -> Double, thread: JournalThread) {
    self.path = path
    self.historyDays = historyDays
    self.now = now
    self.thread = thread
  }

  private func start(_ damage: DamagePolicy) throws(JournalError) {
    let file = JournalFile(path: path)
    let ownership = try file.own()
    try file.create()
    switch try Connection.checked(path: path) {
    case .sound(let connection):
      self.connection = connection
    case .damaged(let finding):
      guard damage == .moveAside else { throw Self.refusal(of: path, finding) }
      connection = try replace(file, finding)
    }
    self.ownership = ownership
    interrupted = try reading { connection throws(JournalError) in
      try connection.all("SELECT id FROM job WHERE state IN ('intent', 'sending') ORDER BY id") {
        $0.integer(0)
      }
    }
    lostAnnouncements = try reading { connection throws(JournalError) in
      try connection.all("SELECT payment FROM announcement WHERE word = ''") { $0.text(0) }
    }
  }

  /// Puts a new journal with what can be read of the damaged one in its place.
  ///
  /// - Throws: `.storage`; the damaged journal is then still in its place, to be refused again.
  private func replace(_ file: JournalFile, _ finding: String) throws(JournalError) -> Connection {
    let successor = try file.successor()
    try successor.create()
    guard case .sound(let fresh) = try Connection.checked(path: successor.path) else {
      throw JournalError(.storage, "\(path): a new journal beside it is damaged, too. Check the disk.")
    }
    let damaged = try? Connection(path: path)
    let saved = try damaged.map { damaged throws(JournalError) in
      try Salvage(damaged: damaged, fresh: fresh).run()
    }
    damaged?.close()
    fresh.finish()
    let aside = try file.moveAside(for: successor, at: Int64(now()))
    guard case .sound(let connection) = try Connection.checked(path: path) else {
      throw JournalError(.storage, "\(path): the new journal is damaged, too. Check the disk.")
    }
    movedAside = MovedAside(path: aside, finding: finding, savedJobs: saved ?? 0)
    return connection
  }

  private static func refusal(of path: String, _ finding: String) -> JournalError {
    JournalError(
      .storage,
      """
      The journal \(path) is damaged (\(finding)) and was left as it is. It knows what was printed, so printd does \
      not start without a person's word. Set jobs.damaged_journal to "move_aside" in the configuration: a new journal \
      is begun and takes over what can be read. Or put a backup in its place, without the -wal file. What is lost may print again when \
      the backend asks for it.
      """)
  }

  /// Ends the journal: what was asked is committed, the log is folded into the file, the file is closed and free for
  /// another process. Later calls throw `.storage`.
  public func close() {
    commitWaiting()
    connection?.finish()
    connection = nil
    ownership = nil
  }

  /// Reads what is committed.
  func reading<Reading>(
    _ body: (Connection) throws(JournalError) -> Reading
  ) throws(JournalError) -> Reading {
    guard let connection else { throw closed }
    return try body(connection)
  }

  /// Runs `body` in a transaction and returns once it is on disk.
  ///
  /// - Parameter body: May run twice: again alone, when a fault of the disk undid the transaction it was part of.
  func writing<Answer: Sendable>(
    _ body: @escaping (Connection) throws(JournalError) -> Answer
  ) async throws(JournalError) -> Answer {
    let result: Result<Answer, JournalError> = await withCheckedContinuation { continuation in
      waiting.append(
        Write(
          run: { connection throws(JournalError) in
            let answer = try body(connection)
            return { continuation.resume(returning: .success(answer)) }
          },
          refuse: { continuation.resume(returning: .failure($0)) }))
      guard !isCommitDue else { return }
      isCommitDue = true
      // Runs after all calls that are in the thread's queue by now, so that they share one sync.
      Task { commitWaiting() }
    }
    return try result.get()
  }

  private func commitWaiting() {
    isCommitDue = false
    let batch = waiting
    waiting = []
    guard !batch.isEmpty else { return }
    guard let connection else { return batch.forEach { $0.refuse(closed) } }
    batch.commit(to: connection)
  }

  private var closed: JournalError { JournalError(.storage, "The journal \(path) is closed.") }
}
