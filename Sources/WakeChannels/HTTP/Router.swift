/// Finds who answers a request by its method and path.
///
/// A pattern is a path whose segments are literal or `{name}`: `/v1/jobs/{id}`. A path is split before it is decoded,
/// so that an id with an encoded slash stays one segment. Literal segments win over `{name}`.
public struct Router: Sendable {
  /// Answers a request.
  public typealias Handler = @Sendable (HTTPServer.Request) async -> HTTPServer.Response

  private struct Route: Sendable {
    var method: HTTPServer.Method
    var segments: [Segment]
    var handler: Handler

    var literals: Int { segments.count { if case .literal = $0 { true } else { false } } }
  }

  private enum Segment: Sendable {
    case literal(String)
    case parameter(String)

    init(_ text: Substring) {
      if text.hasPrefix("{"), text.hasSuffix("}") {
        self = .parameter(String(text.dropFirst().dropLast()))
      } else {
        self = .literal(String(text))
      }
    }
  }

  private var routes: [Route] = []

  /// Creates a router that answers everything with 404.
  public init() {}

  /// Adds a route; of two that match equally well the first one answers.
  public mutating func on(_ method: HTTPServer.Method, _ pattern: String, _ handler: @escaping Handler) {
    let segments = Router.split(pattern).map(Segment.init)
    routes.append(Route(method: method, segments: segments, handler: handler))
  }

  /// Adds the routes of another router behind these.
  public mutating func add(_ other: Router) {
    routes += other.routes
  }

  /// Answers `request`: by its route, or with 400 for a path that cannot be decoded, 404, or 405 with `Allow`.
  public func answer(_ request: HTTPServer.Request) async -> HTTPServer.Response {
    var segments: [String] = []
    for raw in Router.split(request.path) {
      guard let segment = PercentCoding.decoded(raw) else {
        return .error(400, "the path is not percent-encoded UTF-8", remedy: "encode the path as in RFC 3986")
      }
      segments.append(segment)
    }
    var best: (route: Route, parameters: [String: String])?
    var allowed: Set<String> = []
    for route in routes {
      guard let parameters = Router.match(route.segments, segments) else { continue }
      allowed.insert(route.method.rawValue)
      guard route.method == request.method else { continue }
      if let found = best, found.route.literals >= route.literals { continue }
      best = (route, parameters)
    }
    guard let best else { return Router.refusal(allowed: allowed) }
    var request = request
    request.parameters = best.parameters
    return await best.route.handler(request)
  }

  private static func refusal(allowed: Set<String>) -> HTTPServer.Response {
    guard !allowed.isEmpty else { return .error(404, "there is nothing at this path") }
    let methods = allowed.sorted().joined(separator: ", ")
    var response = HTTPServer.Response.error(
      405, "this path does not take that method", remedy: "use \(methods)")
    response.fields.append("Allow", methods)
    return response
  }

  private static func split(_ path: String) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { $0 }
  }

  private static func match(_ pattern: [Segment], _ segments: [String]) -> [String: String]? {
    guard pattern.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (expected, segment) in zip(pattern, segments) {
      switch expected {
      case .literal(let text):
        guard text == segment else { return nil }
      case .parameter(let name):
        guard !segment.isEmpty else { return nil }
        parameters[name] = segment
      }
    }
    return parameters
  }
}
