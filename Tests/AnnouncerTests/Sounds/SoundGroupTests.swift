import Announcer
import Glibc
import PrintTestKit
import Sound
import Testing

@Suite("The group container")
struct SoundGroupTests {
  private let folder: TemporaryFolder
  private let group: SoundGroup
  private let bell = Chime.sound(rate: 16_000)

  init() throws {
    folder = try TemporaryFolder()
    group = try #require(SoundGroup("shop", stateDirectory: folder.path))
    try group.make()
  }

  @Test("is made with the folders it is in, for the daemon and its group alone")
  func folders() throws {
    #expect(group.folder == folder.path("groups/shop/Library/Sounds"))
    for path in ["groups", "groups/shop", "groups/shop/Library", "groups/shop/Library/Sounds"] {
      var status = stat()
      #expect(stat(folder.path(path), &status) == 0)
      #expect(status.st_mode & 0o777 & ~0o750 == 0)
    }
    try group.make()
  }

  @Test(
    "has sounds by their names, whatever ending a wake gives them",
    arguments: ["bell.wav", "bell.m4a", "bell"])
  func prepared(_ name: String) throws {
    try AudioFile.writeWAV(bell, to: "\(group.folder)/bell.wav")
    #expect(try group.prepared(name) == bell)
  }

  @Test("has no sound that would let the payments behind it grow too old")
  func long() throws {
    for (seconds, isTaken) in [(30, true), (31, false)] {
      var sound = PCM.silence(.seconds(seconds), rate: 8000)
      sound.samples[9] = 9000
      try AudioFile.writeWAV(sound, to: "\(group.folder)/long.wav")
      if isTaken {
        #expect(try group.prepared("long.wav") == sound)
      } else {
        #expect(throws: SoundError.self) { try group.prepared("long.wav") }
      }
    }
  }

  @Test(
    "is not left by any name",
    arguments: [
      "../secret.wav", "..", ".", "", "/etc/passwd", "a/../../secret.wav", ".hidden.wav", "secret.wav\0.wav",
      "a\nb",
      "..\\secret.wav", String(repeating: "a", count: 129), "link.wav", "loop.wav", "sub", "pipe.wav",
      "sub/x.wav",
    ])
  func names(_ name: String) throws {
    try AudioFile.writeWAV(bell, to: folder.path("groups/shop/Library/secret.wav"))
    try AudioFile.writeWAV(bell, to: "\(group.folder)/.hidden.wav")
    symlink(folder.path("groups/shop/Library/secret.wav"), "\(group.folder)/link.wav")
    symlink("loop.wav", "\(group.folder)/loop.wav")
    mkdir("\(group.folder)/sub", 0o750)
    try AudioFile.writeWAV(bell, to: "\(group.folder)/sub/x.wav")
    mkfifo("\(group.folder)/pipe.wav", 0o600)
    #expect(try group.prepared(name) == nil)
  }

  @Test("says of a file that is no sound that it is none")
  func noSound() throws {
    let file = try #require(fopen("\(group.folder)/bad.wav", "wb"))
    fputs("nonsense", file)
    fclose(file)
    let error = #expect(throws: SoundError.self) { try group.prepared("bad.wav") }
    #expect(error?.message.contains("bad.wav") == true)
  }

  @Test("is refused under an id that is no name", arguments: ["", "..", "a/b", ".x"])
  func ids(_ id: String) {
    #expect(SoundGroup(id, stateDirectory: folder.path) == nil)
  }

  @Test("keeps the phrase of each event in a file of its own, and the newest alone")
  func events() throws {
    try AudioFile.writeWAV(bell, to: "\(group.folder)/bell.wav")
    #expect(try group.leave(bell, for: "pay-1") == "event-pay-1.wav")
    #expect(try AudioFile.read("\(group.folder)/event-pay-1.wav") == bell)
    for number in 2...40 { try group.leave(bell, for: "pay-\(number)") }
    let names = try Fixtures.names(inFolder: group.folder)
    #expect(names.count == 17)
    #expect(names.contains("bell.wav"))
    #expect(names.contains("event-pay-40.wav"))
    #expect(!names.contains("event-pay-1.wav"))
  }

  @Test(
    "has no path in an event's name",
    arguments: ["../../x", "a/b", "..", "", "早上", String(repeating: "x", count: 500)])
  func eventNames(_ event: String) throws {
    let name = try group.leave(bell, for: event)
    #expect(SoundName(name) != nil)
    #expect(try Fixtures.names(inFolder: group.folder) == [name])
  }
}
