import CPulse
import ESCPOS
import Glibc

/// A connection to a PulseAudio server (or PipeWire's stand-in) and its event loop. The only file that knows libpulse, and
/// longer than others for it: questions, the stream and the conversions of both are here.
///
/// Everything but ``wake()`` is called on the one thread that turns the loop; closures are called there, too.
final class PulseWire: @unchecked Sendable {
  // Confined to the thread of `PulseThread`, but for the writing to `bell`.
  private let loop: OpaquePointer
  // An eventfd in the loop; `pa_mainloop_wakeup` is forgotten when it comes just before `pa_mainloop_prepare`.
  private let bell: Int32
  private let context: OpaquePointer
  private var calls: [Int: PulseCall] = [:]
  private var nextCall = 0
  private var stream: PulseStream?
  private var whenReady: ((SoundError?) -> Void)?

  /// Sets the connection up; nil when memory is short.
  init?(server: String?) {
    guard let loop = pa_mainloop_new() else { return nil }
    let properties = pa_proplist_new()
    defer { if let properties { pa_proplist_free(properties) } }
    pa_proplist_sets(properties, "application.name", "printd")
    pa_proplist_sets(properties, "application.id", "printd")
    guard let context = pa_context_new_with_proplist(pa_mainloop_get_api(loop), "printd", properties) else {
      pa_mainloop_free(loop)
      return nil
    }
    let bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard bell >= 0, let api = pa_mainloop_get_api(loop),
      api.pointee.io_new(api, bell, PA_IO_EVENT_INPUT, bellCallback, nil) != nil
    else {
      if bell >= 0 { Glibc.close(bell) }
      pa_context_unref(context)
      pa_mainloop_free(loop)
      return nil
    }
    self.loop = loop
    self.context = context
    self.bell = bell
    pa_context_set_state_callback(context, stateCallback, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Frees everything; nobody may turn the loop any more.
  func close() {
    endSound()
    whenReady = nil
    pa_context_set_state_callback(context, nil, nil)
    for call in calls.values { call.cancel() }
    calls = [:]
    pa_context_disconnect(context)
    pa_context_unref(context)
    pa_mainloop_free(loop)
    Glibc.close(bell)
  }

  /// Makes the loop look around; from any thread, while the wire is open.
  func wake() { eventfd_write(bell, 1) }

  /// Turns the loop once: waits for an event, a ``wake()``, or `limit`.
  func turn(waiting limit: Duration?) {
    let microseconds = limit.map { Int32(clamping: max(0, $0.wholeNanoseconds / 1000) + 1) } ?? -1
    pa_mainloop_prepare(loop, microseconds)
    pa_mainloop_poll(loop)
    pa_mainloop_dispatch(loop)
  }

  /// Connects; `then` gets nil when the server has taken the connection. A server is never started for it.
  func connect(to server: String?, then: @escaping (SoundError?) -> Void) {
    whenReady = then
    if pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) < 0 { stateChanged() }
  }

  fileprivate func stateChanged() {
    switch pa_context_get_state(context) {
    case PA_CONTEXT_READY:
      whenReady?(nil)
      whenReady = nil
    case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
      let reason = PulseWire.text(pa_context_errno(context))
      whenReady?(SoundError(.unavailable, "no sound server answers: \(reason)"))
      whenReady = nil
      let lost = SoundError(.lost, "the sound server is gone: \(reason)")
      let ended = calls.values
      calls = [:]
      for call in ended {
        call.cancel()
        call.end(.failure(lost))
      }
      stream?.fail(lost)
    default:
      break
    }
  }

  /// Asks; `then` gets every item of the answer at once, or the reason why there is none.
  func ask(_ question: PulseQuestion, then: @escaping (Result<[PulseFact], SoundError>) -> Void) {
    let number = nextCall
    nextCall += 1
    let call = PulseCall { [weak self] result in
      self?.calls[number] = nil
      then(result)
    }
    calls[number] = call
    call.operation = start(question, Unmanaged.passUnretained(call).toOpaque())
    if call.operation == nil { call.end(.failure(fault(pa_context_errno(context)))) }
  }

  private func start(_ question: PulseQuestion, _ call: UnsafeMutableRawPointer) -> OpaquePointer? {
    switch question {
    case .server: return pa_context_get_server_info(context, serverCallback, call)
    case .sink(let name): return pa_context_get_sink_info_by_name(context, name, sinkCallback, call)
    case .sounds: return pa_context_get_sink_input_info_list(context, soundCallback, call)
    case .sound(let index): return pa_context_get_sink_input_info(context, index, soundCallback, call)
    case .modules: return pa_context_get_module_info_list(context, moduleCallback, call)
    case .memories: return pa_ext_stream_restore_read(context, memoryCallback, call)
    case .setSinkVolume(let name, let volume):
      var steps = pa_cvolume(volume)
      return pa_context_set_sink_volume_by_name(context, name, &steps, successCallback, call)
    case .setSinkMute(let name, let isMuted):
      return pa_context_set_sink_mute_by_name(context, name, isMuted ? 1 : 0, successCallback, call)
    case .setSoundVolume(let index, let volume):
      var steps = pa_cvolume(volume)
      return pa_context_set_sink_input_volume(context, index, &steps, successCallback, call)
    case .remember(let memory, let volume):
      return memory.name.withCString { name in
        func write(_ device: UnsafePointer<CChar>?) -> OpaquePointer? {
          var entry = pa_ext_stream_restore_info(
            name: name, channel_map: pa_channel_map(memory.channels), volume: pa_cvolume(volume),
            device: device,
            mute: memory.isMuted ? 1 : 0)
          return pa_ext_stream_restore_write(context, PA_UPDATE_REPLACE, &entry, 1, 1, successCallback, call)
        }
        return memory.device.map { $0.withCString(write) } ?? write(nil)
      }
    }
  }

  // MARK: The sound

  /// Makes a stream for a sound; ``feed()`` starts it. One at a time.
  func begin(_ sound: PulseSound, _ tell: @escaping (PulseEvent) -> Void) {
    endSound()
    guard let stream = PulseStream(sound, context, tell) else {
      return tell(.failed(fault(pa_context_errno(context))))
    }
    self.stream = stream
    stream.connect()
  }

  /// Gives the stream as many samples as the server wants, now and whenever it wants more.
  func feed() { stream?.feed() }

  /// Ends the sound at once, if one is there.
  func endSound() {
    stream?.close()
    stream = nil
  }

  fileprivate func fault(_ code: Int32) -> SoundError { PulseWire.fault(code) }

  fileprivate static func fault(_ code: Int32) -> SoundError {
    let missing = code == Int32(PA_ERR_NOENTITY.rawValue)
    return SoundError(missing ? .unavailable : .failed, "the sound server says: \(text(code))")
  }

  fileprivate static func text(_ code: Int32) -> String {
    pa_strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

private let bellCallback: pa_io_event_cb_t = { _, _, bell, _, _ in
  var count = eventfd_t()
  eventfd_read(bell, &count)
}

private let stateCallback: pa_context_notify_cb_t = { _, wire in
  if let wire { Unmanaged<PulseWire>.fromOpaque(wire).takeUnretainedValue().stateChanged() }
}

/// One question on its way. Held by the wire until its end, which comes once.
private final class PulseCall {
  var operation: OpaquePointer?
  private var facts: [PulseFact] = []
  private var tell: ((Result<[PulseFact], SoundError>) -> Void)?

  init(_ tell: @escaping (Result<[PulseFact], SoundError>) -> Void) { self.tell = tell }

  deinit { if let operation { pa_operation_unref(operation) } }

  /// The callback is not called any more.
  func cancel() { if let operation { pa_operation_cancel(operation) } }

  func end(_ result: Result<[PulseFact], SoundError>) {
    let tell = self.tell
    self.tell = nil
    tell?(result)
  }

  /// Takes an item, or the end of a list: `end` is 0 before it, positive at it, negative for an error.
  static func take(
    _ call: UnsafeMutableRawPointer?, _ context: OpaquePointer?, _ end: Int32, _ fact: () -> PulseFact?
  ) {
    guard let call else { return }
    let this = Unmanaged<PulseCall>.fromOpaque(call).takeUnretainedValue()
    // A server that lists without end is not listened to for ever.
    if end == 0, this.facts.count < 4096, let fact = fact() { this.facts.append(fact) }
    if end > 0 { this.end(.success(this.facts)) }
    if end < 0 { this.end(.failure(PulseWire.fault(context.map { pa_context_errno($0) } ?? 0))) }
  }
}

private let successCallback: pa_context_success_cb_t = { context, success, call in
  PulseCall.take(call, context, success != 0 ? 1 : -1) { nil }
}

private let serverCallback: pa_server_info_cb_t = { context, info, call in
  PulseCall.take(call, context, 0) {
    (info?.pointee).map {
      .server(name: string($0.server_name) ?? "", defaultSink: string($0.default_sink_name))
    }
  }
  PulseCall.take(call, context, info == nil ? -1 : 1) { nil }
}

private let sinkCallback: pa_sink_info_cb_t = { context, info, end, call in
  PulseCall.take(call, context, end) {
    guard let sink = info?.pointee else { return nil }
    var properties: [String: String] = [:]
    for key in ["device.class", "device.bus", "device.api", "factory.name"] {
      properties[key] = string(pa_proplist_gets(sink.proplist, key))
    }
    return .sink(
      PulseSink(
        index: sink.index, name: string(sink.name) ?? "", description: string(sink.description) ?? "",
        isMuted: sink.mute != 0, volume: ChannelVolume(sink.volume), channels: places(sink.channel_map),
        flags: sink.flags.rawValue, properties: properties))
  }
}

private let soundCallback: pa_sink_input_info_cb_t = { context, info, end, call in
  PulseCall.take(call, context, end) {
    guard let sound = info?.pointee else { return nil }
    let name = string(pa_proplist_gets(sound.proplist, "application.name")) ?? string(sound.name) ?? ""
    let canSet = sound.has_volume != 0 && sound.volume_writable != 0
    let other = OtherSound(
      index: sound.index, sink: sound.sink, name: name,
      memory: string(pa_proplist_gets(sound.proplist, "module-stream-restore.id")),
      volume: canSet ? ChannelVolume(sound.volume) : nil)
    return .sound(other, isMuted: sound.mute != 0)
  }
}

private let moduleCallback: pa_module_info_cb_t = { context, info, end, call in
  PulseCall.take(call, context, end) {
    (info?.pointee).map { .module(name: string($0.name) ?? "", argument: string($0.argument) ?? "") }
  }
}

private let memoryCallback: pa_ext_stream_restore_read_cb_t = { context, info, end, call in
  PulseCall.take(call, context, end) {
    guard let entry = info?.pointee, let name = string(entry.name) else { return nil }
    return .memory(
      PulseMemory(
        name: name, channels: places(entry.channel_map), volume: ChannelVolume(entry.volume),
        device: string(entry.device), isMuted: entry.mute != 0))
  }
}

/// A stream and the sound that goes through it. Lives on the wire's thread.
private final class PulseStream {
  private static let bufferTime = 0.2
  private let stream: OpaquePointer
  private let sound: PulseSound
  private let tell: (PulseEvent) -> Void
  private var offset = 0
  private var isFed = false
  private var draining: OpaquePointer?

  init?(_ sound: PulseSound, _ context: OpaquePointer, _ tell: @escaping (PulseEvent) -> Void) {
    var form = pa_sample_spec(
      format: PA_SAMPLE_S16LE, rate: sound.rate, channels: UInt8(sound.channels.count))
    var map = pa_channel_map(sound.channels)
    let properties = pa_proplist_new()
    defer { if let properties { pa_proplist_free(properties) } }
    pa_proplist_sets(properties, "media.role", "announce")
    // PipeWire's session manager would otherwise bring back what somebody set for another stream.
    pa_proplist_sets(properties, "state.restore-props", "false")
    guard let stream = pa_stream_new_with_proplist(context, "announcement", &form, &map, properties) else {
      return nil
    }
    self.stream = stream
    self.sound = sound
    self.tell = tell
  }

  func connect() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    pa_stream_set_state_callback(stream, streamStateCallback, this)
    pa_stream_set_write_callback(stream, writeCallback, this)
    pa_stream_set_underflow_callback(stream, gapCallback, this)
    pa_stream_set_moved_callback(stream, movedCallback, this)
    let second = Int(sound.rate) * sound.channels.count * 2
    var buffer = pa_buffer_attr(
      maxlength: .max, tlength: UInt32(Double(second) * Self.bufferTime), prebuf: .max, minreq: .max,
      fragsize: .max)
    var volume = pa_cvolume(sound.volume)
    var flags = PA_STREAM_ADJUST_LATENCY.rawValue
    if sound.startsUnmuted { flags |= PA_STREAM_START_UNMUTED.rawValue }
    if pa_stream_connect_playback(
      stream, sound.sink, &buffer, pa_stream_flags_t(rawValue: flags), &volume, nil) < 0
    {
      stateChanged()
    }
  }

  func close() {
    pa_stream_set_state_callback(stream, nil, nil)
    pa_stream_set_write_callback(stream, nil, nil)
    pa_stream_set_underflow_callback(stream, nil, nil)
    pa_stream_set_moved_callback(stream, nil, nil)
    if let draining {
      pa_operation_cancel(draining)
      pa_operation_unref(draining)
    }
    pa_stream_disconnect(stream)
    pa_stream_unref(stream)
  }

  func fail(_ error: SoundError) { tell(.failed(error)) }
  func gap() { if isFed && offset < sound.bytes.count { tell(.gap) } }
  func drained() { tell(.drained) }

  func stateChanged() {
    switch pa_stream_get_state(stream) {
    case PA_STREAM_READY: tell(.created(index: pa_stream_get_index(stream)))
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
      let code = pa_stream_get_context(stream).map { pa_context_errno($0) } ?? 0
      let error = PulseWire.fault(code)
      let isLost = code == Int32(PA_ERR_KILLED.rawValue) || offset > 0
      fail(isLost ? SoundError(.lost, "the speaker was taken away: \(PulseWire.text(code))") : error)
    default: break
    }
  }

  func moved() { tell(.moved(sink: string(pa_stream_get_device_name(stream)) ?? "")) }

  func feed() {
    isFed = true
    wanted()
  }

  func wanted() {
    guard isFed, draining == nil else { return }
    let room = pa_stream_writable_size(stream)
    guard room != .max else { return }
    // The server asks for a fifth of a second and takes far more. It gets all that it has room for, so that no gap comes
    // of this process being slow.
    let capacity =
      offset == 0 ? pa_stream_get_buffer_attr(stream).map { Int($0.pointee.maxlength) / 2 } ?? 0 : 0
    let frame = 2 * sound.channels.count
    let count = min(max(room, capacity) / frame * frame, sound.bytes.count - offset)
    if count > 0 {
      let failed = sound.bytes.withUnsafeBytes { bytes in
        pa_stream_write(stream, bytes.baseAddress?.advanced(by: offset), count, nil, 0, PA_SEEK_RELATIVE) < 0
      }
      if failed { return stateChanged() }
      offset += count
    }
    guard offset == sound.bytes.count else { return }
    draining = pa_stream_drain(stream, drainCallback, Unmanaged.passUnretained(self).toOpaque())
    if draining == nil { stateChanged() }
  }
}

private func stream(_ context: UnsafeMutableRawPointer?) -> PulseStream? {
  context.map { Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
}

private let streamStateCallback: pa_stream_notify_cb_t = { stream($1)?.stateChanged() }
private let writeCallback: pa_stream_request_cb_t = { stream($2)?.wanted() }
private let gapCallback: pa_stream_notify_cb_t = { stream($1)?.gap() }
private let movedCallback: pa_stream_notify_cb_t = { stream($1)?.moved() }
private let drainCallback: pa_stream_success_cb_t = { _, success, context in
  if success != 0 { stream(context)?.drained() } else { stream(context)?.stateChanged() }
}

private func string(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }

private func places(_ map: pa_channel_map) -> [Int32] {
  withUnsafeBytes(of: map.map) { $0.bindMemory(to: Int32.self).prefix(Int(min(map.channels, 32))).map { $0 } }
}

extension ChannelVolume {
  fileprivate init(_ volume: pa_cvolume) {
    self.init(
      steps: withUnsafeBytes(of: volume.values) {
        $0.bindMemory(to: UInt32.self).prefix(Int(min(volume.channels, 32))).map { $0 }
      })
  }
}

extension pa_cvolume {
  fileprivate init(_ volume: ChannelVolume) {
    self.init()
    channels = UInt8(min(volume.steps.count, 32))
    withUnsafeMutableBytes(of: &values) { values in
      for (index, step) in volume.steps.prefix(32).enumerated() {
        values.storeBytes(of: step, toByteOffset: 4 * index, as: UInt32.self)
      }
    }
  }
}

extension pa_channel_map {
  fileprivate init(_ places: [Int32]) {
    self.init()
    channels = UInt8(min(places.count, 32))
    withUnsafeMutableBytes(of: &map) { map in
      for (index, place) in places.prefix(32).enumerated() {
        map.storeBytes(of: place, toByteOffset: 4 * index, as: Int32.self)
      }
    }
  }
}
