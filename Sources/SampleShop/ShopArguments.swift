import Glibc

/// The program's command line.
struct ShopArguments {
  /// What is wrong with it.
  struct Fault: Error {
    var message: String
  }

  static let usage = """
    usage: sample-shop --listen ADDRESS:PORT --orders DIR --reports FILE [--port-file FILE] [--token-file FILE]

    A shop's backend to try printd with: orders from DIR/<id>.json, reports into FILE.

      GET  /orders/ID            the order
      GET  /orders?after=CURSOR  the orders whose ids sort after CURSOR, and the next cursor
      POST /reports              takes a report; one Idempotency-Key counts once
      GET  /reports              all reports
      POST /faults               misbehaves: {"path": "/orders", "status": 500, "times": 2}; also "slow_ms", "half_body", "not_json"
      DELETE /faults             behaves again

    example: sample-shop --listen 127.0.0.1:8181 --orders Examples/orders --reports /tmp/reports.jsonl
    """

  var host = ""
  var port: UInt16 = 0
  var orders = ""
  var reports = ""
  /// Where the port is written once the shop listens, for port 0.
  var portFile: String?
  /// The bearer token that every request must carry.
  var token: String?

  init(_ words: [String]) throws(Fault) {
    var rest = words[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Fault(message: "\(name) needs a value") }
      switch name {
      case "--listen":
        guard let colon = value.lastIndex(of: ":"), let port = UInt16(value[colon...].dropFirst()) else {
          throw Fault(message: "--listen \(value): expected an address and a port such as 127.0.0.1:8181")
        }
        host = value[..<colon].filter { $0 != "[" && $0 != "]" }
        self.port = port
      case "--orders": orders = value
      case "--reports": reports = value
      case "--port-file": portFile = value
      case "--token-file":
        guard let bytes = ShopFiles.read(value) else { throw Fault(message: "\(value) cannot be read") }
        token = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
      default: throw Fault(message: "there is no option \(name)")
      }
    }
    for (name, value) in [("--listen", host), ("--orders", orders), ("--reports", reports)]
    where value.isEmpty {
      throw Fault(message: "\(name) is missing")
    }
  }
}
