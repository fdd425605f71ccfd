import ESCPOS
import FoundationEssentials

/// A wake's JSON before its meaning is known: the shapes that backends send, each with its fault.
struct RawWake: Decodable {
  struct Aps: Decodable {
    var contentAvailable: RawFlag?
    var mutableContent: RawFlag?
    var alert: RawAlert?
    var sound: RawSound?
    var category: String?

    enum CodingKeys: String, CodingKey {
      case contentAvailable = "content-available"
      case mutableContent = "mutable-content"
      case alert, sound, category
    }
  }

  var aps: Aps
  var type: RawInteger?
  var data: RawData?
  var key: String?
  var value: RawAmount?
  var amount: RawAmount?
  var contents: String?
  var orderID: RawWord?
  var paymentID: RawWord?
  var refundID: RawWord?
  var payType: RawWord?
  /// Read in any case, since the decoder cannot be asked again; its fault counts only where inline orders are allowed.
  var order: Result<RawOrder, DecodingError>?

  enum CodingKeys: String, CodingKey {
    case aps, type, data, key, value, amount, contents
    case orderID = "order_id"
    case paymentID = "payment_id"
    case refundID = "refund_id"
    case payType = "pay_type"
    case order
  }

  init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: CodingKeys.self)
    aps = try keys.decode(Aps.self, forKey: .aps)
    type = try keys.decodeIfPresent(RawInteger.self, forKey: .type)
    data = try keys.decodeIfPresent(RawData.self, forKey: .data)
    key = try? keys.decodeIfPresent(String.self, forKey: .key)
    // `value` has a meaning beside `key: "sound"` alone; any other sender may put there what it likes.
    value = key == "sound" ? try keys.decodeIfPresent(RawAmount.self, forKey: .value) : nil
    amount = try keys.decodeIfPresent(RawAmount.self, forKey: .amount)
    contents = try keys.decodeIfPresent(String.self, forKey: .contents)
    orderID = try keys.decodeIfPresent(RawWord.self, forKey: .orderID)
    paymentID = try keys.decodeIfPresent(RawWord.self, forKey: .paymentID)
    refundID = try keys.decodeIfPresent(RawWord.self, forKey: .refundID)
    payType = try keys.decodeIfPresent(RawWord.self, forKey: .payType)
    do {
      order = try keys.decodeIfPresent(RawOrder.self, forKey: .order).map { .success($0) }
    } catch let fault as DecodingError {
      order = .failure(fault)
    }
  }
}

/// What stands in `data`, which is an object or a string that holds one.
struct RawDetails: Decodable {
  var payType: RawWord?
  var sumAmount: RawAmount?
  var orderAmount: RawAmount?
  var orderID: RawWord?
  var paymentID: RawWord?
  var refundID: RawWord?

  enum CodingKeys: String, CodingKey {
    case payType = "pay_type"
    case sumAmount = "sum_amount"
    case orderAmount = "order_amount"
    case orderID = "order_id"
    case paymentID = "payment_id"
    case refundID = "refund_id"
  }
}

/// `data` in either form.
enum RawData: Decodable {
  case text(String)
  case object(RawDetails)

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      self = .text(text)
    } else {
      self = .object(try RawDetails(from: decoder))
    }
  }
}

/// `alert` in either form.
struct RawAlert: Decodable {
  var alert: Wake.Alert

  enum CodingKeys: CodingKey { case title, body }

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      alert = Wake.Alert(title: nil, body: text)
    } else {
      let keys = try decoder.container(keyedBy: CodingKeys.self)
      alert = Wake.Alert(
        title: try keys.decodeIfPresent(String.self, forKey: .title),
        body: try keys.decodeIfPresent(String.self, forKey: .body))
    }
  }
}

/// `sound` in either form.
struct RawSound: Decodable {
  var name: String?

  enum CodingKeys: CodingKey { case name }

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      name = text
    } else {
      name = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .name)
    }
  }
}

/// 1 or 0 as a number, a numeric string or a truth value.
struct RawFlag: Decodable {
  var isOn: Bool

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let truth = try? value.decode(Bool.self) {
      isOn = truth
    } else if let number = try? RawInteger(from: decoder), number.value == 0 || number.value == 1 {
      isOn = number.value == 1
    } else {
      throw DecodingError.dataCorruptedError(in: value, debugDescription: "expected 1 or 0")
    }
  }
}

/// A whole number, or a string of one.
struct RawInteger: Decodable {
  var value: Int

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      value = number
    } else if let text = try? container.decode(String.self), let number = Int(text) {
      value = number
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a whole number, or a string of one")
    }
  }
}

/// A string, or a whole number written as one.
struct RawWord: Decodable {
  var text: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self.text = text
    } else if let number = try? container.decode(Int64.self) {
      text = String(number)
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a string or a whole number")
    }
  }
}

/// A decimal string, or a JSON number. The number goes through `Decimal`, which takes its digits and not their
/// nearest `Double`.
struct RawAmount: Decodable {
  var text: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self.text = text
    } else if let number = try? container.decode(Decimal.self) {
      text = number.description
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a decimal string such as \"12.50\"")
    }
  }
}
