import Curl
import Glibc
import Testing
import WakeChannels

@Suite(.serialized, .timeLimit(.minutes(3)))
struct MemoryTests {
  @Test("Ten thousand requests leave memory where it was")
  func flat() async throws {
    let local = try LocalServer { request in
      HTTPServer.Response(status: 200, body: request.body)
    }
    let client = HTTPClient()
    let request = HTTPClient.Request(
      .post, local.url + "/v1/wakes?a=1", headers: [("X-Kind", "receipt")],
      body: [UInt8](repeating: 7, count: 2000))
    func send(_ count: Int) async throws {
      for number in 0..<count {
        let response = try await client.send(request, by: within(30))
        try #require(response.body.count == 2000, "answer \(number)")
      }
    }
    try await send(1000)
    let before = residentKilobytes()
    try await send(10_000)
    let growth = residentKilobytes() - before
    print("10,000 requests: \(before) kB resident before, \(growth) kB more after")
    // A leak of one request's body alone would be 20 MB; other suites may run meanwhile.
    #expect(growth < 12288)
    await local.server.stop()
  }

  @Test("Clients and servers that come and go leave no thread and no descriptor behind")
  func comeAndGo() async throws {
    func once() async throws {
      let local = try LocalServer { _ in HTTPServer.Response(status: 200) }
      let client = HTTPClient()
      _ = try await client.send(HTTPClient.Request(.get, local.url + "/"), by: within(30))
      await local.server.stop()
    }
    for _ in 0..<200 { try await once() }
    // Each has at least three descriptors and one thread; other suites may hold some of their own meanwhile.
    #expect(entries(in: "/proc/self/fd") < 400)
    #expect(entries(in: "/proc/self/task") < 150)
  }

  private func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    fgets(&line, Int32(line.count), file)
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024 : 0
  }

  private func entries(in folder: String) -> Int {
    guard let stream = opendir(folder) else { return .max }
    defer { closedir(stream) }
    var count = 0
    while readdir(stream) != nil { count += 1 }
    return count
  }
}
