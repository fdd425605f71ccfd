import ESCPOS

/// A printer is held for one link at a time, from before its opening until it is closed, or lost with its connection.
///
/// No two entries of a configuration may have one address, but a reload may give a printer another name or another bearer
/// while a receipt of the old entry is in hand. The new one's link waits for the end of the old one's: bytes of two receipts
/// must not mix, and the end of one link must not end another's connection.
extension BlueZ {
  /// Holds a printer for a link; waits until nobody else in this process does. ``release(_:of:)`` must follow.
  ///
  /// - Returns: The number that the link is to have.
  /// - Throws: ``LinkError``: `.busy` when the other link has lasted until `deadline`, `.cancelled`.
  func hold(_ printer: BluetoothPrinter, by deadline: BootInstant) async throws(LinkError) -> Int {
    nextID += 1
    let number = nextID
    let address = printer.address
    holders[address, default: []].append(number)
    bell.ring()
    do throws(LinkError) {
      guard try await wait(by: deadline, until: { $0.holders[address]?.first == number }) else {
        throw LinkError(
          .busy, "\(printer.title) was in use all the time by a link that was opened before its entry changed"
        )
      }
    } catch {
      release(number, of: address)
      throw error
    }
    // What was left behind is about to be used; it is looked at again when the printer is released.
    leftovers.due[address] = nil
    return number
  }

  /// Lets the next link to the printer be opened; a second call does nothing.
  func release(_ number: Int, of address: BluetoothAddress) {
    guard let place = holders[address]?.firstIndex(of: number) else { return }
    holders[address]?.remove(at: place)
    if holders[address]?.isEmpty == true { holders[address] = nil }
    if place == 0 { lookAfterHold(address) }
    bell.ring()
  }

  /// Whether a link to the printer is open or is being opened.
  func isHeld(_ address: BluetoothAddress) -> Bool { holders[address] != nil }
}
