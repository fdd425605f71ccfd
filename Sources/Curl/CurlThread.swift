import CCurl
import ESCPOS
import Glibc
import Synchronization
import Threads

/// The one thread that drives libcurl's multi interface. The only file that knows the library.
final class CurlThread: Sendable {
  private struct Multi: @unchecked Sendable {
    // Driven by the thread alone; `curl_multi_wakeup` is made for others and is called under the state's lock.
    let handle: UnsafeMutableRawPointer
  }

  private struct State {
    var multi: Multi?
    var incoming: [PendingSend] = []
    var isStopping = false
  }

  private let state = Mutex(State())
  private let options: HTTPClient.Options
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  init(_ options: HTTPClient.Options) { self.options = options }

  /// Takes a request on, starting the thread where it does not run yet.
  func add(_ pending: PendingSend) {
    let failed = state.withLock { state -> Bool in
      if state.multi == nil {
        guard let multi = start() else { return true }
        state.multi = multi
      }
      state.incoming.append(pending)
      if let multi = state.multi { curl_multi_wakeup(multi.handle) }
      return false
    }
    guard failed else { return }
    pending.finish(
      .failure(HTTPClientError(.failed, "no thread for HTTP could be started; the system is out of memory")))
  }

  /// Makes the thread look around: a request was cancelled.
  func wake() {
    state.withLock { state in
      if let multi = state.multi { curl_multi_wakeup(multi.handle) }
    }
  }

  /// Ends the thread.
  func stop() {
    state.withLock { $0.isStopping = true }
    wake()
  }

  private func start() -> Multi? {
    guard CurlThread.isReady, let handle = curl_multi_init() else { return nil }
    _ = ccurl_multi_set_long(handle, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHost)
    _ = ccurl_multi_set_long(handle, CURLMOPT_MAXCONNECTS, options.connectionsPerHost)
    do throws(OwnThread.Failure) {
      try OwnThread.start { self.run() }
    } catch {
      curl_multi_cleanup(handle)
      return nil
    }
    return Multi(handle: handle)
  }

  // MARK: On the thread

  private func run() {
    guard let multi = state.withLock({ $0.multi }) else { return }
    var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    while true {
      let (incoming, isStopping) = state.withLock { state -> ([PendingSend], Bool) in
        defer { state.incoming = [] }
        return (state.incoming, state.isStopping)
      }
      for pending in incoming { begin(pending, on: multi, in: &transfers) }
      for (easy, transfer) in transfers where isStopping || transfer.pending.isFinished {
        curl_multi_remove_handle(multi.handle, easy)
        transfers[easy] = nil
        transfer.abandon()
      }
      if isStopping { break }
      var running: Int32 = 0
      curl_multi_perform(multi.handle, &running)
      var result = CURLE_OK
      while let easy = ccurl_finished(multi.handle, &result) {
        curl_multi_remove_handle(multi.handle, easy)
        guard let transfer = transfers.removeValue(forKey: easy) else { continue }
        guard let next = transfer.finish(result) else { continue }
        if curl_multi_add_handle(multi.handle, next.easy) == CURLM_OK { transfers[next.easy] = next }
      }
      // Up to three weeks; libcurl itself shortens it to its next time-out.
      curl_multi_poll(multi.handle, nil, 0, Int32.max, nil)
    }
    state.withLock { $0.multi = nil }
    curl_multi_cleanup(multi.handle)
  }

  private func begin(
    _ pending: PendingSend, on multi: Multi, in transfers: inout [UnsafeMutableRawPointer: Transfer]
  ) {
    guard !pending.isFinished else { return }
    guard let transfer = Transfer(pending, options, url: pending.request.url, hops: 0),
      curl_multi_add_handle(multi.handle, transfer.easy) == CURLM_OK
    else {
      let message =
        "the request to \(pending.origin) could not be set up; check the certificate file and the socket path"
      return pending.finish(.failure(HTTPClientError(.failed, message)))
    }
    transfers[transfer.easy] = transfer
  }
}

/// One easy handle: a request up to its answer or up to a redirection. Lives on the thread.
private final class Transfer {
  let easy: UnsafeMutableRawPointer
  let pending: PendingSend
  private let options: HTTPClient.Options
  private let hops: Int
  private var list: UnsafeMutablePointer<curl_slist>?
  private let reason = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private var headers: [(name: String, value: String)] = []
  private var headerBytes = 0
  private var isHeaderWhole = false
  private var body: [UInt8] = []
  private var isTooLarge = false

