import Announcer
import BLETransport
import ESCPOS
import Sound
import Threads

/// One announcement by a command, without the daemon.
struct VoiceTrial {
  var plan: VoicePlan
  /// The WAV file to write instead of playing.
  var file: String?
  var patience = Duration.seconds(60)

  /// Says it, and tells what was said, from where, and how it ended.
  ///
  /// - Throws: ``Failure`` when the file cannot be written.
  func run(_ announcement: Announcement) async throws(Failure) -> ExitCode {
    var plan = plan
    // The group's files are the daemon's.
    plan.voice.leavesFiles = false
    let trial = plan
    let (speaker, lacks) = await WorkThreads.files.run { trial.speaker(keepsAnswers: false) }
    for lack in lacks { Console.error("warning: \(lack)".printable) }
    let deadline = BootClock().now.advanced(by: patience)
    let speech = await speaker.speech(for: announcement, by: BootClock().now.advanced(by: .seconds(15)))
    if let shortfall = speech.shortfall { Console.error("warning: \(shortfall)".printable) }
    let seconds = Double(speech.pcm.samples.count) / Double(speech.pcm.rate)
    let length = "\(Int(seconds)).\(Int(seconds * 10) % 10) s"
    Console.print(
      "\(speech.text.isEmpty ? "(chime)" : speech.text.printable)  [\(speech.source.rawValue), \(length)]")
    if let file {
      do throws(SoundError) {
        try AudioFile.writeWAV(speech.pcm, to: file)
      } catch {
        throw Failure(.cannotCreate, error.message)
      }
      Console.error("written: \(file)")
      return .success
    }
    var options = trial.options(keepsLeases: false)
    options.holdScans = {
      // In this order: a search that begins now sees the sign.
      let sign = VoiceSign.raise(for: trial.controlSocket)
      await Bluetooth.bluez.scansHaveEnded(
        by: BootClock().now.advanced(by: ScanTurns.patience), looking: true)
      return { sign?.lower() }
    }
    let announcer = Announcer(options: options, speaker: ReadySpeaker(ready: speech), output: trial.output)
    let record = await announcer.record(of: announcement, by: deadline)
    await announcer.close()
    await Bluetooth.stop()
    return AnnounceCommand.show(VoiceEndMessage(record))
  }
}

/// A speaker that has been asked already.
private struct ReadySpeaker: Speaker {
  let ready: Speech

  func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech { ready }
}
