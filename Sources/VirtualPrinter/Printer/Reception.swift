import ESCPOS

/// The printer behind its receive buffer: what has come, what is carried out, and when.
struct Reception {
  var machine: Machine
  /// Bytes that have come and are not carried out yet.
  private(set) var buffer: [UInt8] = []
  private var scanner = RealTimeScanner()
  private(set) var tokenizer = CommandTokenizer()

  init(_ machine: Machine) { self.machine = machine }

  /// Whether something waits that could be printed now.
  var canDrain: Bool { !buffer.isEmpty && machine.body.isOnline && !machine.isPoweredOff }

  private var room: Int { max(0, machine.body.bufferSize - buffer.count) }

  /// Takes bytes from the host: real-time commands act at once, the rest goes through the buffer.
  ///
  /// - Returns: How many bytes were taken; fewer than there are when the buffer is full and the sender waits.
  mutating func take(_ bytes: ArraySlice<UInt8>) -> Int {
    guard !machine.isPoweredOff else {
      machine.events.append(.bytesLost(bytes.count))
      return bytes.count
    }
    var rest = bytes
    while !rest.isEmpty {
      let space = isImmediate ? max(room, 1) : room
      if space > 0 {
        let piece = rest.prefix(space)
        pass(piece)
        rest = rest.dropFirst(piece.count)
      } else if machine.body.overflow == .losesBytes {
        lose(rest)
        rest = []
      } else {
        let taken = takeRealTime(rest)
        guard taken > 0 else { break }
        rest = rest.dropFirst(taken)
      }
    }
    return bytes.count - rest.count
  }

  /// Whether bytes are carried out as they come.
  private var isImmediate: Bool {
    machine.body.bytesPerSecond == nil && machine.body.isOnline && !machine.isPoweredOff
  }

  /// Lets bytes into the buffer, stopping at the end of each real-time command to act on it.
  private mutating func pass(_ piece: ArraySlice<UInt8>) {
    var from = piece.startIndex
    while from < piece.endIndex {
      let found = piece[from...].withUnsafeBufferPointer { scanner.next(in: $0, from: 0) }
      let end = found.map { from + $0.end } ?? piece.endIndex
      run(piece[from..<end])
      from = end
      guard let command = found?.0 else { return }
      act(command)
    }
  }

  private mutating func run(_ piece: ArraySlice<UInt8>) {
    guard isImmediate, buffer.isEmpty else {
      buffer += piece
      if isImmediate { drain() }
      return
    }
    var rest = piece
    execute(&rest)
    buffer = Array(rest)
  }

  /// What finds the buffer full is lost, except that its real-time commands still act.
  private mutating func lose(_ bytes: ArraySlice<UInt8>) {
    machine.events.append(.bytesLost(bytes.count))
    var from = bytes.startIndex
    while let found = bytes[from...].withUnsafeBufferPointer({ scanner.next(in: $0, from: 0) }) {
      act(found.0)
      from += found.end
    }
  }

  /// A real-time command at the front of bytes that must wait is taken all the same.
  private mutating func takeRealTime(_ bytes: ArraySlice<UInt8>) -> Int {
    var scanner = RealTimeScanner()
    let front = bytes.prefix(10)
    guard let (command, end) = front.withUnsafeBufferPointer({ scanner.next(in: $0, from: 0) }),
      end == command.length
    else { return 0 }
    act(command)
    return end
  }

  private mutating func act(_ command: RealTimeCommand) {
    switch command {
    case .clear, .recover(clearing: true): clearBuffers()
    default: break
    }
    machine.act(command)
    if machine.isPoweredOff { clearBuffers() }
    if isImmediate { drain() }
  }

  /// Forgets what has come and is not printed.
  mutating func clearBuffers() {
    let count = buffer.count + tokenizer.clear()
    buffer = []
    scanner = RealTimeScanner()
    machine.events.append(.cleared(count))
  }

  /// Carries out what waits, at most `limit` bytes of it.
  mutating func drain(_ limit: Int? = nil) {
    machine.resume()
    guard canDrain else { return }
    let waiting = buffer
    buffer = []
    let due = waiting.prefix(limit ?? waiting.count)
    var rest = due
    execute(&rest)
    buffer = Array(waiting.dropFirst(due.count - rest.count))
  }

  private mutating func execute(_ rest: inout ArraySlice<UInt8>) {
    while machine.body.isOnline, !machine.isPoweredOff, let token = tokenizer.next(from: &rest) {
      machine.execute(token)
    }
  }

  /// The end of all input: what is cut off is reported, and the line without LF is printed.
  mutating func finish() {
    drain()
    for token in tokenizer.finish() {
      machine.execute(token)
    }
    if !machine.line.isEmpty { machine.printLine() }
  }
}
