import Announcer
import ESCPOS
import Glibc
import Sound
import SpokenAmounts
import Threads

/// What the doctor finds out about the voice.
enum VoiceCheck {
  static func findings(_ configuration: Configuration) async -> [Finding] {
    guard let voice = configuration.voice else { return [] }
    guard voice.isEnabled else {
      return [Finding(.odd, "voice", "is switched off", remedy: "voice.enabled: true")]
    }
    let plan: VoicePlan
    do throws(Failure) {
      plan = try VoicePlan(voice, configuration)
    } catch {
      return [Finding(.bad, "voice", error.message, remedy: error.remedy)]
    }
    var findings = [await clips(plan), await synthesiser(plan)]
    if let finding = await online(plan) { findings.append(finding) }
    if let screen = voice.screen { findings.append(Self.screen(screen)) }
    findings.append(await group(plan))
    findings.append(await speaker(plan))
    return findings
  }

  /// The program that shows announcements, as far as it can be started.
  static func screen(_ screen: Screen) -> Finding {
    let subject = "voice screen"
    let places =
      screen.program.contains("/")
      ? [screen.program]
      : (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin").split(separator: ":").map {
        "\($0)/\(screen.program)"
      }
    guard let place = places.first(where: { access($0, X_OK) == 0 }) else {
      return Finding(
        .bad, subject, "\(screen.program) is no program that can be started", remedy: "see voice.screen")
    }
    return Finding(.good, subject, place)
  }

  /// The folder of the prepared sounds, as far as this user can see it.
  static func group(_ plan: VoicePlan) async -> Finding {
    let subject = "voice sounds"
    guard let group = plan.group else {
      return Finding(.bad, subject, "\(plan.voice.group) is no name for a group", remedy: "see voice.group")
    }
    var status = stat()
    guard stat(group.folder, &status) == 0 else {
      guard errno == ENOENT else {
        return Finding(
          .odd, subject, "\(group.folder): \(String(cString: strerror(errno)))",
          remedy: "run doctor as the daemon's user: sudo -u printd printd doctor")
      }
      return Finding(.good, subject, "\(group.folder) is made at the daemon's next start")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return Finding(
        .bad, subject, "\(group.folder) is no folder", remedy: "move it away; the daemon makes one")
    }
    // Root may write anywhere; what counts is the owner of the state directory, whom the daemon runs as.
    var state = stat()
    guard stat(plan.stateDirectory, &state) == 0, status.st_uid == state.st_uid,
      status.st_mode & S_IRWXU == S_IRWXU
    else {
      return Finding(
        .odd, subject,
        "\(group.folder) is not the daemon's to write in; prepared sounds are read, none is left",
        remedy:
          "sudo chown --reference=\(plan.stateDirectory) \(group.folder); sudo chmod u+rwx \(group.folder)")
    }
    guard status.st_mode & S_IWOTH == 0 else {
      return Finding(
        .odd, subject, "everybody may put sounds into \(group.folder)",
        remedy: "sudo chmod o-w \(group.folder)")
    }
    return Finding(.good, subject, group.folder)
  }

  private static func clips(_ plan: VoicePlan) async -> Finding {
    await WorkThreads.files.run {
      do throws(SoundError) {
        let set = try ClipSet.read(plan.setFolder, for: plan.phrasebook)
        let missing = set.missing(of: plan.phrasebook.phrases).map(\.text)
        guard missing.isEmpty else {
          return Finding(
            .odd, "voice clips",
            "\(plan.setFolder) has no \(missing.joined(separator: ", ")); those phrases are synthesised",
            remedy: "printd voice build, or record and import them")
        }
        return Finding(
          .good, "voice clips", "\(plan.setFolder), \(set.manifest.clips.count) by \(set.manifest.engine)")
      } catch {
        return Finding(.odd, "voice clips", error.message, remedy: "printd voice build")
      }
    }
  }

