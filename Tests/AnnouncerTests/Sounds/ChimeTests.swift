import Announcer
import Sound
import Testing

@Suite("The chime")
struct ChimeTests {
  @Test(
    "sounds at any rate, starts and ends in silence, and is never cut off",
    arguments: [8000, 16_000, 22_050, 48_000])
  func sound(_ rate: Int) throws {
    let chime = Chime.sound(rate: rate)
    #expect(chime.rate == rate)
    #expect(chime.samples.count == rate * 62 / 100)
    #expect(chime.peak > 5000 && chime.peak < 32_000)
    #expect(chime.samples.first == 0)
    #expect(abs(Int(try #require(chime.samples.last))) < 50)
  }
}
