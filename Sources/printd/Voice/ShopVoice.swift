import Announcer
import BLETransport
import ESCPOS
import PrintJobs
import Sound
import Synchronization
import WakeHandler
import Threads

/// The daemon's voice: wakes in, sound out.
final class ShopVoice: AnnouncerPort, Sendable {
  private let announcer: Announcer
  private let clock: any BootTimeClock

  /// Begins to load the clips; nothing is played yet.
  ///
  /// - Parameter scans: Those of commands, which rest while it speaks as the daemon's own do.
  init(_ plan: VoicePlan, clock: any BootTimeClock, besides scans: ScanTurns) {
    self.clock = clock
    var options = plan.options(keepsLeases: true)
    options.holdScans = {
      let patience = clock.now.advanced(by: ScanTurns.patience)
      async let silence = scans.speak()
      let hold = await Bluetooth.bluez.holdScans(by: clock.now.advanced(by: .seconds(2)))
      let end = await silence
      // Those of other programs, which cannot be asked to rest, may end by themselves.
      await Bluetooth.bluez.scansHaveEnded(by: patience)
      return {
        hold.release()
        end()
      }
    }
    let screen = plan.voice.screen.map { screen in
      ScreenLine(screen) { Log.warning("screen", ["reason": $0.message]) }
    }
    let phrasebook = plan.phrasebook
    announcer = Announcer(
      options: options, speaker: LoadingSpeaker(plan), output: plan.output, clock: clock
    ) { record in
      ShopVoice.note(record)
      // After the voice: a banner has a sound of its own on many screens.
      if let screen, let text = ScreenText(record, phrasebook) { screen.show(text) }
    }
  }

  /// Undoes what a crash in the middle of an announcement has left.
  func start() async {
    do throws(SoundError) {
      try await announcer.recover(by: clock.now.advanced(by: .seconds(5)))
    } catch {
      Log.warning("voice", ["reason": error.message])
    }
  }

  /// Says what a wake tells of a payment.
  func announce(
    _ wake: Wake, payment: PaymentKey?, knownSince: BootInstant, by deadline: BootInstant
  ) async -> VoiceEnd {
    guard let announcement = Announcement(wake, payment, receivedAt: knownSince) else { return .silent }
    return await announcer.announceToItsEnd(announcement, askedBy: deadline)
  }

  /// Says what a command asks for; a command waits longer than a wake.
  ///
  /// - Throws: ``DocumentFault`` for an amount that is none, or zero.
  func announce(_ message: AnnouncementMessage) async throws(DocumentFault) -> AnnouncementRecord {
    let announcement = try message.announcement(receivedAt: clock.now)
    return await announcer.record(of: announcement, by: clock.now.advanced(by: .seconds(30)))
  }

  /// Lets the announcement that sounds come to its end, if it does by the deadline.
  func stop(by deadline: BootInstant) async { await announcer.close(by: deadline) }

  /// The log has no amounts, and so no words.
  private static func note(_ record: AnnouncementRecord) {
    var fields: [(String, Any)] = [("end", record.end.word)]
    if let reason = record.end.reason { fields.append(("reason", reason)) }
    if let source = record.source { fields.append(("source", source.rawValue)) }
    if let shortfall = record.shortfall { fields.append(("shortfall", shortfall)) }
    if let sink = record.sink { fields.append(("sink", sink)) }
    if let volume = record.volume { fields.append(("volume", "\(Int((volume * 100).rounded()))%")) }
    if record.wasMuted { fields.append(("muted", true)) }
    if let raised = record.raisedTo { fields.append(("raised_to", "\(Int((raised * 100).rounded()))%")) }
    fields.append(("duration", record.duration.milliseconds))
    fields.append(("waited", record.waited.milliseconds))
    if record.isLate { fields.append(("late", true)) }
    for remark in record.remarks { fields.append(("remark", remark)) }
    switch record.end {
    case .failed, .noDevice: Log.warning("announcement", fields)
    case .played, .muted, .expired, .silent: Log.info("announcement", fields)
    }
  }
}

/// A speaker whose clips are being loaded; whoever comes earlier waits for them.
private struct LoadingSpeaker: Speaker {
  private let loading: Task<ShopSpeaker, Never>
  private let prepared = Prepared()

  init(_ plan: VoicePlan) {
    let loading = Task.detached {
      // Some hundred small files: away from the threads of tasks.
      let (speaker, lacks) = await WorkThreads.files.run {
        let (speaker, lacks) = plan.speaker(keepsAnswers: true)
        return (speaker, lacks + [plan.readyGroup()].compactMap(\.self))
      }
      for lack in lacks { Log.warning("voice", ["reason": lack]) }
      return speaker
    }
    self.loading = loading
    Task.detached { [prepared] in
      // Nobody waits for it: a synthesiser that hangs would silence the clips and the chime, too.
      var speaker = await loading.value
      await speaker.prepare(by: BootClock().now.advanced(by: .seconds(10)))
      prepared.set(speaker)
    }
  }

  func speech(for announcement: Announcement, by deadline: BootInstant) async -> Speech {
    if let speaker = prepared.speaker { return await speaker.speech(for: announcement, by: deadline) }
    return await loading.value.speech(for: announcement, by: deadline)
  }

  /// The speaker with its fixed phrases, once it has them.
  private final class Prepared: Sendable {
    private let state = Mutex<ShopSpeaker?>(nil)
    var speaker: ShopSpeaker? { state.withLock { $0 } }
    func set(_ speaker: ShopSpeaker) { state.withLock { $0 = speaker } }
  }
}

extension Configuration {
  /// The voice, where one is configured and switched on.
  ///
  /// - Throws: ``Failure`` for a language that cannot be spoken.
  func shopVoice(clock: any BootTimeClock, besides scans: ScanTurns) throws(Failure) -> ShopVoice? {
    guard let voice, voice.isEnabled else { return nil }
    return ShopVoice(try VoicePlan(voice, self), clock: clock, besides: scans)
  }
}

extension Announcement {
  /// What a wake tells of a payment; nil for one that is about something else.
  ///
  /// Its id is the key that the journal knows it by. A wake that nothing tells from another is always new. The first payment
  /// of an order leaves its file under the order's id.
  init?(_ wake: Wake, _ payment: PaymentKey?, receivedAt: BootInstant) {
    guard wake.isPayment else { return nil }
    let id = payment?.text ?? "wake-\(UInt64.random(in: 0 ... .max))"
    let isFirst = payment != nil && payment == wake.orderID.map { PaymentKey(orderID: $0) }
    self.init(
      id: id, fileID: isFirst ? wake.orderID : nil, payType: wake.payType, amount: wake.amount,
      orderAmount: wake.orderAmount,
      text: [wake.contents, wake.alert?.body, wake.alert?.title].compactMap(\.self).first {
        !$0.allSatisfy(\.isWhitespace)
      }, soundName: wake.sound,
      receivedAt: receivedAt,
      isRefund: wake.isRefund, title: wake.alert?.title, body: wake.alert?.body)
  }
}

extension Duration {
  /// `1540ms`.
  fileprivate var milliseconds: String {
    "\(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)ms"
  }
}
