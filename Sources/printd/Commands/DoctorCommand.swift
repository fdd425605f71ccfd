import Curl
import ESCPOS
import Glibc
import OrderService
import PrintJobs
import TextRaster
import WakeChannels

/// `printd doctor`
struct DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "looks at everything that printd needs: what is wrong and what to do"
  static let help = """
    usage: printd doctor [--config FILE]

    Looks at the configuration, the state directory, the daemon, the order service, the webhook's secrets, the clock, the
    fonts, Bluetooth, every printer and the voice. Nothing is printed or changed.

    exit codes: 0 nothing wrong · 69 something is · 75 stopped · 78 the configuration is

    Examples:
      printd doctor
      sudo -u printd printd doctor --config /etc/printd/printd.json5
    """

  static func run(_ arguments: inout Arguments) async throws -> ExitCode {
    let options = try CommonOptions(&arguments)
    try arguments.finish()
    let loaded = try options.load()
    let findings = try await Interruption.run { try await look(at: loaded, options.configPath) }
    for finding in findings { Console.print(finding.text) }
    return findings.allSatisfy(\.isGood) ? .success : .unavailable
  }

  /// Looks at everything in turn.
  ///
  /// - Throws: ``Failure/stopped`` when the task is cancelled; what was begun is undone then.
  private static func look(
    at loaded: ConfigurationFile.Loaded, _ configPath: String
  ) async throws(Failure) -> [Finding] {
    var findings = [Finding(.good, "configuration", configPath)]
    findings += loaded.warnings.map { Finding(.odd, "configuration", $0) }
    findings.append(stateDirectory(loaded.configuration.stateDirectory))
    findings.append(await daemon(loaded.configuration.control.socket))
    findings.append(await orders(loaded.configuration))
    if let webhook = loaded.configuration.webhook { findings.append(secrets(webhook)) }
    findings.append(clock())
    findings.append(fonts(loaded.configuration.raster))
    try Interruption.check()
    let printers = loaded.configuration.printers
    findings += await BluetoothCheck.findings(
      printers, isNeeded: printers.contains(where: \.link.isBluetooth))
    findings += try await PrinterCheck.findings(loaded.configuration.printers, loaded)
    findings += await VoiceCheck.findings(loaded.configuration)
    try Interruption.check()
    return findings
  }

  private static func stateDirectory(_ path: String) -> Finding {
    let subject = "state directory"
    guard access(path, F_OK) == 0 else {
      return Finding(
        .odd, subject, "\(path) is not there yet", remedy: "the daemon makes it at its first start")
    }
    guard access(path, W_OK) == 0 else {
      return Finding(
        .odd, subject, "\(path) cannot be written by this user",
        remedy: "run doctor as the daemon's user to be sure")
    }
    var room = statvfs()
    guard statvfs(path, &room) == 0 else { return Finding(.good, subject, path) }
    let megabytes = (UInt64(room.f_bavail) * UInt64(room.f_frsize)) >> 20
    guard megabytes >= 100 else {
      return Finding(.bad, subject, "\(path) has \(megabytes) MB left", remedy: "make space: at least 100 MB")
    }
    return Finding(.good, subject, "\(path), \(megabytes) MB left")
  }

  private static func daemon(_ socket: String) async -> Finding {
    let client = ControlClient(socket: socket)
    do throws(Failure) {
      let status = try await client.read(StatusMessage.self, .get, "/v1/status")
      guard status.version == Version.text else {
        return Finding(
          .odd, "daemon", "runs version \(status.version), this is \(Version.text)",
          remedy: "systemctl restart printd")
      }
      return Finding(.good, "daemon", status.summary)
    } catch {
      return Finding(.odd, "daemon", error.message, remedy: error.remedy)
    }
  }

  private static func orders(_ configuration: Configuration) async -> Finding {
    let subject = "order service"
    switch configuration.orders {
    case .directory(let path):
      let count = Files.names(in: path).count { $0.hasSuffix(".json") }
      return access(path, R_OK | X_OK) == 0
        ? Finding(.good, subject, "\(path), \(count) order\(count == 1 ? "" : "s")")
        : Finding(
          .bad, subject, "\(path) cannot be read", remedy: "make it, readable and writable by the daemon")
    case .http(let http):
      return await ask(http)
    case nil:
      return Finding(.bad, subject, "none is configured")
    }
  }

  /// Asks for an order that cannot be there; any answer below 500 that is not a refusal of ours will do.
  private static func ask(_ http: Configuration.HTTPOrders) async -> Finding {
    let subject = "order service"
    let service: HTTPOrderService
    do throws(Failure) {
      service = try Configuration.httpOrderService(http)
    } catch {
      return Finding(.bad, subject, error.message, remedy: error.remedy)
    }
    do throws(OrderServiceError) {
      _ = try await service.order("printd-doctor", by: BootClock().now.advanced(by: .seconds(5)))
    } catch {
      switch error.code {
      case .notFound: break
      case .refused, .unavailable, .deadline, .unsupported:
        return Finding(.bad, subject, error.message, remedy: "curl -v the address of orders.http.fetch")
      }
    }
    return Finding(.good, subject, "answers")
  }

  private static func secrets(_ webhook: Configuration.Webhook) -> Finding {
    do throws(Failure) {
      _ = try Secrets(webhook)
      return Finding(
        .good, "webhook",
        "\(webhook.secretFiles.count) secret file\(webhook.secretFiles.count == 1 ? "" : "s"), listens on \(webhook.listen)"
      )
    } catch {
      return Finding(.bad, "webhook", error.message, remedy: error.remedy)
    }
  }

  private static func clock() -> Finding {
    if SystemTime.now < WebhookSignature.earliestClock {
      return Finding(
        .bad, "clock", "is before 2025; signatures are refused", remedy: "timedatectl set-ntp true")
    }
    return Finding(.good, "clock", "set")
  }

  private static func fonts(_ raster: PangoRaster) -> Finding {
    let samples = [("Latin", "a"), ("Chinese", "收"), ("Arabic", "ش"), ("Thai", "ข")]
    let missing = samples.filter { sample in
      let drawn = try? raster.dots(
        text: sample.1, columns: 2, cell: CellSize(width: 12, height: 24), style: .init(), align: .left)
      return drawn == nil
    }
    guard missing.isEmpty else {
      return Finding(
        .odd, "fonts", "none for \(missing.map(\.0).joined(separator: ", ")); such text prints as boxes",
        remedy: "apt install fonts-dejavu-core fonts-noto-cjk fonts-noto-core fonts-symbola")
    }
    return Finding(.good, "fonts", "for every script of a receipt")
  }
}
