import Announcer
import ESCPOS
import Sound
import SpokenAmounts

/// The sets of clips in the state directory.
enum VoiceSets {
  /// Lists them, the one in use first, with what each lacks for the configured voice.
  static func show(_ plan: VoicePlan) async -> ExitCode {
    let used = plan.setFolder
    let folders =
      [used] + Files.names(in: plan.setsFolder).map { "\(plan.setsFolder)/\($0)" }.filter { $0 != used }
    for folder in folders {
      let line = await SpeechQueue.run { Self.line(folder, plan) }
      Console.print("\(folder == used ? "*" : " ") \(line)".printable)
    }
    Console.print("* is the set of the configured voice: \(plan.language), \(plan.voice.currency.rawValue)")
    return .success
  }

  private static func line(_ folder: String, _ plan: VoicePlan) -> String {
    do throws(SoundError) {
      let manifest = try ClipSet.manifest(in: folder)
      let facts =
        "\(folder)  \(manifest.language)  \(manifest.clips.count) clips, \(manifest.engine), licence: \(manifest.licence)"
      guard manifest.language == plan.language.rawValue else { return facts }
      do throws(SoundError) {
        let set = try ClipSet.read(folder, for: plan.phrasebook)
        let missing = set.missing(of: plan.phrasebook.phrases).map(\.text)
        return missing.isEmpty
          ? "\(facts); complete" : "\(facts); complete but for \(missing.joined(separator: ", "))"
      } catch {
        return "\(facts); NOT USABLE: \(error.message)"
      }
    } catch {
      return "\(error.message); printd voice build makes it"
    }
  }
}
