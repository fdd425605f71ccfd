import FoundationEssentials

/// A secret that webhooks are signed with. Its text never shows in descriptions.
public struct WebhookKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Why a text is no key; the text itself is not repeated.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do.
    public var message: String
    /// The message.
    public var description: String { message }
  }

  /// The shortest secret that is taken, in bytes.
  public static let minimumBytes = 16

  let bytes: [UInt8]

  /// Creates a key from its bytes.
  ///
  /// - Throws: ``Fault`` for fewer than ``minimumBytes``, or more than 1,024.
  public init(bytes: [UInt8]) throws(Fault) {
    guard (WebhookKey.minimumBytes...1024).contains(bytes.count) else {
      throw Fault(
        message: "the secret has \(bytes.count) bytes; it needs \(WebhookKey.minimumBytes) through 1024, "
          + "for instance from: echo whsec_$(openssl rand -base64 24)")
    }
    self.bytes = bytes
  }

  /// Creates a key from its text: `whsec_` and base64, as Standard Webhooks writes it, or else the bytes of the text itself.
  ///
  /// - Throws: ``Fault``.
  public init(_ text: String) throws(Fault) {
    guard text.hasPrefix("whsec_") else {
      try self.init(bytes: Array(text.utf8))
      return
    }
    guard let decoded = Data(base64Encoded: String(text.dropFirst("whsec_".count))) else {
      throw Fault(message: "what follows whsec_ is not base64; copy the secret again, with its padding")
    }
    try self.init(bytes: [UInt8](decoded))
  }

  /// Reads the keys of a secret file: one a line; empty lines and lines that begin with `#` are skipped. While keys are
  /// being rotated, the file has the old and the new one.
  ///
  /// - Throws: ``Fault``, with the number of the line, and for a file without keys or with more than eight.
  public static func keys(in file: [UInt8]) throws(Fault) -> [WebhookKey] {
    guard let text = String(validating: file, as: UTF8.self) else {
      throw Fault(message: "the secret file is not text")
    }
    var keys: [WebhookKey] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard let word = words.first, !word.hasPrefix("#") else { continue }
      guard words.count == 1 else {
        throw Fault(message: "line \(index + 1): a key has no spaces in it; write one key a line")
      }
      do throws(Fault) {
        keys.append(try WebhookKey(String(word)))
      } catch {
        throw Fault(message: "line \(index + 1): \(error.message)")
      }
    }
    guard (1...8).contains(keys.count) else {
      throw Fault(message: "the secret file has \(keys.count) keys; it needs 1 through 8, one a line")
    }
    return keys
  }

  /// Says that it is a key.
  public var description: String { "WebhookKey" }
  /// Says that it is a key.
  public var debugDescription: String { description }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
