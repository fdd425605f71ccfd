import Glibc
import Synchronization
import WakeChannels

/// The webhook's signing secrets, read from files; replaced as a whole at a reload.
final class Secrets: Sendable {
  private let signature: Mutex<WebhookSignature>

  init(_ webhook: Configuration.Webhook) throws(Failure) {
    signature = Mutex(try Self.read(webhook))
  }

  /// The secrets as they are now.
  var current: WebhookSignature { signature.withLock { $0 } }

  /// Reads the files again; after an error the old secrets stay.
  func reload(_ webhook: Configuration.Webhook) throws(Failure) {
    let new = try Self.read(webhook)
    signature.withLock { $0 = new }
  }

  private static func read(_ webhook: Configuration.Webhook) throws(Failure) -> WebhookSignature {
    var secrets: [WebhookSignature.Secret] = []
    for path in webhook.secretFiles {
      let text = try secret(in: path)
      do {
        secrets.append(try WebhookSignature.Secret(text))
      } catch {
        throw Failure(
          .configuration, "\(path): \(error)", remedy: "echo \"whsec_$(openssl rand -base64 24)\" > \(path)")
      }
    }
    return WebhookSignature(secrets: secrets, tolerance: .seconds(webhook.toleranceSeconds))
  }

  /// The one line of a secret's file.
  ///
  /// - Throws: ``Failure`` when it cannot be read or is empty.
  static func secret(in path: String) throws(Failure) -> String {
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, limit: 65536)
    } catch {
      throw Failure(.configuration, error.message, remedy: "write the secret there, readable by printd alone")
    }
    var text = String(decoding: bytes, as: UTF8.self)
    while let last = text.unicodeScalars.last, last.properties.isWhitespace { text.unicodeScalars.removeLast() }
    guard !text.isEmpty else { throw Failure(.configuration, "\(path): is empty") }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & 0o007 != 0 {
      Log.warning("secret readable by everybody", ["file": path, "remedy": "chmod o-rwx \(path)"])
    }
    return text
  }
}
