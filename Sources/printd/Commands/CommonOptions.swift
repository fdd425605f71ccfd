import Glibc

/// The options that several commands share.
struct CommonOptions {
  /// The configuration file.
  var configPath: String
  private var named: Bool

  /// Takes `--config FILE` out of the arguments.
  init(_ arguments: inout Arguments) throws(Failure) {
    let path = try arguments.option("--config", "-c")
    configPath = path ?? ConfigurationFile.standardPath
    named = path != nil
  }

  /// Whether there is a configuration to read: a file that was named, or the standard one where it is there.
  var hasConfiguration: Bool { named || access(configPath, F_OK) == 0 }

  /// The configuration, checked.
  func load() throws(Failure) -> ConfigurationFile.Loaded {
    try ConfigurationFile.load(configPath)
  }

  /// The configuration, checked, where only its printers are needed.
  ///
  /// - Parameter mayBeMissing: Whether a machine without any configuration will do.
  func loadPrinters(mayBeMissing: Bool = false) throws(Failure) -> ConfigurationFile.Loaded {
    try ConfigurationFile.loadPrinters(configPath, mayBeMissing: mayBeMissing && !named)
  }

  /// A client for the daemon's socket.
  ///
  /// A missing configuration is no obstacle as long as none was named: the standard socket is used.
  func client() throws(Failure) -> ControlClient {
    if !hasConfiguration { return ControlClient(socket: Configuration.Control().socket) }
    return ControlClient(socket: try load().configuration.control.socket)
  }
}
