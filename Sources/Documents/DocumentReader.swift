public import ESCPOS
import FoundationEssentials

/// Reads JSON documents from outside: orders, receipts, wakes, configuration.
public enum DocumentReader {
  /// How deep lists and objects may stand inside one another.
  public static let maximumDepth = 64

  /// What `JSONDecoder` says of text that it cannot read, and of a number that does not fit its type.
  private static let notJSON = "The given data was not valid JSON."

  /// Reads a document.
  ///
  /// The text is checked first (UTF-8, syntax, depth, keys named twice), so that a fault in it has a line and a
  /// column; then its values are, so that a fault in them has a path.
  ///
  /// - Parameters:
  ///   - type: What the document holds.
  ///   - bytes: UTF-8, with or without a byte order mark.
  ///   - json5: Whether comments, trailing commas, single quotes and unquoted keys are allowed, as in
  ///     configuration files.
  /// - Throws: ``DocumentFault`` for the first fault.
  public static func read<Document: Decodable>(
    _ type: Document.Type, from bytes: [UInt8], json5: Bool = false
  ) throws(DocumentFault) -> Document {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    try check(text, json5: json5)
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = json5
    do {
      return try decoder.decode(type, from: Data(text))
    } catch DecodingError.dataCorrupted(let context)
      where context.codingPath.isEmpty && context.debugDescription == notJSON
    {
      // The text is JSON, so this is a number that its place cannot hold; the decoder does not say which.
      throw DocumentFault(
        path: "", message: "a number in the document is not whole, or too large, where it must not be")
    } catch let error as DecodingError {
      throw DocumentFault(error)
    } catch {
      throw DocumentFault(path: "", message: "cannot be read")
    }
  }

  /// Checks that `bytes` are JSON, without asking what they hold.
  ///
  /// - Throws: ``DocumentFault`` with the line and the column of the first fault.
  public static func check(_ bytes: [UInt8], json5: Bool = false) throws(DocumentFault) {
    var syntax = JSONSyntax(bytes, json5: json5, maximumDepth: maximumDepth)
    try syntax.checkDocument()
  }
}
