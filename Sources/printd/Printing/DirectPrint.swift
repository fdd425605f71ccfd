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
    return try await converse(by: deadline) { (conversation) throws(LinkError) in
      let gate = try await conversation.gate(by: deadline)
      return (gate.lines, gate.obstacle)
    }
  }

  /// Asks the printer, and prints what is made of its answers; all over one link.
  ///
  /// - Parameters:
  ///   - patience: How long the printer may take to be reached and to answer.
  ///   - limit: How long the print may take after that.
  ///   - page: Makes the bytes of what the printer has said of itself, a line each.
  /// - Throws: ``Failure`` with what stands in the way; ``Failure/stopped`` when the task is cancelled, also in mid-page. The
  ///   link is closed then.
  func print(
    patience: Duration, within limit: Duration, _ page: (_ answers: [String]) throws(Failure) -> [UInt8]
  ) async throws(Failure) -> PrinterConversation.Fence {
    let asked = clock.now.advanced(by: patience)
    var fault: Failure?
    do throws(LinkError) {
      return try await converse(by: asked) { (conversation) throws(LinkError) in
        let gate = try await conversation.gate(by: asked)
        if let obstacle = gate.obstacle { throw LinkError(.refused, obstacle) }
        let deadline = clock.now.advanced(by: limit)
        let bytes: [UInt8]
        do throws(Failure) {
          bytes = try page(gate.lines)
        } catch {
          fault = error
          throw LinkError(.cancelled, error.message)
        }
        try await conversation.send(bytes, by: deadline) {}
        return try await conversation.fence(by: deadline)
      }
    } catch {
      if let fault { throw fault }
      try Interruption.check()
      throw Failure(.unavailable, "\(name): \(error.message)", remedy: "printd printers doctor")
    }
  }

  /// Opens the link, talks over it, and closes it.
  private func converse<Value: Sendable>(
    by deadline: BootInstant, _ talk: (PrinterConversation) async throws(LinkError) -> Value
  ) async throws(LinkError) -> Value {
    let link = try await opener.open(by: deadline)
    let conversation = PrinterConversation(link: link, profile: profile, clock: clock)
    let result: Result<Value, LinkError>
    do throws(LinkError) {
      result = .success(try await talk(conversation))
    } catch {
      result = .failure(error)
    }
    await conversation.end()
    await link.close()
    return try result.get()
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
