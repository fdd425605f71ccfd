public import ESCPOS

/// Something that happened in a printer, told in order.
public enum PrinterEvent: Equatable, Sendable {
  /// A sheet was cut off.
  case cut(sheet: Int, Receipt.Cut.Mode)
  /// A drawer pulse, a beep or another mark.
  case mark(Sheet.Mark)
  /// The roll came to its end in the middle of the print.
  case paperOut
  /// A command was unknown, truncated or had a bad parameter.
  case fault(String, offset: Int, Token.Fault)
  /// A command was right, but in this state or on this model it does nothing.
  case ignored(String, String)
  /// `ESC t` named a slot that this model does not have.
  case unknownCodePage(Int)
  /// A real-time command was carried out.
  case realTime(RealTimeCommand)
  /// The bytes of a command's payload were a real-time command and acted as one.
  case realTimeInside(String, offset: Int, RealTimeCommand)
  /// The receive buffer was full and bytes were lost.
  case bytesLost(Int)
  /// The buffers were cleared; so many bytes went unprinted.
  case cleared(Int)
  /// A host has connected.
  case linkOpened
  /// The host has closed its link.
  case linkClosed
  /// The link broke.
  case linkLost
}
