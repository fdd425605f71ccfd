import WakeChannels

/// One way to misbehave, for the requests under a path.
struct Fault: Decodable, Sendable {
  /// The path that it counts for, with all below it: `/orders`.
  var path: String
  /// Answer with this status.
  var status: Int?
  /// Answer this many milliseconds late.
  var slowMilliseconds: Int?
  /// Break off in the middle of the answer.
  var halfBody: Bool?
  /// Answer with a web page.
  var notJSON: Bool?
  /// How many requests it counts for; without it, for all.
  var times: Int?

  enum CodingKeys: String, CodingKey {
    case path, status, times
    case slowMilliseconds = "slow_ms"
    case halfBody = "half_body"
    case notJSON = "not_json"
  }

  func covers(_ path: String) -> Bool {
    path == self.path || path.hasPrefix(self.path.hasSuffix("/") ? self.path : self.path + "/")
  }

  /// Answers in the faulty way; `answer` is the right one.
  func answer(_ answer: () async -> HTTPServer.Response) async -> HTTPServer.Response {
    if let slowMilliseconds { try? await Task.sleep(for: .milliseconds(slowMilliseconds)) }
    if let status { return .error(status, "a fault that was asked for") }
    if notJSON == true {
      let page = "<!DOCTYPE html><title>Welcome</title><p>Please log in.</p>\n"
      return HTTPServer.Response(status: 200, fields: ["Content-Type": "text/html"], body: Array(page.utf8))
    }
    var response = await answer()
    response.breaksOff = halfBody == true
    return response
  }
}

/// The faults that are on, the oldest first.
actor Faults {
  private var faults: [Fault] = []

  func add(_ fault: Fault) { faults.append(fault) }

  func removeAll() { faults = [] }

  /// The first fault for a request, which it uses up once.
  func take(for path: String) -> Fault? {
    guard let index = faults.firstIndex(where: { $0.covers(path) }) else { return nil }
    let fault = faults[index]
    guard let times = fault.times else { return fault }
    if times > 1 { faults[index].times = times - 1 } else { faults.remove(at: index) }
    return times > 0 ? fault : nil
  }
}
