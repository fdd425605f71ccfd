/// An answer that points elsewhere, and whether it is followed there.
struct Redirection {
  /// Where it points, absolute.
  let address: String
  /// 301, 302, 303, 307 or 308.
  let status: Int
  /// How many were followed before it.
  let hops: Int

  /// Why it is not followed, as the rest of a sentence about the server; nil when it is.
  ///
  /// Another scheme, host or port would get the request's headers, a token among them. 301 through 303 would turn a POST
  /// into a GET (RFC 9110, 15.4), and a report would be lost.
  func refusal(_ pending: PendingSend) -> String? {
    guard let target = try? Origin(address) else { return "redirects to an address that is not plain HTTP" }
    guard target == pending.origin else {
      return "redirects to \(target), which is not followed; configure that address if it is right"
    }
    guard pending.request.method == .get || status >= 307 else {
      return "redirects a \(pending.request.method.rawValue) with \(status); it has to use 307 or 308"
    }
    return hops < 5 ? nil : "redirects more than five times"
  }
}
