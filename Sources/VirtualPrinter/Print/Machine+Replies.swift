import ESCPOS

extension Machine {
  /// The most bytes that wait for a host that does not read.
  static let maximumReplies = 16_384

  var status: StatusBytes { StatusBytes(body: body) }

  mutating func reply(_ bytes: [UInt8]) {
    guard body.answers, replies.count + bytes.count <= Self.maximumReplies else { return }
    replies += bytes
  }

  /// Commands that ask for something, in their turn behind the data before them.
  mutating func answer(_ token: Token) {
    let n = token[2]
    switch token.opcode {
    case .gsStatus:
      switch n {
      case 1, 49: reply([status.paper])
      case 2, 50: reply([status.drawer])
      default: break
      }
    case .escPaperStatus: reply([status.paper])
    case .escPeripheralStatus: reply([status.drawer])
    case .gsIdentity: identity(n)
    case .gsStatusBack:
      statusBack = n
      if n != 0 { reply(status.automatic) }
    default: break
    }
  }

  /// `GS I n`: identifiers as one byte, names as a block from 5F to 00.
  private mutating func identity(_ n: UInt8) {
    switch n {
    case 1, 49: reply([0x20])
    case 2, 50: reply([(profile.kanji == nil ? 0 : 0x01) | (profile.cutter == nil ? 0 : 0x02)])
    case 3, 51: reply([0x01])
    case 65: name("1.00")
    case 66: name("printd")
    case 67: name(profile.name)
    case 68: name("V000001")
    case 69: name(profile.kanji?.encoding.rawValue ?? "")
    default: break
    }
  }

  private mutating func name(_ text: String) { reply([0x5F] + Array(text.utf8.prefix(80)) + [0]) }

  /// `GS ( H`: the process id is echoed once the print before it is on paper; here the answer's own turn is that moment.
  mutating func processFunction(_ token: Token) {
    switch (token[5], token[6]) {
    case (48, 48) where token.length == 11: reply([0x37, 0x22] + Array(token.bytes.suffix(4)) + [0])
    case (49, 48) where token.length == 8: offlineNotice = token[7] % 48
    default: events.append(.ignored(token.mnemonic, "its length or function is wrong"))
    }
  }

  /// Tells the host what it has asked to be told of, after the body has changed.
  mutating func tellChange(since old: Behaviour) {
    let before = StatusBytes(body: old)
    if statusBack != 0, status.concerns(statusBack, since: before) { reply(status.automatic) }
    if offlineNotice != 0, old.isOnline, !body.isOnline {
      reply(offlineNotice == 1 ? [0x37, 0x23, 0] : [0x37, 0x23] + status.offlineCause + [0])
    }
  }

  // MARK: Real time

  /// Acts on a command at its receipt.
  mutating func act(_ command: RealTimeCommand) {
    events.append(.realTime(command))
    switch command {
    case .status(let n): reply([status.realTime(n)])
    case .recover(let clearing):
      let before = body
      if body.fault == .recoverable || body.fault == .cutter { body.fault = nil }
      if clearing { clearPrintBuffer() }
      tellChange(since: before)
    case .pulse(let pin, let milliseconds):
      if !disabledRealTime.contains(1) { kick(pin: pin, milliseconds: milliseconds) }
    case .powerOff:
      guard !disabledRealTime.contains(2) else { return }
      reply([0x3B, 0x30, 0])
      isPoweredOff = true
    case .buzzer: mark(.beep(times: 1))
    case .statusBlock(let m): if m == 1 { reply(status.automatic) }
    case .clear:
      clearPrintBuffer()
      reply([0x37, 0x25, 0])
    }
  }

  private mutating func clearPrintBuffer() {
    line.clear()
    page = nil
    halted = []
    partialCharacter = []
  }
}
