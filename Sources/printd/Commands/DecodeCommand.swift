import ESCPOS
import TextRaster
import VirtualPrinter

/// `printd decode FILE`
struct DecodeCommand: Command {
  static let name = "decode"
  static let summary = "any ESC/POS bytes, command by command, or as a picture"
  static let help = """
    usage: printd decode FILE|- [--picture] [--text] [-o OUT.png] [--profile NAME] [--config FILE]

    Lists the commands with offset, bytes, mnemonic and meaning, a line each; unknown and cut off ones are marked. Bytes
    of any program will do: a capture of port 9100, a file of another library.

      --picture        shows what a printer would make of it
      --text           shows the text a printer would print
      -o OUT.png       writes the picture
      --profile NAME   the printer (default: generic-80)

    exit codes: 0 all understood · 65 something is unknown or cut off

    Examples:
      printd decode job.bin
      nc -l -p 9100 | printd decode - -o job.png
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    let output = try arguments.option("-o", "--output")
    let asPicture = arguments.flag("--picture")
    let asText = arguments.flag("--text")
    let look = try Look(&arguments, options)
    let path = try arguments.position("FILE")
    try arguments.finish()
    let bytes = try Files.read(path, limit: 64 << 20)
    let raster = PangoRaster(imageFolder: look.images, locale: look.locale)
    let printer = VirtualPrinter.forViewing(look.profile, raster)
    if asPicture || asText || output != nil {
      printer.feed(bytes)
      printer.finish()
      if asPicture || asText { PaperView.show(printer.printedSheets, asText: asText) }
      if let output {
        for path in try PaperView.write(printer.printedSheets, to: output, raster) {
          Console.error("written: \(path)")
        }
      }
    } else {
      for line in listing(of: bytes) { Console.print(line) }
    }
    var tokenizer = CommandTokenizer()
    let isUnderstood = (tokenizer.tokens(of: bytes) + tokenizer.finish()).allSatisfy { $0.fault == nil }
    return isUnderstood ? .success : .badInput
  }
}
