import ESCPOS
import WakeChannels
import WakeHandler

/// How a wake that came over HTTP is handed to the story and answered.
enum WakeRoutes {
  /// Hands the wake in and answers when its completion is called, or, where the sender wants that, when it is durable.
  static func answer(
    _ wake: WakeRequest, channel: String, limit: Int, by handler: WakeHandler
  ) async -> HTTPServer.Response {
    let delivery = WakeDelivery(
      body: wake.body, id: wake.deliveryID, channel: channel,
      acceptedAt: wake.acceptedAt > 0 ? BootInstant(nanoseconds: wake.acceptedAt) : nil, maximumBytes: limit)
    switch await handler.accept(delivery) {
    case .refused(let refusal):
      return response(refusal)
    case .accepted(let completion):
      if wake.respondsAsync {
        if let ended = completion.current { return response(ended) }
        return .json(Accepted(accepted: true), status: 202)
      }
      return response(await completion.value)
    }
  }

  /// A completion as an answer; a replay is refused.
  static func response(_ completion: WakeCompletion) -> HTTPServer.Response {
    .json(CompletionMessage(completion), status: completion.replayed ? 409 : 200)
  }

  /// A refusal as an answer.
  static func response(_ refusal: Refusal) -> HTTPServer.Response {
    switch refusal.code {
    case .badWake: .error(400, refusal.message, remedy: "see wake.schema.json")
    case .storage: .error(507, refusal.message, remedy: "nothing was taken; send it again later")
    case .stopping: .error(503, refusal.message)
    case .notFound: .error(404, refusal.message)
    case .conflict: .error(409, refusal.message)
    }
  }

  private struct Accepted: Encodable {
    var accepted: Bool
  }
}
