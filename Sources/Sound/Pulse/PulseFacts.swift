/// What is asked of a PulseAudio server, or of PipeWire in its place.
enum PulseQuestion: Sendable {
  case server
  case sink(name: String)
  case sounds
  case sound(index: UInt32)
  case modules
  case memories
  case setSinkVolume(name: String, ChannelVolume)
  case setSinkMute(name: String, Bool)
  case setSoundVolume(index: UInt32, ChannelVolume)
  case remember(PulseMemory, ChannelVolume)
}

/// One item of an answer.
enum PulseFact: Sendable {
  case server(name: String, defaultSink: String?)
  case sink(PulseSink)
  case sound(OtherSound, isMuted: Bool)
  case module(name: String, argument: String)
  case memory(PulseMemory)
}

/// A sink, in the server's words.
struct PulseSink: Sendable {
  var index: UInt32
  var name: String
  var description: String
  var isMuted: Bool
  var volume: ChannelVolume
  var channels: [Int32]
  var flags: UInt32
  var properties: [String: String]
}

/// What the server remembers for the next stream of a program.
struct PulseMemory: Sendable {
  var name: String
  var channels: [Int32]
  var volume: ChannelVolume
  var device: String?
  var isMuted: Bool
}

/// A sound that is to be played, in the form that the server gets it in.
struct PulseSound: Sendable {
  var bytes: [UInt8]
  var rate: UInt32
  var channels: [Int32]
  var volume: ChannelVolume
  var sink: String
  var startsUnmuted: Bool
}

/// What happened to a sound.
enum PulseEvent: Sendable {
  /// The server has made its stream, with this number; ``PulseWire/feed()`` begins to play.
  case created(index: UInt32)
  /// A gap, because samples came late.
  case gap
  /// The server moved it to another sink.
  case moved(sink: String)
  /// The last sample has been played.
  case drained
  /// It cannot go on.
  case failed(SoundError)
}
