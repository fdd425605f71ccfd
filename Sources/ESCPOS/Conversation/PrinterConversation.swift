/// One job's talk with a printer: the question whether it can print, the job, the proof that it did.
///
/// The order of calls is ``gate(by:)``, ``send(_:by:)``, ``fence(by:)``. A task inside reads the back channel from
/// the first call to ``end()``, so that what the printer says by itself in mid-job (paper end) is heard.
public actor PrinterConversation {
  /// What the printer answered at the gate.
  public enum Gate: Equatable, Sendable {
    /// It can print.
    case ready(PrinterStatus)
    /// It cannot, and ``PrinterStatus/obstacle`` says why.
    case notReady(PrinterStatus)
    /// It did not answer though its profile says that it does: off, busy with half a raster, or another model.
    case silent
    /// Its profile or the link has no back channel: nothing can be known.
    case unasked
  }

  /// What is known after the job was sent.
  public enum Fence: Equatable, Sendable {
    /// The printer says that everything before is on paper.
    case proven
    /// The printer has not said so; the status is what is known of it by then.
    case missing(PrinterStatus)
    /// There is no back channel: the link's barrier and the drain time have passed.
    case unconfirmed
  }
}
