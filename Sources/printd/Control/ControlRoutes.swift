import BLETransport
import Documents
import ESCPOS
import PrintJobs
import PrintJournal
import WakeChannels
import WakeHandler

/// What the control socket answers: wakes without signature, jobs, reprints, test prints, status, metrics.
struct ControlRoutes: Sendable {
  let handler: WakeHandler
  let journal: Journal
  let printing: Printing
  let voice: ShopVoice?
  let scans: ScanTurns
  /// Reads printers, profiles, routes, secrets and the look of receipts again; says why not.
  let reload: @Sendable () async -> Failure?

  /// The routes.
  var router: Router {
    var router = Router()
    router.on(.post, "/v1/wakes") { request in
      let wake = WakeRequest(request, deliveryID: request.fields["webhook-id"])
      return await WakeRoutes.answer(wake, channel: "control", limit: Wake.Limits.anyBytes, by: handler)
    }
    router.on(.get, "/v1/status") { _ in await answer { .json(try await status()) } }
    router.on(.get, "/v1/jobs") { request in
      await answer { .json(JobsMessage(jobs: try await jobs(request))) }
    }
    router.on(.delete, "/v1/jobs/{id}") { request in
      await answer {
        let id = try number(request)
        try await handler.cancel(id)
        guard let job = try await journal.job(id) else { throw Refusal(.notFound, "there is no job \(id)") }
        return .json(JobMessage(job))
      }
    }
    router.on(.post, "/v1/jobs/{id}/resolve") { request in
      await answer {
        let wanted = try DocumentReader.read(ResolveMessage.self, from: request.body)
        guard let verdict = Verdict(rawValue: wanted.as) else {
          throw DocumentFault(path: "as", message: "must be one of printed, reprint, discard")
        }
        guard let completion = try await handler.resolve(try number(request), as: verdict) else {
          return .json(CompletionMessage(.ignored("settled as \(verdict.rawValue)")))
        }
        return WakeRoutes.response(await completion.value)
      }
    }
    router.on(.post, "/v1/orders/{id}/reprint") { request in
      await answer {
        let wanted =
          request.body.isEmpty
          ? ReprintMessage() : try DocumentReader.read(ReprintMessage.self, from: request.body)
        let copy = try await handler.reprint(
          orderID: request.parameters["id"] ?? "", kind: wanted.kind ?? printing.firstKind)
        return WakeRoutes.response(await copy.completion.value)
      }
    }
    router.on(.post, "/v1/printers/{name}/test-print") { request in
      await answer {
        let name = request.parameters["name"] ?? ""
        // What has begun by then is mostly on paper before the command ceases to wait.
        let latest = BootClock().now.advanced(by: ControlClient.patience - .seconds(10))
        let outcome = try await handler.testPrint(name, by: latest) { [printing] gate in
          try printing.testPage(name, answers: gate.lines)
        }
        return .json(CompletionMessage(outcome))
      }
    }
    router.on(.post, "/v1/bluetooth/{address}/loan") { request in
      await answer {
        let wanted = try DocumentReader.read(LoanMessage.self, from: request.body)
        let (loans, token) = (try loans(request), try LoanMessage.token(wanted.token))
        return .json(LoanMessage(seconds: try await loans.lend(for: wanted.seconds, to: token)))
      }
    }
    router.on(.delete, "/v1/bluetooth/{address}/loan") { request in
      await answer {
        let (loans, token) = (try loans(request), try LoanMessage.token(request.query("token")))
        await loans.takeBack(token)
        return .json(LoanMessage(seconds: 0))
      }
    }
    router.on(.post, "/v1/bluetooth/scan") { request in
      await answer {
        let wanted = try DocumentReader.read(ScanMessage.self, from: request.body)
        let token = try LoanMessage.token(wanted.token)
        return switch wanted.state {
        case .scanning: .json(ScanMessage(speaks: await scans.scan(token)))
        case .resting: .json(ScanMessage(speaks: await scans.rest(token)))
        case nil: throw DocumentFault(path: "state", message: "must be scanning or resting")
        }
      }
    }
    router.on(.delete, "/v1/bluetooth/scan") { request in
      await answer {
        await scans.end(try LoanMessage.token(request.query("token")))
        return .json(ScanMessage())
      }
    }
    router.on(.post, "/v1/reload") { _ in
      await answer {
        if let failure = await reload() { throw failure }
        return .json(try await status())
      }
    }
    router.on(.post, "/v1/announcements") { request in
      await answer { .json(try await announce(request.body)) }
    }
    router.on(.get, "/metrics") { _ in
      await answer {
        let text = MetricsPage.text(await handler.status(), try await journal.counts())
        return HTTPServer.Response(
          status: 200, fields: ["Content-Type": MetricsText.contentType], body: Array(text.utf8))
      }
    }
    return router
  }

  private func status() async throws -> StatusMessage {
    StatusMessage(await handler.status(), try await journal.counts())
  }

  private func announce(_ body: [UInt8]) async throws -> VoiceEndMessage {
    let wanted = try DocumentReader.read(AnnouncementMessage.self, from: body)
    guard let voice else {
      throw Failure(.configuration, "no voice is configured", remedy: "add \"voice\" to the configuration")
    }
    return VoiceEndMessage(try await voice.announce(wanted))
  }

  private func jobs(_ request: HTTPServer.Request) async throws -> [JobMessage] {
    if let order = request.query("order") {
      return try await journal.jobs(orderID: order).map(JobMessage.init)
    }
    if let id = request.query("id") {
      // A number may name a job or an order.
      let job = if let number = Int64(id) { try await journal.job(number) } else { Job?.none }
      return try await ((job.map { [$0] } ?? []) + journal.jobs(orderID: id)).map(JobMessage.init)
    }
    if request.query("all") != nil {
      let limit = request.query("limit").flatMap(Int.init) ?? 1000
      let before = request.query("before").flatMap(Int64.init)
      return try await journal.history(limit: min(max(limit, 1), 10000), before: before)
        .sorted { $0.id < $1.id }.map(JobMessage.init)
    }
    return try await journal.attention(limit: 1000).map(JobMessage.init)
  }

  private func loans(_ request: HTTPServer.Request) throws -> PrinterLoans {
    guard let address = request.parameters["address"].flatMap({ BluetoothAddress($0) }) else {
      throw Refusal(.notFound, "a Bluetooth address is needed, such as 00:11:22:33:44:55")
    }
    return PrinterLoans(address: address, handler: handler, printing: printing)
  }

  private func number(_ request: HTTPServer.Request) throws -> Int64 {
    guard let id = request.parameters["id"].flatMap({ Int64($0) }) else {
      throw Refusal(.notFound, "a job's number is needed")
    }
    return id
  }

  /// Answers, or says what is wrong and what to do.
  private func answer(_ body: () async throws -> HTTPServer.Response) async -> HTTPServer.Response {
    do {
      return try await body()
    } catch let refusal as Refusal {
      return WakeRoutes.response(refusal)
    } catch let fault as DocumentFault {
      return .error(400, fault.description)
    } catch let failure as Failure {
      return .error(400, failure.message, remedy: failure.remedy)
    } catch let error as JournalError {
      return .error(error.code == .storage ? 507 : 409, error.message)
    } catch {
      return .error(500, "\(error)")
    }
  }
}
