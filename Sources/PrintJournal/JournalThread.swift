import Glibc
import PrintJobs
import Threads

/// A thread that runs an actor's jobs in the order they came, so that waiting for the disk holds up nobody else.
final class JournalThread: SerialExecutor {
  private let queue = JobQueue()

  /// Starts the thread; it ends once the executor is gone.
  ///
  /// - Throws: `.storage` when the system has no thread left.
  init() throws(JournalError) {
    do throws(OwnThread.Failure) {
      try OwnThread.start { [queue] in queue.run() }
    } catch {
      throw JournalError(
        .storage, "The journal's thread cannot start: \(error). Raise the limit on threads (TasksMax).")
    }
  }

  deinit { queue.close() }

  func enqueue(_ job: consuming ExecutorJob) {
    queue.append(UnownedJob(job), on: self)
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

// Guarded by `mutex`.
private final class JobQueue: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let filled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  // Each job holds its executor, which may otherwise go while the last job runs.
  private var jobs: [(job: UnownedJob, executor: JournalThread)] = []
  private var isClosed = false

  init() {
    mutex.initialize(to: pthread_mutex_t())
    filled.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(filled, nil)
  }

  deinit {
    pthread_cond_destroy(filled)
    pthread_mutex_destroy(mutex)
    filled.deallocate()
    mutex.deallocate()
  }

  func append(_ job: UnownedJob, on executor: JournalThread) {
    pthread_mutex_lock(mutex)
    jobs.append((job, executor))
    pthread_mutex_unlock(mutex)
    // Not before: the thread would wake only to wait for the lock.
    pthread_cond_signal(filled)
  }

  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_signal(filled)
    pthread_mutex_unlock(mutex)
  }

  func run() {
    while let due = next() {
      for (job, executor) in due { job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
    }
  }

  /// Waits for jobs; nil once the executor is gone.
  private func next() -> [(job: UnownedJob, executor: JournalThread)]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while jobs.isEmpty && !isClosed { pthread_cond_wait(filled, mutex) }
    guard !jobs.isEmpty else { return nil }
    let due = jobs
    jobs = []
    return due
  }
}
