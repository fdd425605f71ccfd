import ESCPOS

extension PrinterLane {
  /// More than any printer says of itself between two jobs, in bytes.
  private static let mostIdleTalk = 65_536

  /// Reads the open link while nobody talks over it, so that one that goes is closed then, and the next job opens a
  /// fresh one instead of giving its first bytes to a dead one.
  func watchIdleLink() {
    guard idleWatch == nil, let link, link.hasBackChannel else { return }
    idleWatch = Task { [weak self] in
      var heard = 0
      while heard <= Self.mostIdleTalk {
        do throws(LinkError) {
          // What it says by itself now (automatic status) is asked for again at the next gate.
          heard += try await link.receive(by: BootInstant(nanoseconds: .max)).count
        } catch {
          if error.code == .deadline { continue }
          if error.code != .cancelled { await self?.idleLinkWent(link, error) }
          return
        }
      }
      await self?.idleLinkWent(link, LinkError(.lost, "the printer does not cease to talk"))
    }
  }

  /// Leaves the link to a conversation, which reads it itself.
  func unwatchIdleLink() async {
    let watch = idleWatch
    idleWatch = nil
    watch?.cancel()
    await watch?.value
  }

  private func idleLinkWent(_ gone: any PrinterLink, _ error: LinkError) {
    guard idleWatch?.isCancelled == false, gone === link else { return }
    isLinkGone = true
    floor.ports.note(HandlerEvent(.notice, "the idle link is gone: \(error.message)", printer: name))
    // Where the printer was not ready it has been switched off perhaps, for a refill, and is looked out for from now on.
    if retryAt != nil { retryWithoutLink() }
    bell.ring()
  }
}
