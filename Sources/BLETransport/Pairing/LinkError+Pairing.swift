public import ESCPOS

extension LinkError {
  /// Whether what is missing is a pairing: there is none, the printer has forgotten it, or bluetoothd has.
  ///
  /// It is told by the words of ``BlueZFault/linkError(_:_:)`` and of ``GATTLink``, since the code `.refused` has other
  /// causes, too.
  public var asksForPairing: Bool { code == .refused && message.contains("pairing (") }

  /// Whether bluetoothd has taken the Classic radio of a printer that has both (`br-connection-…`, BlueZ `src/error.h`),
  /// which it does on its own account, when GATT was wanted.
  public var tellsOfClassic: Bool {
    message.contains("br-connection-") || message.contains("connected by Classic")
  }
}
