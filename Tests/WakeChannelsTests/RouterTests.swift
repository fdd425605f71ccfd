import Testing
import WakeChannels

struct RouterTests {
  private var router: Router {
    var router = Router()
    router.on(.get, "/v1/jobs") { _ in HTTPServer.Response(status: 200, body: Array("all".utf8)) }
    router.on(.get, "/v1/jobs/{id}") {
      HTTPServer.Response(status: 200, body: Array("job \($0.parameters["id"] ?? "")".utf8))
    }
    router.on(.get, "/v1/jobs/unknown") { _ in HTTPServer.Response(status: 200, body: Array("unknown".utf8)) }
    router.on(.post, "/v1/jobs/{id}/resolve/{how}") {
      HTTPServer.Response(
        status: 200, body: Array("\($0.parameters["id"] ?? "") \($0.parameters["how"] ?? "")".utf8))
    }
    return router
  }

  @Test(
    "A path finds its route",
    arguments: [
      ("/v1/jobs", "all"), ("/v1/jobs/17", "job 17"), ("/v1/jobs/unknown", "unknown"),
      ("/v1/jobs/a%2Fb%20c", "job a/b c"),
      ("/v1/jobs/%E5%AE%9E", "job 实"),
    ])
  func found(path: String, answer: String) async {
    let response = await router.answer(HTTPServer.Request(.get, path))
    #expect(String(decoding: response.body, as: UTF8.self) == answer)
  }

  @Test("Several parameters are told apart")
  func parameters() async {
    let response = await router.answer(HTTPServer.Request(.post, "/v1/jobs/17/resolve/printed"))
    #expect(String(decoding: response.body, as: UTF8.self) == "17 printed")
  }

  @Test(
    "What is not there is told apart from what takes another method",
    arguments: [
      ("GET", "/", 404), ("GET", "/v1", 404), ("GET", "/v1/jobs/", 404), ("GET", "/v1/jobs/1/2", 404),
      ("GET", "//v1/jobs", 404),
      ("POST", "/v1/jobs", 405), ("DELETE", "/v1/jobs/17", 405), ("GET", "/v1/jobs/17/resolve/x", 405),
      ("GET", "/v1/jobs/%", 400), ("GET", "/v1/jobs/%00", 400), ("GET", "/v1/jobs/%C3", 400),
      ("GET", "*", 404), ("GET", "", 404),
    ])
  func refused(method: String, path: String, status: Int) async throws {
    let method = try #require(HTTPServer.Method(rawValue: method))
    let response = await router.answer(HTTPServer.Request(method, path))
    #expect(response.status == status)
    #expect((response.fields["allow"] != nil) == (status == 405))
  }

  @Test("Names of fields compare without regard to case, also those that share an ASCII bit")
  func fieldNames() {
    let fields: HTTPFields = ["X-One": "1", "x-one": "2", "X@One": "3"]
    #expect(fields.values("x-ONE") == ["1", "2"])
    #expect(fields["x`one"] == nil)
  }
}
