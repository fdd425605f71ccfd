import Announcer
import ESCPOS
import Glibc
import PrintJobs
import Sound

/// The program that the announcer's tests kill in the middle of a phrase, or run where the environment names the card.
///
///     AnnouncerVictim pulse SERVER STATE-DIRECTORY
///     AnnouncerVictim alsa DEVICE STATE-DIRECTORY
///     AnnouncerVictim alsa-stop DEVICE STATE-DIRECTORY
///
/// The first says half a minute on the speaker `spk`, raised to 70 %, with other sound lowered. The second says half a second,
/// raised to 70 %, and writes how that ended. The third says half a minute on a card, and stops in the middle of it.
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
    let isALSA = arguments[1] != "pulse"
    let output: any SoundOutput =
      isALSA ? ALSAOutput(device: arguments[2]) : PulseOutput(server: arguments[2], sink: "spk")
    let announcer = Announcer(
      options: options,
      speaker: LongSpeaker(duration: arguments[1] == "alsa" ? .milliseconds(500) : .seconds(30)),
      output: output,
      note: { print($0.end, $0.remarks, $0.raisedTo ?? 0) })
    let now = BootClock().now
    async let saying = announcer.announce(
      Announcement(id: "1", receivedAt: now), by: now.advanced(by: .seconds(60)))
    if arguments[1] == "alsa-stop" {
      // Written before the volume is raised and the sound begins.
      while access("\(arguments[3])/volume-lease.json", F_OK) != 0 {
        try? await BootClock().sleep(until: BootClock().now.advanced(by: .milliseconds(20)), tolerance: nil)
      }
      await announcer.close(by: BootClock().now.advanced(by: .milliseconds(500)))
    }
    let end = await saying
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
