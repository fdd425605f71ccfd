import Announcer
import ESCPOS
import Sound

extension VoicePlan {
  /// Where it is heard.
  var output: any SoundOutput {
    switch voice.output {
    // No sound server knows a card's name.
    case .auto where namesCard: ALSAOutput(device: voice.device ?? "default")
    case .auto: FallbackOutput([PulseOutput(server: voice.server, sink: voice.device), ALSAOutput()])
    case .pulse: PulseOutput(server: voice.server, sink: voice.device)
    case .alsa: ALSAOutput(device: voice.device ?? "default")
    case .file: FileOutput(path: voice.device ?? "\(stateDirectory)/voice/last.wav")
    case .none: NullOutput()
    }
  }

  private var namesCard: Bool {
    ["hw:", "plughw:"].contains { voice.device?.hasPrefix($0) ?? false }
  }

  /// How it is played.
  ///
  /// - Parameter keepsLeases: Whether changes of the speaker's volume are written down, as only the daemon does: it undoes
  ///   at its start what a crash has left.
  func options(keepsLeases: Bool) -> AnnouncerOptions {
    var options = AnnouncerOptions()
    options.mute = voice.mute
    options.others = voice.others
    options.duckDecibels = voice.duckDecibels
    options.minimumVolume = Double(voice.minimumVolume) / 100
    options.maximumAge = .seconds(voice.maximumAgeSeconds)
    options.queueLimit = voice.queue
    options.preRoll = .milliseconds(voice.preRollMilliseconds)
    options.bluetoothPreRoll = .milliseconds(voice.bluetoothPreRollMilliseconds)
    if keepsLeases { options.stateDirectory = "\(stateDirectory)/voice" }
    if voice.sumsUp {
      let language = language
      options.summary = { MissedPayments.text($0, in: language) }
    }
    return options
  }
}
