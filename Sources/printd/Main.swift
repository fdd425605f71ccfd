import ESCPOS
import Glibc

@main
struct Main {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let code = await run(Array(CommandLine.arguments.dropFirst()))
    await Bluetooth.stop()
    exit(code.rawValue)
  }

  /// Runs one command line; the only place where a failure is shown.
  static func run(_ words: [String]) async -> ExitCode {
    guard let first = words.first else {
      Console.error(Commands.overview)
      return .usage
    }
    switch first {
    case "--version", "-V", "version":
      Console.print("printd \(Version.text)")
      return .success
    case "help", "--help", "-h":
      return help(words.dropFirst().first)
    default:
      break
    }
    guard let command = Commands.named(first) else { return unknown(first) }
    if words.dropFirst().contains(where: { $0 == "--help" || $0 == "-h" }) { return help(first) }
    var arguments = Arguments(words.dropFirst(), of: first)
    do {
      return try await command.run(&arguments)
    } catch let failure as Failure {
      Console.error(
        first == RunCommand.name ? Log.lines(.error, "printd run: \(failure)") : "printd \(first): \(failure)"
      )
      return failure.code
    } catch {
      Console.error("printd \(first): \(error)")
      return .software
    }
  }

  private static func help(_ name: String?) -> ExitCode {
    guard let name else {
      Console.print(Commands.overview)
      return .success
    }
    guard let command = Commands.named(name) else { return unknown(name) }
    Console.print("\(command.summary)\n\n\(command.help)")
    return .success
  }

  private static func unknown(_ name: String) -> ExitCode {
    let nearest = nearestWord(to: name, among: Commands.all.map { $0.name })
    let question = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
    Console.error("printd: unknown command \"\(name.printable)\"\(question)\n  try: printd help")
    return .usage
  }
}
