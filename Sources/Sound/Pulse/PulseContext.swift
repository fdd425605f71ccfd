import CPulse
import ESCPOS
import Glibc

/// libpulse in words of Swift: its event loop, the connection to a server, questions and a stream. The only file that knows the
/// library, and longer than others for it; what is made of it is ``PulseWire``'s.
///
/// Everything but ``wake()`` is called on the one thread that turns the loop; closures are called there, too.
final class PulseContext: @unchecked Sendable {
  /// How far the connection is.
  enum State {
    case underway, ready
    case ended(reason: String)
  }

  // Confined to the thread of `PulseThread`, but for the writing to `bell`.
  private let loop: OpaquePointer
  // An eventfd in the loop; `pa_mainloop_wakeup` is forgotten when it comes just before `pa_mainloop_prepare`.
  private let bell: Int32
  private let context: OpaquePointer
  /// Called whenever ``state`` has changed.
  var stateChanged: (() -> Void)?

  /// Sets the connection up; nil when memory is short.
  init?() {
    guard let loop = pa_mainloop_new() else { return nil }
    let properties = properties(["application.name": "printd", "application.id": "printd"])
    defer { if let properties { pa_proplist_free(properties) } }
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
    pa_context_set_state_callback(context, nil, nil)
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

  /// Connects, without starting a server for it; false when that has failed at once.
  func connect(to server: String?) -> Bool {
    pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0
  }

  var state: State {
    switch pa_context_get_state(context) {
    case PA_CONTEXT_READY: .ready
    case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: .ended(reason: Self.text(pa_context_errno(context)))
    default: .underway
    }
  }

  /// What the library says went wrong last.
  var fault: SoundError { Self.fault(pa_context_errno(context)) }

  /// Sends a question, whose answer `call` takes; nil when it cannot be sent.
  func start(_ question: PulseQuestion, _ call: PulseCall) -> PulseOperation? {
    operation(question, Unmanaged.passUnretained(call).toOpaque()).map(PulseOperation.init)
  }

  /// A stream for a sound, not connected yet; nil when there can be none.
  func stream(_ sound: PulseSound, _ tell: @escaping (PulseEvent) -> Void) -> PulseStream? {
    PulseStream(sound, context, tell)
  }

  private func operation(_ question: PulseQuestion, _ call: UnsafeMutableRawPointer) -> OpaquePointer? {
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

  fileprivate static func fault(_ code: Int32) -> SoundError {
    let missing = code == Int32(PA_ERR_NOENTITY.rawValue)
    return SoundError(missing ? .unavailable : .failed, "the sound server says: \(text(code))")
  }

  fileprivate static func text(_ code: Int32) -> String {
    pa_strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

/// Something that the library does until it is done or cancelled.
final class PulseOperation {
  private let operation: OpaquePointer
  fileprivate init(_ operation: OpaquePointer) { self.operation = operation }
  deinit { pa_operation_unref(operation) }

  /// Its callback is not called any more.
  func cancel() { pa_operation_cancel(operation) }
}

private let bellCallback: pa_io_event_cb_t = { _, _, bell, _, _ in
  var count = eventfd_t()
  eventfd_read(bell, &count)
}

private let stateCallback: pa_context_notify_cb_t = { _, this in
  if let this { Unmanaged<PulseContext>.fromOpaque(this).takeUnretainedValue().stateChanged?() }
}

/// Gives a call what the library says.
private func take(
  _ call: UnsafeMutableRawPointer?, _ context: OpaquePointer?, _ end: Int32, _ fact: () -> PulseFact?
) {
  guard let call else { return }
  Unmanaged<PulseCall>.fromOpaque(call).takeUnretainedValue().take(
    end, fault: { PulseContext.fault(context.map { pa_context_errno($0) } ?? 0) }, fact)
}

private let successCallback: pa_context_success_cb_t = { context, success, call in
  take(call, context, success != 0 ? 1 : -1) { nil }
}

private let serverCallback: pa_server_info_cb_t = { context, info, call in
  take(call, context, 0) {
    (info?.pointee).map {
      .server(name: string($0.server_name) ?? "", defaultSink: string($0.default_sink_name))
    }
  }
  take(call, context, info == nil ? -1 : 1) { nil }
}

private let sinkCallback: pa_sink_info_cb_t = { context, info, end, call in
  take(call, context, end) {
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
  take(call, context, end) {
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
  take(call, context, end) {
    (info?.pointee).map { .module(name: string($0.name) ?? "", argument: string($0.argument) ?? "") }
  }
}

private let memoryCallback: pa_ext_stream_restore_read_cb_t = { context, info, end, call in
  take(call, context, end) {
    guard let entry = info?.pointee, let name = string(entry.name) else { return nil }
    return .memory(
      PulseMemory(
        name: name, channels: places(entry.channel_map), volume: ChannelVolume(entry.volume),
        device: string(entry.device), isMuted: entry.mute != 0))
  }
}

/// A stream and the sound that goes through it. Lives on the wire's thread.
final class PulseStream {
  private static let bufferTime = 0.2
  private let stream: OpaquePointer
  private let sound: PulseSound
  private let tell: (PulseEvent) -> Void
  private var progress: PulseFeed
  private var draining: PulseOperation?

  fileprivate init?(_ sound: PulseSound, _ context: OpaquePointer, _ tell: @escaping (PulseEvent) -> Void) {
    var form = pa_sample_spec(
      format: PA_SAMPLE_S16LE, rate: sound.rate, channels: UInt8(sound.channels.count))
    var map = pa_channel_map(sound.channels)
    // PipeWire's session manager would otherwise bring back what somebody set for another stream.
    let properties = properties(["media.role": "announce", "state.restore-props": "false"])
    defer { if let properties { pa_proplist_free(properties) } }
    guard let stream = pa_stream_new_with_proplist(context, "announcement", &form, &map, properties) else {
      return nil
    }
    self.stream = stream
    self.sound = sound
    self.tell = tell
    progress = PulseFeed(length: sound.bytes.count, frame: 2 * sound.channels.count)
  }

  /// Connects it; nothing is heard before ``feed()``.
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

  /// Ends it at once.
  func close() {
    pa_stream_set_state_callback(stream, nil, nil)
    pa_stream_set_write_callback(stream, nil, nil)
    pa_stream_set_underflow_callback(stream, nil, nil)
    pa_stream_set_moved_callback(stream, nil, nil)
    draining?.cancel()
    pa_stream_disconnect(stream)
    pa_stream_unref(stream)
  }

  /// It cannot go on.
  func fail(_ error: SoundError) { tell(.failed(error)) }
  fileprivate func gap() { if progress.hasGap { tell(.gap) } }
  fileprivate func drained() { tell(.drained) }

  fileprivate func stateChanged() {
    switch pa_stream_get_state(stream) {
    case PA_STREAM_READY: tell(.created(index: pa_stream_get_index(stream)))
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
      let code = pa_stream_get_context(stream).map { pa_context_errno($0) } ?? 0
      let error = PulseContext.fault(code)
      let isLost = code == Int32(PA_ERR_KILLED.rawValue) || progress.offset > 0
      fail(isLost ? SoundError(.lost, "the speaker was taken away: \(PulseContext.text(code))") : error)
    default: break
    }
  }

  fileprivate func moved() { tell(.moved(sink: string(pa_stream_get_device_name(stream)) ?? "")) }

  /// Gives the server as much as it wants, now and whenever it wants more.
  func feed() {
    progress.isOpen = true
    wanted()
  }

  fileprivate func wanted() {
    guard progress.isOpen, draining == nil else { return }
    let room = pa_stream_writable_size(stream)
    guard room != .max else { return }
    let capacity = pa_stream_get_buffer_attr(stream).map { Int($0.pointee.maxlength) } ?? 0
    let next = progress.next(room: room, capacity: capacity)
    if !next.isEmpty {
      let failed = sound.bytes[next].withUnsafeBytes {
        pa_stream_write(stream, $0.baseAddress, $0.count, nil, 0, PA_SEEK_RELATIVE) < 0
      }
      if failed { return stateChanged() }
      progress.took(next)
    }
    guard progress.isOver else { return }
    draining = pa_stream_drain(stream, drainCallback, Unmanaged.passUnretained(self).toOpaque())
      .map(PulseOperation.init)
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

/// Properties to be freed; nil when memory is short.
private func properties(_ values: [String: String]) -> OpaquePointer? {
  let list = pa_proplist_new()
  if let list { for (key, value) in values { pa_proplist_sets(list, key, value) } }
  return list
}

private func string(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }

private func places(_ map: pa_channel_map) -> [Int32] { CArray.elements(of: map.map, count: map.channels) }

extension ChannelVolume {
  fileprivate init(_ volume: pa_cvolume) {
    self.init(steps: CArray.elements(of: volume.values, count: volume.channels))
  }
}

extension pa_cvolume {
  fileprivate init(_ volume: ChannelVolume) {
    self.init()
    channels = CArray.fill(&values, with: volume.steps)
  }
}

extension pa_channel_map {
  fileprivate init(_ places: [Int32]) {
    self.init()
    channels = CArray.fill(&map, with: places)
  }
}
