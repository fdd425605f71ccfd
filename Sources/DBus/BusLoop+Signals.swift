/// A match rule at the bus, and who gets what it lets through.
final class Rule {
  let text: String
  let match: DBusMatch
  var subscribers: [Int: AsyncStream<DBusSignal>.Continuation] = [:]
  /// Who waits to hear that the rule is in place.
  var waiting: [Answer] = []
  /// Answers of the bus that are still to come.
  var missing: Int

  init(_ match: DBusMatch, _ text: String) {
    self.match = match
    self.text = text
    missing = match.ownedName == nil ? 1 : 2
  }
}

/// A well-known name whose owner must be known: the bus delivers signals that are sent to us alone whoever sent them, so
/// a sender is believed only when it owns the name.
final class OwnedName {
  var owner: String?
  var users = 0
  var isKnown = false
  var waiting: [(Result<[DBusValue], DBusError>) -> Void] = []
}

extension BusLoop {
  /// Adds a subscriber; `answer` comes when the bus has the rule.
  func subscribe(
    _ match: DBusMatch, _ text: String, id: Int, _ stream: AsyncStream<DBusSignal>.Continuation,
    _ answer: Answer
  ) {
    guard wire != nil else {
      stream.finish()
      return answer.settle(.failure(.disconnected))
    }
    if let rule = rules[text] {
      rule.subscribers[id] = stream
      if rule.missing == 0 { answer.settle(.success([])) } else { rule.waiting.append(answer) }
      return
    }
    let rule = Rule(match, text)
    rule.subscribers[id] = stream
    rule.waiting = [answer]
    rules[text] = rule
    ask(.bus("AddMatch", .string(text))) { [unowned self] in advance(rule, $0) }
    if let name = match.ownedName { watch(name) { [unowned self] in advance(rule, $0) } }
  }

  private func advance(_ rule: Rule, _ result: Result<[DBusValue], DBusError>) {
    switch result {
    case .success:
      rule.missing -= 1
      guard rule.missing == 0 else { return }
      for answer in rule.waiting { answer.settle(result) }
      rule.waiting = []
    case .failure:
      for answer in rule.waiting { answer.settle(result) }
      rule.waiting = []
      for stream in rule.subscribers.values { stream.finish() }
      rule.subscribers = [:]
      drop(rule)
    }
  }

  /// Removes a subscriber, and with the last one the rule.
  func unsubscribe(_ text: String, id: Int) {
    guard let rule = rules[text], rule.subscribers.removeValue(forKey: id) != nil else { return }
    rule.waiting.removeAll(where: \.isSettled)
    if rule.subscribers.isEmpty { drop(rule) }
  }

  private func drop(_ rule: Rule) {
    guard rules[rule.text] === rule else { return }
    rules.removeValue(forKey: rule.text)
    tell(.bus("RemoveMatch", .string(rule.text)))
    if let name = rule.match.ownedName { leave(name) }
  }

  /// Follows the owner of a name until it is left as often.
  private func watch(_ name: String, _ known: @escaping (Result<[DBusValue], DBusError>) -> Void) {
    if let watched = names[name] {
      watched.users += 1
      if watched.isKnown { known(.success([])) } else { watched.waiting.append(known) }
      return
    }
    let watched = OwnedName()
    watched.users = 1
    watched.waiting = [known]
    names[name] = watched
    // What changes after the question is told after the answer, since the bus keeps the order.
    tell(.bus("AddMatch", .string(Self.ownerRule(name))))
    ask(.bus("GetNameOwner", .string(name))) { result in
      var result = result
      switch result {
      case .success(let values): watched.owner = values.first?.string
      case .failure(let error) where error.name == DBusError.Name.nameHasNoOwner: result = .success([])
      case .failure: break
      }
      if case .success = result { watched.isKnown = true }
      let waiting = watched.waiting
      watched.waiting = []
      for known in waiting { known(result) }
    }
  }

  private func leave(_ name: String) {
    guard let watched = names[name] else { return }
    watched.users -= 1
    guard watched.users == 0 else { return }
    names.removeValue(forKey: name)
    tell(.bus("RemoveMatch", .string(Self.ownerRule(name))))
  }

  private static func ownerRule(_ name: String) -> String {
    // Told apart from a subscriber's rule for the same, which comes and goes by itself.
    "type='signal',sender='\(DBusName.bus)',path='/org/freedesktop/DBus',interface='\(DBusName.bus)',"
      + "member='NameOwnerChanged',arg0='\(name)'"
  }

  /// Hands a signal to everybody who wants it. It is in their streams before any later message is looked at.
  func deliver(_ header: WireMessage.Header, _ message: WireMessage) {
    let interface = header.interface ?? ""
    var read: Result<[DBusValue], DBusError>?
    func arguments() -> Result<[DBusValue], DBusError> {
      if let read { return read }
      let result: Result<[DBusValue], DBusError>
      do throws(DBusError) { result = .success(try message.arguments()) } catch { result = .failure(error) }
      read = result
      return result
    }
    if header.sender == DBusName.bus, header.member == "NameOwnerChanged", message.signature == "sss",
      case .success(let change) = arguments(), let name = change[0].string, let watched = names[name]
    {
      watched.owner = change[2].string.flatMap { $0.isEmpty ? nil : $0 }
    }
    for rule in rules.values {
      let owner = rule.match.ownedName.flatMap { names[$0]?.owner }
      guard
        rule.match.accepts(
          sender: header.sender, path: header.path, interface: interface, member: header.member, owner: owner)
      else { continue }
      guard case .success(let arguments) = arguments() else {
        // A signal that cannot be read is not passed over in silence.
        for stream in rule.subscribers.values { stream.finish() }
        continue
      }
      guard rule.match.accepts(arguments) else { continue }
      let signal = DBusSignal(
        sender: header.sender, path: header.path, interface: interface, member: header.member,
        arguments: arguments)
      for stream in rule.subscribers.values {
        if case .dropped = stream.yield(signal) { stream.finish() }
      }
    }
  }

  /// Ends all streams.
  func endSignals() {
    let open = Array(rules.values)
    rules = [:]
    names = [:]
    for rule in open {
      for answer in rule.waiting { answer.settle(.failure(.disconnected)) }
      for stream in rule.subscribers.values { stream.finish() }
    }
  }
}