  /// Sets the handle up; nil when libcurl refuses an option.
  init?(_ pending: PendingSend, _ options: HTTPClient.Options, url: String, hops: Int) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    self.pending = pending
    self.options = options
    self.hops = hops
    reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    guard setUp(url) else { return nil }
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(list)
    reason.deallocate()
  }

  private func setUp(_ url: String) -> Bool {
    let request = pending.request
    let remaining = max(1, Int(BootClock().now.duration(to: pending.deadline).milliseconds))
    // An empty value is written with a semicolon (a colon takes the field away), and that is done to `Expect`.
    let lines =
      request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } + ["Expect:"]
    for line in lines {
      guard let longer = curl_slist_append(list, line) else { return false }
      list = longer
    }
    var settings = [
      ccurl_set_string(easy, CURLOPT_URL, url),
      ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
      ccurl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1),
      ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1),
      // A resolver that hangs is left behind instead of holding up the whole thread.
      ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1),
      ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, remaining),
      ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, min(remaining, Int(options.connect.milliseconds))),
      ccurl_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, Int(max(1, request.responseLimit))),
      ccurl_set_string(easy, CURLOPT_USERAGENT, options.userAgent),
      ccurl_set_list(easy, CURLOPT_HTTPHEADER, list),
      ccurl_set_bytes(easy, CURLOPT_ERRORBUFFER, reason),
      ccurl_prepare_sockets(easy, UInt32(max(0, min(options.silence.milliseconds, 1e9)))),
      ccurl_on_piece(easy, CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA, headerCallback, context),
      ccurl_on_piece(easy, CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, bodyCallback, context),
    ]
    if !options.usesProxyOfEnvironment { settings.append(ccurl_set_string(easy, CURLOPT_PROXY, "")) }
    if let path = options.unixSocket {
      settings.append(ccurl_set_string(easy, CURLOPT_UNIX_SOCKET_PATH, path))
    }
    if let file = options.certificateFile {
      settings += [ccurl_set_string(easy, CURLOPT_CAINFO, file), ccurl_set_string(easy, CURLOPT_CAPATH, nil)]
    }
    if let body = request.body ?? (request.method == .post ? [] : nil) {
      settings += [
        ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, body.count),
        body.withUnsafeBytes { ccurl_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) },
      ]
    }
    settings.append(ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue))
    return settings.allSatisfy { $0 == CURLE_OK }
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Takes a header line; false aborts the transfer.
  func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    headerBytes += line.count
    isTooLarge = headerBytes > 65536
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") {
      headers = []
      isHeaderWhole = false
    } else if line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") {
      isHeaderWhole = true
    } else if let colon = text.firstIndex(of: ":") {
      let value = text[colon...].dropFirst().drop { $0 == " " || $0 == "\t" }
      headers.append((String(text[..<colon]), String(value.prefix { !$0.isNewline })))
    }
    return !isTooLarge
  }

  /// Takes a piece of the body; false aborts the transfer.
  func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
    isTooLarge = body.count + piece.count > pending.request.responseLimit
    if !isTooLarge { body += piece }
    return !isTooLarge
  }

  /// Ends the wait of whoever still waits.
  func abandon() {
    pending.finish(.failure(HTTPClientError(.cancelled, "the request to \(pending.origin) was given up")))
  }

  /// Gives the result, or returns the transfer that follows a redirection.
  func finish(_ result: CURLcode) -> Transfer? {
    // libcurl takes a header that breaks off for an answer without a body.
    let result = result == CURLE_OK && !isHeaderWhole ? CURLE_PARTIAL_FILE : result
    guard result == CURLE_OK else {
      pending.finish(.failure(error(result)))
      return nil
    }
    let status = ccurl_status(easy)
    if [301, 302, 303, 307, 308].contains(status), let address = ccurl_redirect(easy) {
      return follow(Redirection(address: String(cString: address), status: status, hops: hops))
    }
    pending.finish(.success(HTTPClient.Response(status: status, headers: headers, body: body)))
    return nil
  }

  private func follow(_ redirection: Redirection) -> Transfer? {
    let fault: String
    if let refusal = redirection.refusal(pending) {
      fault = refusal
    } else if let next = Transfer(pending, options, url: redirection.address, hops: hops + 1) {
      return next
    } else {
      fault = "redirects to an address that libcurl does not take"
    }
    pending.finish(.failure(HTTPClientError(.redirect, "\(pending.origin) \(fault)")))
    return nil
  }

  private func error(_ result: CURLcode) -> HTTPClientError {
    let origin = pending.origin
    if isTooLarge || result == CURLE_FILESIZE_EXCEEDED {
      return HTTPClientError(
        .tooLarge, "the answer of \(origin) is longer than \(pending.request.responseLimit) bytes")
    }
    let details = String(cString: reason)
    switch result {
    case CURLE_OPERATION_TIMEDOUT where BootClock().now.duration(to: pending.deadline) > .milliseconds(20):
      return HTTPClientError(.unreachable, "\(origin) did not take the connection within \(options.connect)")
    case CURLE_OPERATION_TIMEDOUT:
      return HTTPClientError(.deadline, "\(origin) did not answer in the time given")
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      return HTTPClientError(.unreachable, "\(origin) was not found; check the host name and the network")
    case CURLE_COULDNT_CONNECT:
      return HTTPClientError(.unreachable, "\(origin) does not take connections")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      return HTTPClientError(.tls, "no trusted TLS connection to \(origin): \(details)")
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      return HTTPClientError(.interrupted, "the connection to \(origin) broke before the answer was whole")
    default:
      return HTTPClientError(.failed, "\(origin): \(String(cString: curl_easy_strerror(result)))")
    }
  }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
  context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

private let headerCallback: ccurl_piece = { bytes, size, count, context in
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(context)?.takeHeader(line) == true ? line.count : 0
}

private let bodyCallback: ccurl_piece = { bytes, size, count, context in
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(context)?.takeBody(piece) == true ? piece.count : 0xFFFF_FFFF  // CURL_WRITEFUNC_ERROR
}
