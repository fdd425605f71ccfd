import Announcer
import ESCPOS
import Glibc
import PrintJobs
import Sound
import SpokenAmounts

/// `printd voice`
struct VoiceCommand: Command {
  static let name = "voice"
  static let summary = "lists, builds, imports and tries out the sets of clips"
  static let help = """
    usage: printd voice [list] [--config FILE]
           printd voice build [--language L] [--currency C] [--set NAME]
           printd voice import FOLDER [--language L] [--currency C] [--set NAME] [--licence TEXT]
           printd voice script [--language L] [--currency C]
           printd voice test [-o FILE.wav] [--language L] [--currency C]

      list:    the sets in the state directory, who speaks, and what they lack
      build:   makes a set with espeak-ng
      import:  makes a set of the shop's own recordings (WAV, FLAC, Ogg, MP3); a file belongs to the word whose name or
               text it bears: 7.wav, 七.mp3, wx.ogg
      script:  what is to be recorded: each clip's name, and what is said in it
      test:    says a sample on the speaker, or writes it to a file

      --language L    zh, yue, en, de, fr, es, ja (default: of the configuration)
      --currency C    CNY, EUR, USD, GBP, JPY, HKD, CHF (default: of the configuration)
      --set NAME      the set's name, or its folder (default: of the configuration, else the language)
      --licence TEXT  what may be done with the recordings

    exit codes: 0 done · 65 recordings that are not complete or not right · 69 no espeak-ng, no speaker ·
    73 the set cannot be written · 77 not as root

    Examples:
      sudo -u printd printd voice build
      printd voice script --language zh > to-record.tsv
      sudo -u printd printd voice import recordings/ --licence "our own voices"
      printd voice test
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    let language = try arguments.option("--language")
    let currency = try arguments.option("--currency")
    let set = try arguments.option("--set")
    let licence = try arguments.option("--licence")
    let file = try arguments.option("-o", "--output")
    let word = arguments.position() ?? "list"
    let folder = word == "import" ? try arguments.position("FOLDER") : nil
    try arguments.finish()
    var plan = try VoicePlan(options, language: language, currency: currency)
    if let set {
      guard set.contains("/") || SoundName(set) != nil else {
        throw Failure(.usage, "\"\(set)\" is no name for a set", remedy: "--set \(plan.language.rawValue)")
      }
      plan.voice.set = set
    }
    switch word {
    case "list": return await VoiceSets.show(plan)
    case "build":
      try refuseRoot(plan)
      return try await build(plan)
    case "import":
      try refuseRoot(plan)
      return try await take(folder ?? ".", plan, licence: licence ?? "not stated")
    case "script":
      for word in plan.phrasebook.clips { Console.print("\(word.id)\t\(word.text)") }
      return .success
    case "test": return try await VoiceTrial(plan: plan, file: file).run(try sample())
    default:
      throw Failure(
        .usage, "\(word) is none of list, build, import, script, test", remedy: "printd help voice")
    }
  }

  private static func sample() throws(Failure) -> Announcement {
    do throws(DocumentFault) {
      return try AnnouncementMessage(amount: "12.50").announcement(receivedAt: BootClock().now)
    } catch {
      throw Failure(.software, "\(error)")
    }
  }

  /// Root writes nothing into a folder of the daemon's user: the daemon could not read it, and could lead root elsewhere.
  private static func refuseRoot(_ plan: VoicePlan) throws(Failure) {
    var status = stat()
    guard geteuid() == 0, plan.setFolder.hasPrefix("\(plan.stateDirectory)/"),
      stat(plan.stateDirectory, &status) == 0, status.st_uid != 0
    else { return }
    let name = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "#\(status.st_uid)"
    throw Failure(
      .noPermission, "\(plan.stateDirectory) belongs to \(name)", remedy: "sudo -u \(name) printd voice …")
  }

  private static func build(_ plan: VoicePlan) async throws(Failure) -> ExitCode {
    let program = plan.voice.synthesiser ?? "espeak-ng"
    do throws(SoundError) {
      // The rate is for playing; a set is made as it is.
      let manifest = try await ClipSetFolder(plan.setFolder).build(
        plan.phrasebook, with: Synthesiser(program: program)
      ) { ready, all in
        if Console.isTerminal, ready % 10 == 0 || ready == all { Console.error("\(ready) of \(all) clips") }
      }
      Console.print("\(plan.setFolder): \(manifest.clips.count) clips by \(manifest.engine)")
    } catch {
      throw Failure(error)
    }
    hint()
    return .success
  }

  private static func take(_ folder: String, _ plan: VoicePlan, licence: String) async throws(Failure)
    -> ExitCode
  {
    let result = await SpeechQueue.run {
      () -> Result<(manifest: ClipManifest, unused: [String]), SoundError> in
      do throws(SoundError) {
        return .success(
          try ClipSetFolder(plan.setFolder).take(from: folder, plan.phrasebook, licence: licence))
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .failure(let error): throw Failure(error)
    case .success(let (manifest, unused)):
      for file in unused { Console.error("warning: \(file) is no word of this voice".printable) }
      let missing = plan.phrasebook.clips.filter { word in !manifest.clips.contains { $0.id == word.id } }
      for word in missing {
        Console.error(
          "warning: no recording of \(word.id) (\(word.text)); its phrases are synthesised".printable)
      }
      Console.print("\(plan.setFolder): \(manifest.clips.count) clips at \(manifest.rate) a second")
    }
    hint()
    return .success
  }

  private static func hint() {
    Console.error("the daemon uses it from its next start: systemctl restart printd")
  }
}

extension Failure {
  /// Why a set could not be made.
  init(_ error: SoundError) {
    let code: ExitCode =
      switch error.code {
      case .file: .cannotCreate
      case .content, .invalid: .badInput
      default: .unavailable
      }
    self.init(code, error.message)
  }
}
