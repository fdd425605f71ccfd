extension Rendering {
  /// Lines fed by a cut where there is no blade, so that the text is past the tear bar.
  static let tearFeed = 3

  /// Cuts behind what has been printed, which first has to pass from the head to the blade.
  mutating func cut(_ cut: Receipt.Cut) {
    guard let cutter = profile.cutter, let other = cutter.modes.first else {
      return stream.feed(lines: Self.tearFeed)
    }
    let mode = cutter.modes.contains(cut.mode) ? cut.mode : other
    switch cutter.command {
    case .feedAndCut:
      stream.block(Command.feedAndCut(mode))
    case .cutOnly:
      stream.feed(lines: cutter.feedLines)
      stream.block(Command.cut(mode))
    }
    stream.seam()
  }

  /// Opens the drawer.
  mutating func drawer(_ drawer: Receipt.Drawer) {
    guard profile.drawer else { return warn("the printer has no drawer; none was opened") }
    stream.aside(Command.drawer(pin: drawer.pin, milliseconds: drawer.milliseconds))
  }

  /// Beeps.
  mutating func beep(_ beep: Receipt.Beep) {
    let times = min(max(beep.times, 1), 9)
    switch profile.beep {
    case .escB: stream.aside(Command.beep(times: times))
    case .escParenA: stream.aside(Command.buzzer(times: times))
    case .bel: stream.aside([UInt8](repeating: Command.bell, count: times))
    case nil: warn("the printer has no beeper")
    }
  }
}
