import ESCPOS

// Strict decoding: unknown keys are refused with the nearest right one, numbers are checked against their range.

extension Configuration {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case stateDirectory = "state_directory"
    case locale
    case timeZone = "time_zone"
    case capitals, images, profiles, budget, jobs, printers, routes, orders, wakes, webhook, voice, control
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    try fields.read(.stateDirectory, into: &stateDirectory)
    try fields.read(.locale, into: &locale)
    try fields.read(.timeZone, into: &timeZone)
    try fields.read(.capitals, into: &capitals)
    try fields.read(.images, into: &images)
    try fields.read(.profiles, into: &profiles)
    try fields.read(.budget, into: &budget)
    try fields.read(.jobs, into: &jobs)
    try fields.read(.printers, into: &printers)
    try fields.read(.routes, into: &routes)
    try fields.read(.orders, into: &orders)
    try fields.read(.wakes, into: &wakes)
    try fields.read(.webhook, into: &webhook)
    try fields.read(.voice, into: &voice)
    try fields.read(.control, into: &control)
  }
}

extension Configuration.Budget {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case seconds
    case graceMilliseconds = "grace_ms"
    case reportReserveMilliseconds = "report_reserve_ms"
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    try fields.read(.seconds, into: &seconds, in: 1...30)
    try fields.read(.graceMilliseconds, into: &graceMilliseconds, in: 50...5000)
    let isWritten = fields.container.contains(.reportReserveMilliseconds)
    if !isWritten {
      reportReserveMilliseconds = min(1000, max(0, Int(seconds * 1000) - graceMilliseconds) / 4)
    }
    try fields.read(.reportReserveMilliseconds, into: &reportReserveMilliseconds, in: 0...10000)
    guard limits != nil else {
      throw fields.fault(
        isWritten ? .reportReserveMilliseconds : .graceMilliseconds,
        "grace_ms and report_reserve_ms together must leave half of the \(seconds.short) seconds for the work"
      )
    }
  }
}

extension Configuration.Jobs {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case expireMinutes = "expire_minutes"
    case historyDays = "history_days"
    case damagedJournal = "damaged_journal"
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    try fields.read(.expireMinutes, into: &expireMinutes, in: 1...10080)
    try fields.read(.historyDays, into: &historyDays, in: 1...3650)
    if fields.container.contains(.damagedJournal) {
      damagedJournal = try fields.choice(.damagedJournal, Configuration.Jobs.DamagedJournal.self)
    }
  }
}

extension Configuration.Overrides {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case fence
    case bytesPerSecond = "bytes_per_second"
    case drawer, status
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    if fields.container.contains(.fence) {
      let words = ["processID", "paperStatus", "none"]
      let word = try fields.container.decode(String.self, forKey: .fence)
      guard let fence = PrinterProfile.Fence(rawValue: word) else {
        throw fields.fault(.fence, "must be one of \(words.joined(separator: ", "))")
      }
      self.fence = fence
    }
    if fields.container.contains(.bytesPerSecond) {
      var bytes = 0
      try fields.read(.bytesPerSecond, into: &bytes, in: 100...1_000_000)
      bytesPerSecond = bytes
    }
    try fields.read(.drawer, into: &drawer)
    try fields.read(.status, into: &status)
  }
}

extension Configuration.Route {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, printer, copies
    case payTypes = "pay_types"
    case merchants
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    kind = try fields.word(.kind)
    printer = try fields.word(.printer)
    try fields.read(.copies, into: &copies, in: 1...9)
    try fields.read(.payTypes, into: &payTypes)
    try fields.read(.merchants, into: &merchants)
  }
}

extension Configuration.Orders: Decodable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case http, directory
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    var http: Configuration.HTTPOrders?
    var directory: String?
    try fields.read(.http, into: &http)
    try fields.read(.directory, into: &directory)
    switch (http, directory) {
    case (let http?, nil): self = .http(http)
    case (nil, let directory?): self = .directory(directory)
    case (nil, nil): throw fields.fault(.http, "or \"directory\" is needed: where orders come from")
    default: throw fields.fault(.directory, "stands beside \"http\"; keep one of them")
    }
  }
}

extension Configuration.HTTPOrders {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case fetch, report, pending
    case tokenFile = "token_file"
    case header
    case caFile = "ca_file"
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    fetch = try fields.container.decode(String.self, forKey: .fetch)
    report = try fields.container.decode(String.self, forKey: .report)
    try fields.read(.pending, into: &pending)
    try fields.read(.tokenFile, into: &tokenFile)
    try fields.read(.header, into: &header)
    try fields.read(.caFile, into: &caFile)
    guard fetch.contains("{order_id}") else {
      throw fields.fault(.fetch, "must hold {order_id}, such as \"https://shop.example/orders/{order_id}\"")
    }
    for (key, url) in [(CodingKeys.fetch, fetch), (.report, report), (.pending, pending ?? "https://")] {
      guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
        throw fields.fault(key, "must begin with https:// (or http://)")
      }
    }
    if tokenFile != nil && header != nil {
      throw fields.fault(.header, "stands beside \"token_file\"; keep one of them")
    }
  }
}

extension Configuration.HTTPOrders.Header {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case name
    case valueFile = "value_file"
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    name = try fields.word(.name)
    valueFile = try fields.container.decode(String.self, forKey: .valueFile)
  }
}

extension Configuration.Wakes {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case inlineOrders = "inline_orders"
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    try fields.read(.inlineOrders, into: &inlineOrders)
  }
}

extension Configuration.Webhook {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case listen
    case secretFiles = "secret_files"
    case connections
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    try fields.read(.listen, into: &listen)
    secretFiles = try fields.container.decode([String].self, forKey: .secretFiles)
    try fields.read(.connections, into: &connections, in: 1...10000)
    guard !secretFiles.isEmpty else {
      throw fields.fault(.secretFiles, "must name at least one file with a whsec_ secret")
    }
    guard HostAndPort(listen, defaultPort: 8787) != nil else {
      throw fields.fault(.listen, "must be an address and a port, such as \"127.0.0.1:8787\"")
    }
  }
}

extension Configuration.Control {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case socket
  }

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder, CodingKeys.self)
    try fields.read(.socket, into: &socket)
    guard socket.hasPrefix("/"), socket.utf8.count <= 107 else {
      throw fields.fault(.socket, "must be an absolute path of at most 107 bytes")
    }
  }
}
