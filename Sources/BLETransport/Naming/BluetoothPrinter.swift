/// A Bluetooth printer as the configuration names it.
public struct BluetoothPrinter: Hashable, Sendable {
  /// The way to the printer.
  public enum Bearer: String, Sendable, CaseIterable {
    /// Bluetooth Low Energy, by GATT.
    case ble
    /// Bluetooth Classic, by the Serial Port profile.
    case rfcomm
  }

  /// How print data is written to a characteristic that takes it in both ways.
  public enum WriteMode: String, Sendable, CaseIterable {
    /// Write Commands as far as the printer surely has room, then Write Requests, which a full printer holds back; requests
    /// alone where the characteristic or the peer asks for them.
    case automatic
    /// Write Commands but for the first write, for a printer that keeps up with the radio: fast, and what a full printer
    /// gets is lost.
    case commands
    /// Write Requests alone: slow, and the printer's buffer holds the sender.
    case requests
  }

  /// The name in the configuration, for messages.
  public var name: String
  /// The printer's address.
  public var address: BluetoothAddress
  /// The bearer to use.
  public var bearer: Bearer
  /// The adapter to use, as `hci0` or by its address; nil for the first that is powered.
  public var adapter: String?
  /// The service with the print characteristic; nil to choose by ``PrintService/table``.
  public var service: BluetoothUUID?
  /// The characteristic that takes print data; nil to choose by ``PrintService/table``.
  public var writeCharacteristic: BluetoothUUID?
  /// The characteristic that carries the printer's answers; nil to choose by ``PrintService/table``, or the only one of
  /// the service.
  public var notifyCharacteristic: BluetoothUUID?
  /// How print data is written.
  public var writeMode: WriteMode
  /// The most bytes of one write, 1 through ``largestChunk``; the link's MTU bounds it too. Some printers lose more
  /// than they can take at once, whatever MTU they agreed to.
  public var chunk: Int?
  /// How fast the printer takes data out of its buffer, as its profile says; nil for ``usualSpeed``.
  public var bytesPerSecond: Int?
  /// The most bytes of a job that go by Write Commands without the printer's word for it, nil for ``burst`` and ``provenBurst``; with ``WriteMode/commands``, the most that are on
  /// their way unacknowledged, nil for ``radioWindow``. It is no key of the configuration: what a printer's buffer holds is
  /// in no data sheet, and one byte too many is lost without a word.
  var window: Int?
  /// The RFCOMM channel, where it is known; nil to ask the printer (SDP).
  public var channel: UInt8?
  /// The most bytes a second of an RFCOMM link, for a printer whose module takes all at once and loses what does not fit;
  /// nil for as fast as it takes them.
  public var pace: Int?

  /// Fills one packet of the LE data length extension (251 bytes with its headers); a longer write is no faster.
  public static let largestChunk = 244
  /// The speed of small printers with text, in bytes a second.
  public static let usualSpeed = 2_000
  /// Half of the smallest receive buffer of common printers (4 KB), for a printer that does not tell what it has taken.
  public static let burst = 2_048
  /// Seven eighths of it, for one that does: what a radio of 30 ms carries while its word is under way.
  public static let provenBurst = 3_584
  /// The answers that are waited for then cost less than one packet in thirty.
  public static let radioWindow = 16_384

  /// Creates a printer; the optional parts are chosen when the link is opened.
  public init(
    name: String, address: BluetoothAddress, bearer: Bearer, adapter: String? = nil,
    service: BluetoothUUID? = nil, writeCharacteristic: BluetoothUUID? = nil,
    notifyCharacteristic: BluetoothUUID? = nil, writeMode: WriteMode = .automatic, chunk: Int? = nil,
    bytesPerSecond: Int? = nil, channel: UInt8? = nil, pace: Int? = nil
  ) {
    self.name = name
    self.address = address
    self.bearer = bearer
    self.adapter = adapter
    self.service = service
    self.writeCharacteristic = writeCharacteristic
    self.notifyCharacteristic = notifyCharacteristic
    self.writeMode = writeMode
    self.chunk = chunk
    self.bytesPerSecond = bytesPerSecond
    self.channel = channel
    self.pace = pace
  }

  /// How messages name it: `kitchen (00:AA:01:01:00:42)`.
  public var title: String { "\(name) (\(address))" }
}
