extension Token {
  /// Why a printer ignores a complete command: a parameter outside its range, or a function nobody knows.
  ///
  /// Ranges: Epson ESC/POS command reference, "Range" of each command.
  var parameterFault: Fault? {
    func within(_ allowed: Bool, _ text: @autoclosure () -> String) -> Fault? {
      allowed ? nil : .ignored(text())
    }
    let n = self[2]
    switch opcode {
    case .dleEOT: return within((1...8).contains(n) || n == 18, "n is \(n), not 1 through 4")
    case .dleENQ: return within(n <= 3, "n is \(n), not 1 or 2")
    case .escAlign, .escUnderline, .fsUnderline:
      return within(n <= 2 || (48...50).contains(n), "n is \(n), not 0, 1 or 2")
    case .escFont:
      return within(n <= 4 || (48...52).contains(n) || n == 97 || n == 98, "there is no font \(n)")
    case .escDirection: return within(n <= 3 || (48...51).contains(n), "n is \(n), not 0 through 3")
    case .escRotate: return within(n <= 2 || (48...50).contains(n), "n is \(n), not 0, 1 or 2")
    case .escPulse: return within([0, 1, 48, 49].contains(n), "m is \(n), not 0 or 1")
    case .escBeep:
      return within((1...9).contains(n) && self[3] >= 1, "n is \(n) and t \(self[3]), not 1 through 9")
    case .gsSize: return within(n & 0x88 == 0, "n is \(n): a size is 1 through 8")
    case .gsCut:
      return within([0, 1, 48, 49].contains(n) || CommandPrefix.cutFeeds.contains(n), "there is no cut \(n)")
    case .gsCaption: return within(n <= 3 || (48...51).contains(n), "n is \(n), not 0 through 3")
    case .gsBarcodeHeight: return within(n >= 1, "the height is 0")
    case .gsBarcodeWidth:
      return within((1...6).contains(n) || (68...76).contains(n), "n is \(n), not 2 through 6")
    case .gsRaster:
      return within(
        (self[3] <= 3 || (48...51).contains(self[3])) && pair(4) > 0 && pair(6) > 0,
        "m is \(self[3]), the size \(pair(4)) bytes × \(pair(6)) dots")
    case .gsParenthesis: return functionFault
    case .escParenthesis: return within([0x41, 0x59].contains(n), "nobody knows this function")
    case .fsParenthesis: return within("ACELefg".utf8.contains(n), "nobody knows this function")
    case .gsBarcode: return BarcodeRequest(self).fault.map { .ignored($0) }
    default: return nil
    }
  }

  /// Functions of `GS ( …`: the known letters, and for graphics and 2D codes the known functions.
  private var functionFault: Fault? {
    switch self[2] {
    case UInt8(ascii: "k"):
      guard length >= 7 else { return .ignored("it has no function") }
      guard (48...54).contains(self[5]) else { return .ignored("there is no code \(self[5])") }
      return (65...82).contains(self[6]) ? nil : .ignored("there is no function \(self[6])")
    case UInt8(ascii: "L"):
      guard length >= 7 else { return .ignored("it has no function") }
      return Self.graphicsFunctions.contains(self[6]) ? nil : .ignored("there is no function \(self[6])")
    default:
      return "ABCDEFGHKMNPQVXYZz".utf8.contains(self[2]) ? nil : .ignored("nobody knows this function")
    }
  }

  private static let graphicsFunctions: Set<UInt8> = [
    0, 1, 2, 3, 4, 48, 49, 50, 51, 52, 64, 65, 66, 67, 68, 69, 80, 81, 82, 83, 84, 85, 112, 113,
  ]
}

/// What a `GS k` asks for.
struct BarcodeRequest {
  /// The symbologies of `GS k`, by the m of its second form.
  enum Symbology: UInt8, Sendable {
    case upcA = 65
    case upcE, ean13, ean8, code39, itf, codabar, code93, code128, gs1128
    case dataBarOmnidirectional, dataBarTruncated, dataBarLimited, dataBarExpanded
    case code128Auto

    /// Its name for people.
    var name: String {
      switch self {
      case .upcA: "UPC-A"
      case .upcE: "UPC-E"
      case .ean13: "EAN-13"
      case .ean8: "EAN-8"
      case .code39: "CODE39"
      case .itf: "ITF"
      case .codabar: "Codabar"
      case .code93: "CODE93"
      case .code128, .code128Auto: "CODE128"
      case .gs1128: "GS1-128"
      case .dataBarOmnidirectional: "DataBar"
      case .dataBarTruncated: "DataBar Truncated"
      case .dataBarLimited: "DataBar Limited"
      case .dataBarExpanded: "DataBar Expanded"
      }
    }
  }

  var symbology: Symbology
  var data: [UInt8]

  init(_ token: Token) {
    let m = token[2]
    symbology = Symbology(rawValue: m < 65 ? m + 65 : m) ?? .code128
    data = Array(token.payload)
  }

  /// Why a printer draws no bars for it, or nil. Source: "GS k", tables of data and range.
  var fault: String? {
    let digits = data.allSatisfy { (0x30...0x39).contains($0) }
    func count(_ allowed: ClosedRange<Int>...) -> String? {
      guard digits else { return "\(symbology.name) takes digits only" }
      return allowed.contains { $0.contains(data.count) }
        ? nil : "\(symbology.name) does not take \(data.count) digits"
    }
    switch symbology {
    case .upcA: return count(11...12)
    case .upcE: return count(6...8, 11...12)
    case .ean13: return count(12...13)
    case .ean8: return count(7...8)
    case .itf:
      guard digits else { return "ITF takes digits only" }
      return data.count >= 2 && data.count % 2 == 0 ? nil : "ITF takes an even number of digits"
    case .code39:
      let allowed = data.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || " $%*+-./".utf8.contains($0)
      }
      return !data.isEmpty && allowed ? nil : "CODE39 takes digits, capitals and $%+-./ only"
    case .codabar:
      guard data.count >= 2, let first = data.first, let last = data.last else {
        return "Codabar takes two or more"
      }
      let ends = "ABCDabcd".utf8
      let middle = data.dropFirst().dropLast().allSatisfy {
        (0x30...0x39).contains($0) || "$+-./:".utf8.contains($0)
      }
      return ends.contains(first) && ends.contains(last) && middle
        ? nil : "Codabar is A–D, digits or $+-./:, A–D"
    case .code93: return !data.isEmpty && data.allSatisfy { $0 < 128 } ? nil : "CODE93 takes ASCII only"
    case .code128:
      guard data.count >= 2, data[0] == UInt8(ascii: "{"), (0x41...0x43).contains(data[1]) else {
        return "CODE128 data begins with {A, {B or {C"
      }
      return nil
    case .gs1128, .code128Auto: return data.isEmpty ? "it has no data" : nil
    case .dataBarOmnidirectional, .dataBarTruncated, .dataBarLimited: return count(13...13)
    case .dataBarExpanded: return data.count >= 2 ? nil : "DataBar Expanded takes two or more characters"
    }
  }
}
