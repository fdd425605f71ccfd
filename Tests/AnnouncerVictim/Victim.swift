import Announcer
import ESCPOS
import Glibc
import PrintJobs
import Sound

/// The program that the announcer's tests kill in the middle of a phrase, or run where the environment names the card.
///
///     AnnouncerVictim pulse SERVER STATE-DIRECTORY
///     AnnouncerVictim alsa DEVICE STATE-DIRECTORY
///
/// The first says half a minute on the speaker `spk`, raised to 70 %, with other sound lowered. The second says half a second,
/// raised to 70 %, and writes how that ended.
@main
struct Victim {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else { exit(64) }
    var options = AnnouncerOptions()
    options.minimumVolume = 0.7
    options.others = .duck
    options.stateDirectory = arguments[3]
    options.patience = .seconds(20)
    let isALSA = arguments[1] == "alsa"
    let output: any SoundOutput =
      isALSA ? ALSAOutput(device: arguments[2]) : PulseOutput(server: arguments[2], sink: "spk")
    let announcer = Announcer(
      options: options, speaker: LongSpeaker(duration: isALSA ? .milliseconds(500) : .seconds(30)),
      output: output,
      note: { print($0.end, $0.remarks, $0.raisedTo ?? 0) })
    let now = BootClock().now
    let end = await announcer.announce(
      Announcement(id: "1", receivedAt: now), by: now.advanced(by: .seconds(60)))
    await announcer.close()
    print("end \(end.word)")
  }
}

struct LongSpeaker: Speaker {
  let duration: Duration

  func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech {
    var pcm = PCM.silence(duration, rate: 22_050)
    pcm.samples = [Int16](repeating: 8000, count: pcm.samples.count)
    return Speech(pcm: pcm, text: "", source: .clips)
  }
}
