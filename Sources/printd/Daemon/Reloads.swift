/// Reloads of the configuration, one after the other, whoever asks for them.
actor Reloads {
  private let reload: @Sendable () async -> Failure?
  private var last: Task<Failure?, Never>?

  /// - Parameter reload: Does it, and says why not.
  init(_ reload: @escaping @Sendable () async -> Failure?) {
    self.reload = reload
  }

  /// Reloads once more; returns why nothing has changed, or nil when it has.
  func run() async -> Failure? {
    let before = last
    let task = Task { [reload] in
      _ = await before?.value
      return await reload()
    }
    last = task
    return await task.value
  }
}
