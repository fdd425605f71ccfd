import ESCPOS
import Glibc
import Sound

/// Changes volumes for an announcement and changes them back: only what is still as it was left.
actor Mixer {
  /// What is changed now. Something is left in it where undoing failed; it is undone before anything else is changed.
  private var lease = MixerLease()
  private let file: LeaseFile?
  private var hasTakenOver = false

  /// - Parameter folder: The state directory, or nil: other people's volumes are then left alone, since a crash would leave
  ///   them changed.
  init(folder: String?) { file = folder.map { LeaseFile(folder: $0) } }

  /// Takes over what a process before this one left changed; once, and before anything is changed, since the file is then
  /// written anew.
  ///
  /// - Throws: ``SoundError`` (`file`).
  func takeOver() async throws(SoundError) {
    guard let file, !hasTakenOver else { return }
    let found = try await file.read()
    hasTakenOver = true
    guard let left = found else { return }
    lease.sinks += left.sinks.filter { old in !lease.sinks.contains { $0.name == old.name } }
    lease.sounds += left.sounds.filter { !lease.sounds.contains($0) }
  }

  /// Whether volumes may be changed.
  private var canChange: Bool { file != nil }

  /// Whether something is changed now.
  var isChanged: Bool { !lease.isEmpty }

  /// Lowers the sound of other programs on a speaker.
  ///
  /// - Returns: How many were lowered.
  func duck(
    _ sink: Sink, by decibels: Double, in session: any SoundSession, by deadline: BootInstant
  ) async throws(SoundError) -> Int {
    guard try await !session.lowersOthers(by: deadline) else { return 0 }
    guard canChange else {
      throw SoundError(.invalid, "the volumes of other programs are left alone without a state directory")
    }
    // The scale is cubic: 60 dB are a tenth of it.
    let factor = pow(10, -min(max(decibels, 0), 60) / 60)
    let others = try await session.others(by: deadline).filter {
      $0.sink == sink.index && ($0.volume?.loudest ?? 0) > 0
    }
    guard !others.isEmpty, factor < 1 else { return 0 }
    lease.sounds += others.compactMap { other in
      other.volume.map {
        MixerLease.SoundChange(
          index: other.index, name: other.name, memory: other.memory, original: $0,
          lowered: $0.scaled(by: factor))
      }
    }
    try await write()
    for other in others {
      guard let volume = other.volume else { continue }
      // One that has ended meanwhile is no fault.
      try? await session.setVolume(volume.scaled(by: factor), of: other, by: deadline)
    }
    return others.count
  }

  /// Raises a speaker's volume, and takes its mute off where that is wanted.
  func raise(
    _ sink: Sink, to fraction: Double?, unmuting: Bool, in session: any SoundSession, by deadline: BootInstant
  ) async throws(SoundError) {
    guard canChange else {
      throw SoundError(.invalid, "the speaker's volume is left alone without a state directory")
    }
    guard !lease.sinks.contains(where: { $0.name == sink.name }) else {
      throw SoundError(.failed, "the speaker's volume could not be set back before, and is not raised again")
    }
    let raised = fraction.flatMap { fraction in sink.volume?.raised(to: fraction) }
    lease.sinks.append(
      MixerLease.SinkChange(
        name: sink.name, original: raised == nil ? nil : sink.volume, raised: raised, wasMuted: unmuting))
    try await write()
    if let raised { try await session.setVolume(raised, ofSink: sink.name, by: deadline) }
    if unmuting { try await session.setMute(false, ofSink: sink.name, by: deadline) }
    // A speaker with few steps takes the nearest one, and that is what is to be recognised later.
    guard let raised, let present = try await session.sink(named: sink.name, by: deadline)?.volume,
      !present.isAbout(raised)
    else { return }
    lease.sinks[lease.sinks.count - 1].raised = present
    try await write()
  }

  /// Undoes what is changed: first the speakers, then other programs. What somebody has changed meanwhile stays theirs.
  ///
  /// - Throws: ``SoundError`` when the server does not do it; the lease then stays for another time.
  func undo(in session: any SoundSession, by deadline: BootInstant) async throws(SoundError) {
    guard !lease.isEmpty else { return }
    var left = MixerLease()
    for change in lease.sinks {
      guard let sink = try await session.sink(named: change.name, by: deadline) else {
        // Unplugged; it comes back as loud as it went.
        left.sinks.append(change)
        continue
      }
      if let original = change.original, let raised = change.raised, sink.volume?.isAbout(raised) == true {
        try await session.setVolume(original, ofSink: change.name, by: deadline)
      }
      if change.wasMuted, !sink.isMuted { try await session.setMute(true, ofSink: change.name, by: deadline) }
    }
    if !lease.sounds.isEmpty {
      let others = try await session.others(by: deadline)
      for change in lease.sounds {
        let present = others.first {
          $0.index == change.index && $0.memory == change.memory && $0.name == change.name
        }
        if let present, present.volume?.isAbout(change.lowered) == true {
          try await unlessRefused { () throws(SoundError) in
            try await session.setVolume(change.original, of: present, by: deadline)
          }
        } else if present == nil, let memory = change.memory {
          // It ended while it was low; its program's next sound is not to begin low.
          try await unlessRefused { () throws(SoundError) in
            try await session.forget(change.lowered, for: change.original, of: memory, by: deadline)
          }
        }
      }
    }
    lease = left
    try await write()
  }

  /// Does what the server may refuse, since a sound has ended meanwhile. A server that does not answer has not done it: the
  /// lease must stay.
  private func unlessRefused(_ change: () async throws(SoundError) -> Void) async throws(SoundError) {
    do throws(SoundError) {
      try await change()
    } catch {
      guard error.code == .failed || error.code == .unavailable else { throw error }
    }
  }

  private func write() async throws(SoundError) { try await file?.write(lease) }
}

extension ChannelVolume {
  /// Whether it is the same but for a hundredth of the scale, which hardware rounds to.
  func isAbout(_ other: ChannelVolume) -> Bool {
    steps.count == other.steps.count
      && zip(steps, other.steps).allSatisfy { abs(Int($0) - Int($1)) <= Int(ChannelVolume.full) / 100 }
  }
}
