import Documents
import FoundationEssentials
import Glibc
import Sound
import Threads

/// What printd has changed of other people's volumes, and how to change it back.
struct MixerLease: Codable, Equatable {
  /// A change of a speaker.
  struct SinkChange: Codable, Equatable {
    var name: String
    var original: ChannelVolume?
    var raised: ChannelVolume?
    /// Whether its mute was taken off.
    var wasMuted: Bool
  }

  /// A change of another program's sound.
  struct SoundChange: Codable, Equatable {
    var index: UInt32
    var name: String
    var memory: String?
    var original: ChannelVolume
    var lowered: ChannelVolume
  }

  var sinks: [SinkChange] = []
  var sounds: [SoundChange] = []

  var isEmpty: Bool { sinks.isEmpty && sounds.isEmpty }
}

/// The file in the state directory that outlives a crash while something is changed.
///
/// It is there only as long as a change is. One process at a time may use it.
struct LeaseFile: Sendable {
  let folder: String

  private static let name = "volume-lease.json"

  private var path: String { "\(folder)/\(Self.name)" }

  /// Writes the lease so that it is on the disk when this returns; an empty one removes the file.
  func write(_ lease: MixerLease) async throws(SoundError) {
    let (path, folder) = (self.path, self.folder)
    let result = await WorkThreads.speech.run { () -> Result<Void, SoundError> in
      do throws(SoundError) {
        if lease.isEmpty {
          if unlink(path) != 0, errno != ENOENT { throw SoundError(.file, "\(path): cannot be removed") }
        } else {
          let encoder = JSONEncoder()
          encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
          guard let bytes = try? encoder.encode(lease) else {
            throw SoundError(.file, "\(path): cannot be written")
          }
          // A shop without a set of its own has no such folder yet.
          try SoundFiles.makeFolder(folder)
          try SoundFiles.write(Array(bytes), to: path)
        }
        try Self.sync(folder)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// The lease of a process that ended before it could undo it; nil when there is none.
  ///
  /// - Throws: ``SoundError`` (`file`); a file that is no lease is renamed, so that it is in nobody's way.
  func read() async throws(SoundError) -> MixerLease? {
    let (path, folder) = (self.path, self.folder)
    let result = await WorkThreads.speech.run { () -> Result<MixerLease?, SoundError> in
      do throws(SoundError) {
        SoundFiles.removeHalves(of: Self.name, in: folder)
        guard let name = SoundName(Self.name),
          let bytes = try SoundFiles.bytes(name, in: folder, limit: 1 << 20)
        else { return .success(nil) }
        do {
          return .success(try DocumentReader.read(MixerLease.self, from: bytes))
        } catch {
          rename(path, "\(path).bad")
          return .failure(SoundError(.file, "\(path): not a lease (\(error)); renamed to \(path).bad"))
        }
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func sync(_ folder: String) throws(SoundError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SoundError(.file, "\(folder): cannot be opened") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SoundError(.file, "\(folder): cannot be synced") }
  }
}
