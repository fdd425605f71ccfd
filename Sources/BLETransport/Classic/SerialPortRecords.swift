/// The RFCOMM channels that a device's service records tell.
///
/// Source: Bluetooth Core Specification, volume 3, part B, section 5.1; Serial Port Profile 1.2, section 6.
struct SerialPortRecords: Equatable, Sendable {
  /// The class of a serial port (SPP).
  static let serialPort: UInt16 = 0x1101

  private static let rfcomm: UInt32 = 0x0003
  private static let (serviceClassIDList, protocolDescriptorList): (UInt64, UInt64) = (0x0001, 0x0004)

  /// Channels to try, best first, each once: of records that call themselves serial ports, then of the others.
  let channels: [UInt8]

  /// Reads the attribute lists of an answer to a service search attribute request; a channel that cannot be is passed
  /// over.
  init(_ attributeLists: [UInt8]) throws(SDPElement.Malformed) {
    let records = try SDPElement(attributeLists).elements
    let ports = records.compactMap { record -> (channel: UInt8, isSerialPort: Bool)? in
      guard let channel = Self.channel(record) else { return nil }
      let classes = Self.attribute(Self.serviceClassIDList, of: record)?.elements ?? []
      return (channel, classes.contains(.uuid(UInt32(Self.serialPort))))
    }
    var channels: [UInt8] = []
    for port in ports.filter(\.isSerialPort) + ports.filter({ !$0.isSerialPort })
    where !channels.contains(port.channel) {
      channels.append(port.channel)
    }
    self.channels = channels
  }

  /// A record is attribute, value, attribute, value and so on.
  private static func attribute(_ wanted: UInt64, of record: SDPElement) -> SDPElement? {
    let elements = record.elements
    return stride(from: 0, to: elements.count - 1, by: 2).lazy
      .first { elements[$0] == .unsigned(wanted) }
      .map { elements[$0 + 1] }
  }

  /// A protocol stack is a sequence of protocols, each a sequence of its UUID and its parameters; there may be several
  /// stacks to choose from.
  private static func channel(_ record: SDPElement) -> UInt8? {
    guard let list = attribute(protocolDescriptorList, of: record) else { return nil }
    let protocols = list.elements + list.elements.flatMap(\.elements)
    return protocols.lazy.compactMap { layer -> UInt8? in
      guard layer.elements.first == .uuid(rfcomm), layer.elements.count > 1,
        case .unsigned(let number) = layer.elements[1], let channel = UInt8(exactly: number)
      else { return nil }
      return RFCOMMSocket.channels.contains(channel) ? channel : nil
    }.first
  }
}
