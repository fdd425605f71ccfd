import PrintJobs

/// One call that changes the journal, waiting for its transaction.
struct Write {
  /// Makes the changes and gives what tells the caller, once they are on disk.
  var run: (Connection) throws(JournalError) -> (() -> Void)
  /// Tells the caller that nothing has happened, and why.
  var refuse: (JournalError) -> Void
}

extension [Write] {
  /// Makes all the changes in one transaction with one sync, each for itself: one that fails undoes nothing of another.
  func commit(to connection: Connection) {
    do throws(JournalError) {
      try connection.requireInPlace()
      try connection.run("BEGIN IMMEDIATE")
    } catch {
      return forEach { $0.refuse(error) }
    }
    do throws(JournalError) {
      var answers: [() -> Void] = []
      for write in self { answers.append(try write.runInSavepoint(connection)) }
      try connection.run("COMMIT")
      for answer in answers { answer() }
    } catch {
      connection.rollback()
      // The disk failed one of them (one order may be too large for what is left of it): try each alone.
      guard count > 1 else { return forEach { $0.refuse(error) } }
      for write in self { [write].commit(to: connection) }
    }
  }
}

extension Write {
  /// - Throws: `.storage` alone; the whole transaction is to be rolled back then.
  fileprivate func runInSavepoint(_ connection: Connection) throws(JournalError) -> (() -> Void) {
    try connection.run("SAVEPOINT one")
    do throws(JournalError) {
      let answer = try run(connection)
      try connection.run("RELEASE one")
      return answer
    } catch {
      guard error.code != .storage else { throw error }
      try connection.run("ROLLBACK TO one")
      try connection.run("RELEASE one")
      return { refuse(error) }
    }
  }
}
