import CSndFile
import Glibc
import Synchronization

/// libsndfile over bytes in memory. The only file that knows the library.
enum SndFile {
  /// The library keeps the reason of the last failed open for the whole process.
  private static let turn = Mutex(())

  private static let encodings: Set<Int> = [
    SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32, SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE,
    SF_FORMAT_ULAW, SF_FORMAT_ALAW, SF_FORMAT_PCM_S8, SF_FORMAT_VORBIS, SF_FORMAT_OPUS,
    SF_FORMAT_MPEG_LAYER_III,
  ].reduce(into: []) { $0.insert(Int($1)) }

  /// The sound in `bytes`, of one channel.
  static func decode(
    _ bytes: [UInt8], _ container: AudioContainer, name: String, longest: Duration
  ) throws(SoundError) -> PCM {
    try turn.withLock { _ throws(SoundError) -> PCM in
      let source = MemoryFile(bytes)
      return try withExtendedLifetime(source) { () throws(SoundError) -> PCM in
        let context = Unmanaged.passUnretained(source).toOpaque()
        var io = virtualIO
        var form = SF_INFO()
        guard let file = sf_open_virtual(&io, Int32(SFM_READ), &form, context) else {
          throw SoundError(.content, "\(name): \(String(cString: sf_strerror(nil)))")
        }
        defer { sf_close(file) }
        return try read(file, form, container, name: name, longest: longest)
      }
    }
  }

  private static func read(
    _ file: OpaquePointer, _ form: SF_INFO, _ container: AudioContainer, name: String, longest: Duration
  ) throws(SoundError) -> PCM {
    func refusal(_ what: String) -> SoundError { SoundError(.content, "\(name): \(what)") }
    guard kinds(container).contains(Int(form.format) & Int(SF_FORMAT_TYPEMASK)),
      encodings.contains(Int(form.format) & Int(SF_FORMAT_SUBMASK))
    else { throw refusal("an encoding that is not taken; convert it to 16-bit WAV") }
    let rate = Int(form.samplerate)
    guard PCM.rates.contains(rate) else {
      throw refusal("\(rate) samples a second; expected \(PCM.rates.lowerBound) to \(PCM.rates.upperBound)")
    }
    let channels = Int(form.channels)
    guard (1...8).contains(channels) else { throw refusal("\(channels) channels; expected one to eight") }
    let limit = PCM(samples: [], rate: rate).count(of: longest)
    let tooLong = refusal("longer than \(longest.components.seconds) s")
    // MP3 may not know its length beforehand; the reading below counts for itself.
    guard form.frames <= limit || container == .mp3 else { throw tooLong }
    guard form.frames > 0 || container == .mp3 else { throw refusal("no sound in it") }
    var samples: [Int16] = []
    samples.reserveCapacity(min(limit, Int(clamping: form.frames)))
    var block = [Float](repeating: 0, count: 4096 * channels)
    while true {
      let count = Int(sf_readf_float(file, &block, 4096))
      guard count > 0 else { break }
      guard samples.count + count <= limit else { throw tooLong }
      for frame in 0..<min(count, 4096) {
        var sum: Float = 0
        for channel in 0..<channels { sum += block[frame * channels + channel] }
        let value = Double(sum) / Double(channels) * 32_768
        guard value.isFinite else { throw refusal("sample \(samples.count + 1) is not a number") }
        samples.append(Int16(clamping: value))
      }
    }
    guard sf_error(file) == 0 else {
      throw refusal("breaks off after \(samples.count) samples: \(String(cString: sf_strerror(file)))")
    }
    guard !samples.isEmpty else { throw refusal("no sound in it") }
    guard container == .mp3 || samples.count == Int(form.frames) else {
      throw refusal(
        "breaks off after \(samples.count) of \(form.frames) samples; copy it again from its source")
    }
    return PCM(samples: samples, rate: rate)
  }

  private static func kinds(_ container: AudioContainer) -> [Int] {
    switch container {
    case .wav: [Int(SF_FORMAT_WAV), Int(SF_FORMAT_WAVEX)]
    case .flac: [Int(SF_FORMAT_FLAC)]
    case .ogg: [Int(SF_FORMAT_OGG)]
    case .mp3: [Int(SF_FORMAT_MPEG)]
    }
  }
}

/// The bytes and the place in them. Used by the one call of ``SndFile/decode(_:_:name:longest:)`` that made it.
private final class MemoryFile {
  let bytes: [UInt8]
  var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Moves to a place in the file; stays where it is for one outside.
  func seek(_ distance: Int, _ origin: Int32) -> Int {
    let base = origin == SEEK_CUR ? offset : origin == SEEK_END ? bytes.count : 0
    let (place, overflow) = base.addingReportingOverflow(distance)
    guard !overflow, (0...bytes.count).contains(place) else { return -1 }
    offset = place
    return place
  }

  func read(into target: UnsafeMutableRawPointer, _ wanted: Int) -> Int {
    let count = max(0, min(wanted, bytes.count - offset))
    bytes.withUnsafeBytes { bytes in
      if count > 0, let base = bytes.baseAddress { target.copyMemory(from: base + offset, byteCount: count) }
    }
    offset += count
    return count
  }
}

private func memory(_ context: UnsafeMutableRawPointer?) -> MemoryFile? {
  context.map { Unmanaged<MemoryFile>.fromOpaque($0).takeUnretainedValue() }
}

private let virtualIO = SF_VIRTUAL_IO(
  get_filelen: { sf_count_t(memory($0)?.bytes.count ?? 0) },
  seek: { distance, origin, context in sf_count_t(memory(context)?.seek(Int(distance), origin) ?? -1) },
  read: { target, count, context in
    guard let target else { return 0 }
    return sf_count_t(memory(context)?.read(into: target, Int(count)) ?? 0)
  },
  write: { _, _, _ in 0 },
  tell: { sf_count_t(memory($0)?.offset ?? 0) })
