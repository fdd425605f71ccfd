import ESCPOS
import PrinterLinks
import TextRaster

/// A printer spoken to by a command itself, while no daemon holds it.
struct DirectPrint {
  let name: String
  let profile: PrinterProfile
  let opener: any LinkOpener
  private let clock = BootClock()

  init(_ printer: Configuration.Printer, _ loaded: ConfigurationFile.Loaded, raster: PangoRaster)
    throws(Failure)
  {
    guard let profile = printer.profile(from: loaded.profiles) else {
      throw Failure(.configuration, "there is no profile \"\(printer.profile)\"")
    }
    self.name = printer.name
    self.profile = profile
    opener = try printer.opener(profile: profile, raster: raster, clock: BootClock())
  }

  /// What the printer says of itself, a line each; opens and closes the link.
  ///
  /// - Throws: ``LinkError`` when it cannot be reached.
  func ask(within limit: Duration) async throws(LinkError) -> (lines: [String], obstacle: String?) {
    let deadline = clock.now.advanced(by: limit)
    let link = try await opener.open(by: deadline)
    let conversation = PrinterConversation(link: link, profile: profile, clock: clock)
    do throws(LinkError) {
      let gate = try await conversation.gate(by: deadline)
      await conversation.end()
      await link.close()
      return (gate.lines, gate.obstacle)
    } catch {
      await conversation.end()
      await link.close()
      throw error
    }
  }

  /// Prints `bytes` and waits for the proof.
  ///
  /// - Throws: ``Failure`` with what stands in the way.
  func print(_ bytes: [UInt8], within limit: Duration) async throws(Failure) -> PrinterConversation.Fence {
    let deadline = clock.now.advanced(by: limit)
    do throws(LinkError) {
      let link = try await opener.open(by: deadline)
      let conversation = PrinterConversation(link: link, profile: profile, clock: clock)
      do throws(LinkError) {
        let gate = try await conversation.gate(by: deadline)
        if let obstacle = gate.obstacle {
          throw LinkError(.refused, obstacle)
        }
        try await conversation.send(bytes, by: deadline) {}
        let fence = try await conversation.fence(by: deadline)
        await conversation.end()
        await link.close()
        return fence
      } catch {
        await conversation.end()
        await link.close()
        throw error
      }
    } catch {
      throw Failure(.unavailable, "\(name): \(error.message)", remedy: "printd printers doctor")
    }
  }
}

extension PrinterConversation.Gate {
  /// What the answer means, a line each.
  var lines: [String] {
    switch self {
    case .ready(let status): ["status channel: answers", "status: \(status.text)"]
    case .notReady(let status): ["status channel: answers", "status: \(status.text)"]
    case .busy(let status): ["status channel: answers", "status: \(status.text)", "busy with an earlier job"]
    case .silent: ["status channel: silent, though the profile says that it answers"]
    case .unasked: ["status channel: none"]
    }
  }

  /// Why nothing can be printed now, or nil.
  var obstacle: String? {
    switch self {
    case .ready, .unasked: nil
    case .notReady(let status): status.obstacle ?? "not ready"
    case .busy: "the printer is busy with an earlier job, or its profile names a fence that it does not know"
    case .silent: "the printer does not answer; it is off, of another model, or holds half a job"
    }
  }
}

extension PrinterStatus {
  /// The status in words.
  var text: String {
    if let obstacle { return obstacle }
    switch paper {
    case .nearEnd: return "ready, paper low"
    case .present: return "ready, paper present"
    case .end, nil: return "ready"
    }
  }
}
