import ESCPOS
import PrintJobs
import Sound

extension Announcer {
  /// Says one announcement, or finds out why not.
  func turn(_ entry: Entry) async -> AnnouncementRecord {
    var record = AnnouncementRecord(entry.announcement)
    let now = clock.now
    record.waited = entry.acceptedAt.duration(to: now)
    guard !isStale(entry.announcement, at: now) else {
      entry.speech?.cancel()
      staleCount += 1
      record.end = .expired
      record.remarks = [Self.tooOld]
      return record
    }
    guard let speech = await entry.speech?.value else {
      record.end = .failed("the voice did not answer")
      return record
    }
    await say(speech, &record, of: entry.announcement)
    if record.end == .expired { staleCount += 1 }
    return record
  }

  /// Says how many were too old, where that is wanted.
  func sumUp() async {
    // More may come while it is said.
    let count = staleCount
    staleCount = 0
    guard count > 0, !isClosed, let summary = options.summary else { return }
    let announcement = Announcement(id: "", text: summary(count), receivedAt: clock.now)
    let (speaker, latest) = (self.speaker, soon)
    let speech = await waiting(until: latest.advanced(by: .seconds(1)), alarms) {
      await speaker.speech(for: announcement, by: latest)
    }
    guard let speech else { return }
    var record = AnnouncementRecord(summaryID: "")
    await say(speech, &record)
    note(record)
  }

  /// How long the server may take for its next answer.
  private var soon: BootInstant { clock.now.advanced(by: options.patience) }

  /// - Parameter announcement: What must not be too old when its sound begins, or nil for a summary.
  private func say(
    _ speech: Speech, _ record: inout AnnouncementRecord, of announcement: Announcement? = nil
  ) async {
    record.text = speech.text
    record.source = speech.source
    record.shortfall = speech.shortfall
    record.duration = speech.pcm.duration
    guard !speech.pcm.samples.isEmpty else { return }
    do throws(SoundError) {
      let session = try await openSession()
      let sink = try await session.sink(by: soon)
      record.sink = sink.name
      record.volume = sink.volume?.loudest
      record.wasMuted = sink.isMuted
      guard !sink.isAbstract else {
        record.end = .noDevice
        record.remarks.append("\(sink.name) stands in for a speaker that is not there")
        return
      }
      guard !sink.isMuted || options.mute == .override else {
        record.end = .muted
        record.remarks.append("the speaker \(sink.name) is muted")
        return
      }
      // A slow voice and a slow server may have taken a while since its turn began.
      if let announcement, isStale(announcement, at: clock.now) {
        record.end = .expired
        record.remarks.append(Self.tooOld)
        return
      }
      record.end = try await play(speech.pcm, on: sink, in: session, &record)
    } catch {
      record.end = error.code == .unavailable ? .noDevice : .failed(error.message)
      record.remarks.append(error.message)
      // A session that failed is not asked again.
      await closeSession()
    }
  }

  private func openSession() async throws(SoundError) -> any SoundSession {
    if let session { return session }
    let opened = try await output.open(by: soon)
    session = opened
    return opened
  }

  /// Lowers the others, raises the volume, plays, and sets both back, whatever happens.
  private func play(
    _ pcm: PCM, on sink: Sink, in session: any SoundSession, _ record: inout AnnouncementRecord
  ) async throws(SoundError) -> VoiceEnd {
    var sink = sink
    // An announcement may be quicker than the recovery at the start.
    do throws(SoundError) {
      try await mixer.takeOver()
    } catch {
      record.remarks.append(error.message)
    }
    // What could not be set back before is set back now; else the raised volume would pass for the original one.
    if await mixer.isChanged {
      try await mixer.undo(in: session, by: soon)
      if let present = try await session.sink(named: sink.name, by: soon) { sink = present }
    }
    if options.others == .duck {
      do throws(SoundError) {
        record.lowered = try await mixer.duck(sink, by: options.duckDecibels, in: session, by: soon)
      } catch {
        record.remarks.append("others were not lowered: \(error.message)")
      }
    }
    guard let gain = await raise(sink, in: session, &record) else {
      await restore(in: session, &record)
      return .muted
    }
    let sound = pcm.padded(before: lead(for: sink, isChanged: await mixer.isChanged))
    var end: VoiceEnd
    do throws(SoundError) {
      let playback = try await session.play(
        sound, on: sink, gain: gain, overridesMute: options.mute == .override,
        by: clock.now.advanced(by: sound.duration + options.patience))
      record.gaps = playback.gaps
      end = playback.wasMuted ? .muted : verdict(playback, sound, sink)
      if end == .played { lastPlayed = (sink.name, clock.now) }
    } catch {
      end = .failed(error.message)
    }
    await restore(in: session, &record)
    if case .failed = end { await closeSession() }
    return end
  }

  private func restore(in session: any SoundSession, _ record: inout AnnouncementRecord) async {
    do throws(SoundError) {
      try await mixer.undo(in: session, by: soon)
    } catch {
      record.remarks.append("volumes are set back later: \(error.message)")
    }
  }

  /// Makes a quiet or muted speaker loud enough; returns the sound's own gain, or nil when it is muted still.
  ///
  /// Where the server scales sound and speaker in one step, the sound alone is made louder: nothing is to be undone then.
  private func raise(
    _ sink: Sink, in session: any SoundSession, _ record: inout AnnouncementRecord
  ) async -> Double? {
    let wanted = min(max(options.minimumVolume, 0), 1)
    let isQuiet = sink.volume.map { $0.loudest < wanted - 0.005 } ?? false
    let loudest = sink.volume?.loudest ?? 1
    let byGain = isQuiet && sink.carriesGain && loudest >= 0.05
    if (isQuiet && !byGain) || sink.isMuted {
      do throws(SoundError) {
        try await mixer.raise(
          sink, to: isQuiet && !byGain ? wanted : nil, unmuting: sink.isMuted, in: session, by: soon)
      } catch {
        record.remarks.append("the volume was not raised: \(error.message)")
        return sink.isMuted ? nil : byGain ? wanted / loudest : 1
      }
    }
    if isQuiet { record.raisedTo = wanted }
    return byGain ? wanted / loudest : 1
  }

  /// The silence before the sound.
  private func lead(for sink: Sink, isChanged: Bool) -> Duration {
    let settling = isChanged ? options.settlingTime : .zero
    if let lastPlayed, lastPlayed.sink == sink.name,
      lastPlayed.at.duration(to: clock.now) < options.staysAwake
    {
      return settling
    }
    return max(settling, sink.isBluetooth ? options.bluetoothPreRoll : options.preRoll)
  }

  /// A speaker that takes seconds of sound in no time has not made it heard.
  private func verdict(_ playback: Playback, _ sound: PCM, _ sink: Sink) -> VoiceEnd {
    guard sink.isTimed, playback.elapsed < sound.duration / 2 else { return .played }
    return .failed(
      "\(sink.name) took \(sound.duration) of sound in \(playback.elapsed); nobody can have heard it")
  }
}
