import Announcer
import ESCPOS
import Glibc
import PrintJobs
import Sound

/// The program that the announcer's tests kill in the middle of a phrase: `announcer-victim SERVER STATE-DIRECTORY`.
///
/// It says half a minute on the speaker `spk`, raised to 70 %, with other sound lowered.
@main
struct Victim {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { exit(64) }
    var options = AnnouncerOptions()
    options.minimumVolume = 0.7
    options.others = .duck
    options.stateDirectory = arguments[2]
    let output = PulseOutput(server: arguments[1], sink: "spk")
    let announcer = Announcer(options: options, speaker: LongSpeaker(), output: output)
    let now = BootClock().now
    _ = await announcer.announce(
      Announcement(id: "1", receivedAt: now), by: now.advanced(by: .seconds(60)))
  }
}

struct LongSpeaker: Speaker {
  func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech {
    Speech(
      pcm: PCM(samples: [Int16](repeating: 8000, count: 30 * 22_050), rate: 22_050), text: "", source: .clips)
  }
}
