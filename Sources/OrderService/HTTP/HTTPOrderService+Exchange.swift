import Curl
import ESCPOS
import PrintJobs

extension HTTPOrderService {
  /// The pause before a request is tried again.
  private static var pause: Duration { .milliseconds(100) }

  /// Sends a request, at most twice, and reads its answer.
  ///
  /// Tried again is what may go better at once: a failed connection, a 5xx answer without `Retry-After`, an answer that
  /// `read` calls `.unavailable`. All requests here are idempotent, the report by its key.
  func exchange<Answer>(
    _ request: HTTPClient.Request, at origin: String, by deadline: BootInstant,
    read: (HTTPClient.Response) throws(OrderServiceError) -> Answer
  ) async throws(OrderServiceError) -> Answer {
    var isLast = false
    while true {
      let failure: Failure
      do throws(HTTPClientError) {
        let response = try await client.send(request, by: deadline)
        if let refusal = Failure(response, origin) {
          failure = refusal
        } else {
          do throws(OrderServiceError) {
            return try read(response)
          } catch {
            failure = Failure(error: error, isWorthAnotherTry: error.code == .unavailable)
          }
        }
      } catch {
        failure = Failure(error)
      }
      let again = BootClock().now.advanced(by: HTTPOrderService.pause)
      guard failure.isWorthAnotherTry, !isLast, again < deadline else { throw failure.error }
      isLast = true
      guard (try? await BootClock().sleep(until: again, tolerance: nil)) != nil else { throw failure.error }
    }
  }

  private struct Failure {
    var error: OrderServiceError
    var isWorthAnotherTry: Bool

    init(error: OrderServiceError, isWorthAnotherTry: Bool) {
      self.error = error
      self.isWorthAnotherTry = isWorthAnotherTry
    }

    /// What a failed transfer means.
    init(_ error: HTTPClientError) {
      switch error.code {
      case .deadline:
        self.init(error: OrderServiceError(.deadline, error.message), isWorthAnotherTry: false)
      case .unreachable, .interrupted, .failed:
        self.init(error: OrderServiceError(.unavailable, error.message), isWorthAnotherTry: true)
      case .tls, .redirect, .cancelled:
        // A certificate, a clock or a login page of the network: a person mends it, and the order is still there.
        self.init(error: OrderServiceError(.unavailable, error.message), isWorthAnotherTry: false)
      case .tooLarge, .invalidRequest:
        self.init(error: OrderServiceError(.refused, error.message), isWorthAnotherTry: false)
      }
    }

    /// What a status means; nil for success.
    init?(_ response: HTTPClient.Response, _ origin: String) {
      let wait = response.header("Retry-After").flatMap { Int($0) }.map { "; it asks to wait \($0) s" } ?? ""
      let said = "\(origin) answered \(response.status)\(wait)"
      switch response.status {
      case 200...299:
        return nil
      case 404, 410:
        self.init(error: OrderServiceError(.notFound, said), isWorthAnotherTry: false)
      case 401, 403, 407:
        self.init(
          error: OrderServiceError(.unavailable, "\(said); check the secret file, then reload"),
          isWorthAnotherTry: false)
      case 408, 425, 429:
        self.init(error: OrderServiceError(.unavailable, said), isWorthAnotherTry: false)
      case 500...599:
        self.init(
          error: OrderServiceError(.unavailable, said),
          isWorthAnotherTry: response.header("Retry-After") == nil)
      default:
        self.init(error: OrderServiceError(.refused, said), isWorthAnotherTry: false)
      }
    }
  }
}
