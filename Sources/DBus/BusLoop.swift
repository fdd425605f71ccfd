/// What the connection's thread does; made, used and freed by it alone.
final class BusLoop {
  /// Calls whose number in flight is limited. What waits is a run of calls, of which only the last is answered.
  final class Lane {
    enum Kind { case bus, peers }

    var inFlight = 0
    var waiting: [(run: [DBusCall], answer: Answer)] = []
    /// The first of `waiting` that still waits.
    var next = 0
  }

  /// A call that has been sent.
  struct Awaited {
    var destination: String
    var lane: Lane.Kind?
    var isWanted: () -> Bool
    var done: (Result<[DBusValue], DBusError>) -> Void
  }

  let mailbox: Mailbox
  let tree: ObjectTree
  private let watches: Watches
  /// Nil once the connection has ended.
  private(set) var wire: WireConnection?
  private var isStopped = false

  var awaited: [UInt32: Awaited] = [:]
  var lanes: [Lane.Kind: Lane] = [.bus: Lane(), .peers: Lane()]
  var rules: [String: Rule] = [:]
  var names: [String: OwnedName] = [:]
  var answering: [Int: Task<Void, Never>?] = [:]
  var callsReceived = 0

  /// Connects; may block as long as the kernel's `connect` does.
  init(_ address: DBusAddress, _ mailbox: Mailbox, _ tree: ObjectTree) throws(DBusError) {
    guard Naming.isText(address.text) else { throw .invalid("an address has a NUL in it") }
    self.mailbox = mailbox
    self.tree = tree
    watches = try Watches(mailbox: mailbox.descriptor)
    wire = try WireConnection(address.text, watches: watches)
  }

  /// Registers with the bus; `opened` gets the unique name.
  func hello(_ opened: Answer) {
    ask(.bus("Hello")) { [unowned self] result in
      if case .success(let values) = result, values.first?.string == nil {
        opened.settle(.failure(DBusError(.malformed, "the message bus gave no name")))
        stop()
      } else {
        opened.settle(result)
        if case .failure = result { stop() }
      }
    }
  }

  /// Ends the connection before the next message.
  func stop() { isStopped = true }

  /// Handles messages and work until the connection ends.
  func run() {
    // Between so many messages others get their turn.
    let batch = 64
    while true {
      for work in mailbox.take() { work(self) }
      var count = 0
      while count < batch, !isStopped, let message = wire?.next() {
        handle(message)
        count += 1
      }
      if isStopped || (count < batch && wire?.isConnected != true) { break }
      watches.wait(isBusy: count == batch)
    }
    end()
  }

  private func handle(_ message: WireMessage) {
    guard let header = message.header else { return }
    switch header.kind {
    case .reply, .error: complete(header, message)
    case .signal: deliver(header, message)
    case .call: receive(header, message)
    }
  }

  /// Fails what is open, with nothing left behind but memory that others hold.
  private func end() {
    wire?.close()
    wire = nil
    // What came too late finds the connection gone.
    for work in mailbox.close() { work(self) }
    let open = Array(awaited.values)
    awaited = [:]
    for call in open { call.done(.failure(.disconnected)) }
    let waiting = lanes.values.flatMap { $0.waiting.dropFirst($0.next) }
    lanes = [:]
    for call in waiting { call.answer.settle(.failure(.disconnected)) }
    endSignals()
    for task in answering.values { task?.cancel() }
    answering = [:]
  }
}
