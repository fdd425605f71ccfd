import Glibc
import PrintTestKit
import Sound
import Testing

@testable import Announcer

@Suite(.timeLimit(.minutes(1)))
struct LeaseFileTests {
  @Test(
    "A lease can be written where nothing has been kept before, and is gone when nothing is changed any more")
  func firstLease() async throws {
    let state = try TemporaryFolder()
    let file = LeaseFile(folder: state.path("voice"))
    #expect(try await file.read() == nil)
    var lease = MixerLease()
    lease.sinks = [.init(name: "spk", original: nil, raised: nil, wasMuted: true)]
    try await file.write(lease)
    #expect(try await file.read() == lease)
    try await file.write(MixerLease())
    #expect(try await file.read() == nil)
    #expect(access(state.path("voice/volume-lease.json"), F_OK) != 0)
  }

  @Test("What a crash has left half of a lease is taken away at the next start, and nothing else is")
  func halves() async throws {
    let state = try TemporaryFolder()
    for name in ["volume-lease.json.12.34.tmp", "volume-lease.json.bad", "other.json.12.34.tmp"] {
      try state.write("{", to: name)
    }
    #expect(try await LeaseFile(folder: state.path).read() == nil)
    #expect(
      try Fixtures.names(inFolder: state.path).sorted() == ["other.json.12.34.tmp", "volume-lease.json.bad"])
  }
}
