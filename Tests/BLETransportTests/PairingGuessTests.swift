import Testing

@testable import BLETransport

@Suite("The paper's width is guessed by model and name")
struct PairingGuessTests {
  @Test(
    "What the printer says comes before what it is called on the air",
    arguments: [
      ("TM-m30II", "TM-m30II_012345", "epson-tm-m30", #"model "TM-m30II""#),
      ("TM-P80II", nil, "generic-80", #"model "TM-P80II""#),
      ("TM-P20", "POS-80", "generic-58", #"model "TM-P20""#),
      (nil, "MPT-II", "generic-58", #"name "MPT-II""#),
      (nil, "MPT-III", "generic-80", #"name "MPT-III""#),
      ("PRINTER", "RPP300-E", "generic-80", #"name "RPP300-E""#),
      (nil, "POS 58", "generic-58", #"name "POS 58""#),
      (nil, "BlueTooth Printer", "generic-58", nil),
      (nil, nil, "generic-58", nil),
    ] as [(String?, String?, String, String?)])
  func guess(model: String?, name: String?, profile: String, reason: String?) {
    let guess = PrinterGuess(model: model, name: name)
    #expect(guess.profile == profile)
    #expect(guess.reason == reason)
  }
}
