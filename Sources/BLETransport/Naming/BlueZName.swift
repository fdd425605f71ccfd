/// The names of BlueZ's D-Bus interface (BlueZ `doc/*-api.txt`), each written once.
public enum BlueZName {
  /// The well-known bus name, always used as destination.
  public static let service = "org.bluez"
  /// Where all objects live.
  public static let root = "/org/bluez"

  /// `org.bluez.Adapter1`.
  public static let adapter = "org.bluez.Adapter1"
  /// `org.bluez.Device1`.
  public static let device = "org.bluez.Device1"
  /// `org.bluez.GattService1`.
  public static let gattService = "org.bluez.GattService1"
  /// `org.bluez.GattCharacteristic1`.
  public static let gattCharacteristic = "org.bluez.GattCharacteristic1"
  /// `org.bluez.GattDescriptor1`.
  public static let gattDescriptor = "org.bluez.GattDescriptor1"
  /// `org.bluez.AgentManager1`, at ``root``.
  public static let agentManager = "org.bluez.AgentManager1"
  /// `org.bluez.Agent1`, what an agent exports.
  public static let agent = "org.bluez.Agent1"
  /// `org.bluez.ProfileManager1`, at ``root``.
  public static let profileManager = "org.bluez.ProfileManager1"
  /// `org.bluez.Profile1`, what a profile exports.
  public static let profile = "org.bluez.Profile1"

  /// `org.freedesktop.DBus.ObjectManager`, at `/`.
  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  /// `org.freedesktop.DBus.Properties`.
  static let properties = "org.freedesktop.DBus.Properties"
  /// The bus itself: name, and interface.
  static let bus = "org.freedesktop.DBus"
  /// The bus's object.
  static let busPath = "/org/freedesktop/DBus"
}
