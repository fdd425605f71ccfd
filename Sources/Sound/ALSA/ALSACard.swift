import CALSA
import ESCPOS
import Threads

/// A PCM device and its mixer. Every call may block. The only file that knows the library.
final class ALSACard: @unchecked Sendable {
  // Used by one thread at a time, but for `cut()`: `ALSASession` starts no call before the last one has ended.
  private let pcm: OpaquePointer
  private let device: String
  private let control: String
  private let isCut = Locked(false)

  private static let bufferMicroseconds: UInt32 = 200_000
  /// Pieces of a second that are handed over at once: between them a sound can be cut.
  private static let pieces = 5
  /// The elements of a mixer that are a speaker's volume, the first that is there.
  private static let elements = ["Master", "Speaker", "Headphone", "PCM", "Digital"]

  /// Opens a device.
  ///
  /// - Throws: ``SoundError``: `unavailable` when there is none, `failed` when another program has it.
  init(device: String, control: String) throws(SoundError) {
    calsa_be_quiet()
    var handle: OpaquePointer?
    let code = snd_pcm_open(&handle, device, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    guard code >= 0, let handle else {
      let isBusy = code == -EBUSY
      throw SoundError(
        isBusy ? .failed : .unavailable,
        "\(device): \(Self.text(code))"
          + (isBusy ? "; another program uses it" : "; `aplay -L` shows what is there"))
    }
    pcm = handle
    self.device = device
    self.control = control
  }

  deinit { snd_pcm_close(pcm) }

  /// Ends the sound that plays, and any later one; from any thread. The mixer can still be set.
  func cut() { isCut.withLock { $0 = true } }

  /// Plays to the end, or until it is cut.
  func play(_ sound: PCM, by deadline: BootInstant, on clock: any BootTimeClock) throws(SoundError)
    -> Playback
  {
    snd_pcm_drop(pcm)
    let code = snd_pcm_set_params(
      pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 1, UInt32(sound.rate), 1,
      Self.bufferMicroseconds)
    guard code >= 0 else {
      throw SoundError(
        .failed,
        "\(device) does not take \(sound.rate) samples a second in mono: \(Self.text(code)); use plug\(device)"
      )
    }
    let start = clock.now
    var gaps = 0
    var offset = 0
    while offset < sound.samples.count {
      try checkUncut()
      let piece = min(sound.samples.count - offset, max(1, sound.rate / Self.pieces))
      let count = sound.samples.withUnsafeBufferPointer { samples in
        snd_pcm_writei(
          pcm, samples.baseAddress?.advanced(by: offset), snd_pcm_uframes_t(piece))
      }
      if count > 0 {
        offset += count
        continue
      }
      try check(deadline, clock)
      switch Int32(count) {
      case 0, -EAGAIN: _ = snd_pcm_wait(pcm, 100)
      case -EPIPE:
        gaps += 1
        try recover(-EPIPE)
      case -ESTRPIPE, -EINTR: try recover(Int32(count))
      default: throw SoundError(.lost, "\(device) was taken away: \(Self.text(Int32(count)))")
      }
    }
    try checkUncut()
    // On this thread it may wait, for what the buffer holds; the plug-ins know no other way.
    snd_pcm_nonblock(pcm, 0)
    defer { snd_pcm_nonblock(pcm, 1) }
    let drained = snd_pcm_drain(pcm)
    guard drained >= 0 else { throw SoundError(.lost, "\(device) was taken away: \(Self.text(drained))") }
    return Playback(elapsed: start.duration(to: clock.now), gaps: gaps)
  }

  private func recover(_ code: Int32) throws(SoundError) {
    guard snd_pcm_recover(pcm, code, 1) < 0 else { return }
    throw SoundError(.lost, "\(device) was taken away: \(Self.text(code))")
  }

  private func checkUncut() throws(SoundError) {
    guard isCut.withLock({ $0 }) else { return }
    snd_pcm_drop(pcm)
    throw SoundError(.lost, "\(device) was closed before the sound had ended")
  }

  private func check(_ deadline: BootInstant, _ clock: any BootTimeClock) throws(SoundError) {
    guard clock.now < deadline else {
      snd_pcm_drop(pcm)
      throw SoundError(.deadline, "\(device) took no more sound in the time given")
    }
  }

  // MARK: The mixer

  /// The speaker with its volume and mute; without both where there is no mixer.
  func sink() -> Sink {
    var sink = Sink(name: "alsa:\(device)", description: "ALSA \(device)")
    sink.channels = [0]
    _ = withElement { element, channels, range in
      if snd_mixer_selem_has_playback_switch(element) != 0 {
        sink.isMuted = channels.allSatisfy { channel in
          var isOn: Int32 = 1
          snd_mixer_selem_get_playback_switch(element, channel, &isOn)
          return isOn == 0
        }
      }
      guard let range else { return }
      sink.volume = ChannelVolume(
        steps: channels.map { channel in
          var value = range.lowerBound
          snd_mixer_selem_get_playback_volume(element, channel, &value)
          let share = Double(value - range.lowerBound) / Double(range.upperBound - range.lowerBound)
          return UInt32((min(max(share, 0), 1) * Double(ChannelVolume.full)).rounded())
        })
    }
    return sink
  }

  /// Sets the volume of each channel.
  func set(_ volume: ChannelVolume) throws(SoundError) {
    let isSet = withElement { element, channels, range in
      guard let range else { return }
      for (channel, steps) in zip(channels, volume.steps) {
        let share = min(Double(steps) / Double(ChannelVolume.full), 1)
        let value = range.lowerBound + Int((share * Double(range.upperBound - range.lowerBound)).rounded())
        snd_mixer_selem_set_playback_volume(element, channel, value)
      }
    }
    guard isSet else { throw SoundError(.failed, "\(control) has no mixer") }
  }

  /// Mutes, or takes the mute off.
  func set(isMuted: Bool) throws(SoundError) {
    let isSet = withElement { element, _, _ in
      snd_mixer_selem_set_playback_switch_all(element, isMuted ? 0 : 1)
    }
    guard isSet else { throw SoundError(.failed, "\(control) has no mixer") }
  }

  /// Calls `body` with the element that is the speaker's, its channels and its range; false where there is none.
  private func withElement(
    _ body: (OpaquePointer, [snd_mixer_selem_channel_id_t], ClosedRange<Int>?) -> Void
  ) -> Bool {
    var handle: OpaquePointer?
    guard snd_mixer_open(&handle, 0) >= 0, let mixer = handle else { return false }
    defer { snd_mixer_close(mixer) }
    guard snd_mixer_attach(mixer, control) >= 0, snd_mixer_selem_register(mixer, nil, nil) >= 0,
      snd_mixer_load(mixer) >= 0
    else { return false }
    var name: OpaquePointer?
    guard snd_mixer_selem_id_malloc(&name) >= 0, let name else { return false }
    defer { snd_mixer_selem_id_free(name) }
    for word in Self.elements {
      snd_mixer_selem_id_set_name(name, word)
      guard let element = snd_mixer_find_selem(mixer, name) else { continue }
      let channels = (0...SND_MIXER_SCHN_LAST.rawValue).map { snd_mixer_selem_channel_id_t(rawValue: $0) }
        .filter { snd_mixer_selem_has_playback_channel(element, $0) != 0 }
      var (low, high) = (0, 0)
      let hasVolume =
        snd_mixer_selem_has_playback_volume(element) != 0
        && snd_mixer_selem_get_playback_volume_range(element, &low, &high) >= 0 && low < high
      guard !channels.isEmpty, hasVolume || snd_mixer_selem_has_playback_switch(element) != 0 else {
        continue
      }
      body(element, channels, hasVolume ? low...high : nil)
      return true
    }
    return false
  }

  private static func text(_ code: Int32) -> String {
    snd_strerror(code).map { String(cString: $0) } ?? "\(code)"
  }
}
