/// The answers of a printer about its state, by the bit rules of the Epson command reference.
struct StatusBytes {
  var body: Behaviour

  /// `DLE EOT n`: bits 1 and 4 are set, 0 and 7 are clear.
  func realTime(_ n: UInt8) -> UInt8 {
    var status: UInt8 = 0x12
    switch n {
    case 1:
      if body.drawerOpen { status |= 0x04 }
      if !body.isOnline { status |= 0x08 }
    case 2:
      if body.coverOpen { status |= 0x04 }
      if body.paper == .end { status |= 0x20 }
      if body.fault != nil { status |= 0x40 }
    case 3: status |= errors
    default:
      if body.paper != .present { status |= 0x0C }
      if body.paper == .end { status |= 0x60 }
    }
    return status
  }

  /// The error bits of `DLE EOT 3` and of the second byte of ASB.
  private var errors: UInt8 {
    switch body.fault {
    case nil: 0
    case .recoverable: 0x04
    case .cutter: 0x08
    case .unrecoverable: 0x20
    case .autoRecoverable: 0x40
    }
  }

  /// `GS r 1`: bits 0–1 near end, 2–3 end.
  var paper: UInt8 {
    switch body.paper {
    case .present: 0x00
    case .nearEnd: 0x03
    case .end: 0x0F
    }
  }

  /// `GS r 2`: bit 0 is pin 3 of the drawer connector.
  var drawer: UInt8 { body.drawerOpen ? 0x01 : 0x00 }

  /// The four bytes of automatic status back.
  var automatic: [UInt8] {
    var first: UInt8 = 0x10
    if body.drawerOpen { first |= 0x04 }
    if !body.isOnline { first |= 0x08 }
    if body.coverOpen { first |= 0x20 }
    return [first, errors, paper, 0]
  }

  /// Whether the change from `old` concerns one of the classes that `GS a` has enabled: bit 0 drawer, 1 online,
  /// 2 error, 3 paper.
  func concerns(_ classes: UInt8, since old: StatusBytes) -> Bool {
    let (before, after) = (old.automatic, automatic)
    if classes & 0x01 != 0, (before[0] ^ after[0]) & 0x04 != 0 { return true }
    if classes & 0x02 != 0, (before[0] ^ after[0]) & 0x28 != 0 { return true }
    if classes & 0x04 != 0, before[1] != after[1] { return true }
    return classes & 0x08 != 0 && before[2] != after[2]
  }

  /// The five cause bytes of the offline notice of `GS ( H` function 49; bit 6 of each is fixed.
  ///
  /// The layout is that of the TM-L90 (Epson command reference, `GS ( H` function 49): three bytes of unrecoverable
  /// errors, one of recoverable ones (bit 0 cutter, bit 1 cover), one of errors that pass by themselves.
  var offlineCause: [UInt8] {
    [
      0x40 | (body.fault == .unrecoverable ? 0x01 : 0), 0x40, 0x40,
      0x40 | (body.fault == .cutter ? 0x01 : 0) | (body.coverOpen ? 0x02 : 0)
        | (body.fault == .recoverable ? 0x04 : 0),
      0x40 | (body.fault == .autoRecoverable ? 0x01 : 0),
    ]
  }
}
