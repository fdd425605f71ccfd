import Synchronization
import WakeChannels

/// The webhook's signing secrets, read from files; replaced as a whole at a reload.
final class Secrets: Sendable {
  private let held: Mutex<[WebhookKey]>

  /// Reads the secrets.
  ///
  /// - Throws: ``Failure`` with the file and the remedy.
  init(_ webhook: Configuration.Webhook) throws(Failure) {
    held = Mutex(try Self.read(webhook))
  }

  /// The secrets as they are now.
  var keys: [WebhookKey] { held.withLock { $0 } }

  /// Replaces the secrets.
  func replace(with keys: [WebhookKey]) { held.withLock { $0 = keys } }

  /// Reads the files; nothing has changed yet.
  ///
  /// - Throws: ``Failure`` with the file and the remedy.
  static func read(_ webhook: Configuration.Webhook) throws(Failure) -> [WebhookKey] {
    var keys: [WebhookKey] = []
    for path in webhook.secretFiles {
      let file: [UInt8]
      do {
        file = try Files.read(path, limit: 65536, mayWait: false)
      } catch {
        throw Failure(
          .configuration, error.message, remedy: "write the secret there, readable by printd alone")
      }
      do {
        keys += try WebhookKey.keys(in: file)
      } catch {
        throw Failure(.configuration, "\(path): \(error)")
      }
      if Files.isOpenToAll(path) {
        Log.warning("secret readable by everybody", ["file": path, "remedy": "chmod o-rwx \(path)"])
      }
    }
    return keys
  }
}