  private static func synthesiser(_ plan: VoicePlan) async -> Finding {
    guard let synthesiser = plan.synthesiser else {
      return Finding(.odd, "voice synthesiser", "none: texts, and amounts without clips, are not said")
    }
    do throws(SoundError) {
      let deadline = BootClock().now.advanced(by: .seconds(5))
      let version = try await synthesiser.version(by: deadline)
      let sample = plan.phrasebook.phrases.first?.reading ?? "a"
      _ = try await synthesiser.speak(sample, in: plan.language, by: deadline)
      guard plan.language != .japanese else {
        return Finding(
          .odd, "voice synthesiser", "\(version) reads kana only; texts with characters are not said",
          remedy: "import recordings, or use voice.online")
      }
      return Finding(.good, "voice synthesiser", "\(version), voice \(Synthesiser.voice(plan.language))")
    } catch {
      return Finding(.bad, "voice synthesiser", error.message, remedy: "apt install espeak-ng")
    }
  }

  private static func online(_ plan: VoicePlan) async -> Finding? {
    let online: OnlineVoice
    do throws(OnlineVoice.Fault) {
      guard let configured = try plan.online(keepsAnswers: false) else { return nil }
      online = configured
    } catch {
      return Finding(.bad, "online voice", "voice.online.url \(error)", remedy: "see voice.online.url")
    }
    do throws(SoundError) {
      let sample = plan.phrasebook.phrases.first?.text ?? "a"
      try await online.probe(sample, in: plan.language, by: BootClock().now.advanced(by: .seconds(15)))
      return Finding(.good, "online voice", "answers")
    } catch {
      return Finding(.odd, "online voice", error.message, remedy: "curl -v the address of voice.online.url")
    }
  }

  /// A sound server's socket in the folder of a user whom the daemon does not run as: this user may get in, the daemon
  /// does not.
  static func closedServer(_ plan: VoicePlan) -> Finding? {
    let path = plan.voice.server.map { $0.hasPrefix("unix:") ? $0.dropFirst(5) : $0[...] } ?? ""
    guard path.hasPrefix("/run/user/"), let user = path.split(separator: "/").dropFirst(2).first else {
      return nil
    }
    var state = stat()
    let daemon = stat(plan.stateDirectory, &state) == 0 ? state.st_uid : geteuid()
    guard user != "\(daemon)" else { return nil }
    return Finding(
      .bad, "voice output", "voice.server is in the folder of user \(user), which is closed to the daemon",
      remedy:
        "let that server listen on 127.0.0.1, and: server: \"tcp:127.0.0.1:4713\" (Docs/voice.md, The speaker)"
    )
  }

  private static func speaker(_ plan: VoicePlan) async -> Finding {
    let subject = "voice output"
    if let closed = closedServer(plan) { return closed }
    do throws(SoundError) {
      let deadline = BootClock().now.advanced(by: .seconds(5))
      let session = try await plan.output.open(by: deadline)
      let sink: Sink
      do throws(SoundError) {
        sink = try await session.sink(by: deadline)
      } catch {
        await session.close()
        throw error
      }
      await session.close()
      if sink.isAbstract {
        return Finding(
          .bad, subject, "\(sink.description) stands in for a device that is not there",
          remedy: "connect a speaker; `pactl list short sinks` shows what there is")
      }
      let volume = sink.volume.map { " at \(Int(($0.loudest * 100).rounded())) %" } ?? ""
      if sink.isMuted, plan.voice.mute == .respect {
        return Finding(
          .odd, subject, "\(sink.description) is muted", remedy: "unmute it, or set voice.mute to override")
      }
      if let loudest = sink.volume?.loudest, loudest < 0.2, plan.voice.minimumVolume < 20 {
        return Finding(
          .odd, subject, "\(sink.description)\(volume) is hardly heard",
          remedy: "set voice.minimum_volume, such as 70")
      }
      return Finding(.good, subject, "\(sink.description)\(volume)")
    } catch {
      return Finding(
        .bad, subject, error.message,
        remedy: "look for the sound server as the daemon's user: sudo -u printd pactl info (Docs/voice.md)")
    }
  }
}
