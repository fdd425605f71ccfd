extension WireMessage {
  /// What a message says beside its arguments.
  struct Header {
    enum Kind: Int32 {
      case call = 1
      case reply = 2
      case error = 3
      case signal = 4
    }

    var kind: Kind
    var sender = ""
    var destination: String?
    var path = ""
    var interface: String?
    var member = ""
    var errorName: String?
    /// The message's own number; zero until it is sent.
    var serial: UInt32 = 0
    var replySerial: UInt32 = 0
    var autoStart = true
    var wantsReply = true
  }
}
