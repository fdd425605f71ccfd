import Documents
import ESCPOS
import Glibc
import PrintJobs

/// Reads the configuration and says what is wrong in it: file, line, path, remedy.
struct ConfigurationFile {
  /// Where it is looked for when nothing is said.
  static let standardPath = "/etc/printd/printd.json5"

  /// A configuration that has been read and checked.
  struct Loaded {
    var configuration: Configuration
    var profiles: ProfileCatalogue
    /// What is not wrong, but odd.
    var warnings: [String]
  }

  /// A file and what stands in it.
  struct Source {
    var path: String
    var text: [UInt8]
  }

  /// Whether printers and orders may be missing, as before the first `printd printers pair`.
  private(set) var mayBeIncomplete = false
  private(set) var faults: [String] = []
  var warnings: [String] = []
  /// The files of `printers.d` that hold a printer, in the order of the printers behind the main file's.
  private(set) var printerFiles: [Source] = []

  /// Reads `path`, the files of `printers.d` beside it, and the profiles, and checks that they fit together.
  ///
  /// - Throws: ``Failure`` with every fault that was found, a line each.
  static func load(_ path: String) throws(Failure) -> Loaded {
    var reader = ConfigurationFile()
    return try reader.load(path)
  }

  private mutating func load(_ path: String) throws(Failure) -> Loaded {
    let text: [UInt8]
    do throws(Failure) {
      text = try Files.read(path, limit: 1 << 20)
    } catch {
      throw Failure(
        .configuration, error.message,
        remedy: path == Self.standardPath
          ? "write one (sample: packaging/printd.json5), or name another with --config FILE" : nil)
    }
    guard var configuration = decode(Configuration.self, text, path) else {
      throw self.failure
    }
    addPrinters(from: Self.printerFolder(of: path), to: &configuration)
    configuration.resolvePaths(against: path)
    let profiles = self.profiles(configuration)
    check(configuration, profiles, in: Source(path: path, text: text))
    guard faults.isEmpty, let profiles else { throw self.failure }
    return Loaded(configuration: configuration, profiles: profiles, warnings: warnings)
  }

  /// Reads the configuration for a command that needs its printers only: they and the orders need not be there yet.
  ///
  /// - Parameter mayBeMissing: Whether the file need not be there; where there are files of printers, it need not anyway.
  /// - Throws: ``Failure`` with every fault that was found.
  static func loadPrinters(_ path: String, mayBeMissing: Bool = false) throws(Failure) -> Loaded {
    var reader = ConfigurationFile()
    reader.mayBeIncomplete = true
    guard access(path, F_OK) != 0, errno == ENOENT,
      mayBeMissing || !Files.names(in: printerFolder(of: path)).isEmpty
    else { return try reader.load(path) }
    var configuration = Configuration()
    reader.addPrinters(from: printerFolder(of: path), to: &configuration)
    configuration.resolvePaths(against: path)
    let profiles = reader.profiles(configuration)
    reader.check(configuration, profiles, in: Source(path: path, text: []))
    guard reader.faults.isEmpty, let profiles else { throw reader.failure }
    return Loaded(configuration: configuration, profiles: profiles, warnings: reader.warnings)
  }

  private var failure: Failure { Failure(.configuration, faults.joined(separator: "\n")) }

  /// The folder of printer files beside a configuration file.
  static func printerFolder(of path: String) -> String { folder(of: path) + "/printers.d" }

  /// The files of a folder that hold the printer with this name; faulty ones are passed over.
  static func printerFiles(in folder: String, named name: String) -> [String] {
    Files.names(in: folder).filter { $0.hasSuffix(".json5") || $0.hasSuffix(".json") }.map {
      "\(folder)/\($0)"
    }
    .filter { path in
      guard let text = try? Files.read(path, limit: 1 << 20, mayWait: false) else { return false }
      let printer = try? DocumentReader.read(Configuration.Printer.self, from: text, json5: true)
      return printer?.name == name
    }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private mutating func decode<Document: Decodable>(
    _ type: Document.Type, _ text: [UInt8], _ path: String
  ) -> Document? {
    do throws(DocumentFault) {
      return try DocumentReader.read(type, from: text, json5: true)
    } catch {
      add(error, in: text, path)
      return nil
    }
  }

  /// Adds a fault with the line of its place.
  mutating func add(_ fault: DocumentFault, in text: [UInt8], _ path: String) {
    let line = fault.path.isEmpty ? nil : JSON5Lines.line(of: fault.path, in: text)
    faults.append(line.map { "\(path):\($0): \(fault)" } ?? "\(path): \(fault)")
  }

  /// The names in a folder that may be missing, but not shut.
  private mutating func names(in folder: String) -> [String] {
    if access(folder, F_OK) == 0, access(folder, R_OK | X_OK) != 0 {
      faults.append("\(folder): cannot be read by this user")
    }
    return Files.names(in: folder)
  }

  private mutating func addPrinters(from folder: String, to configuration: inout Configuration) {
    for name in names(in: folder) where name.hasSuffix(".json5") || name.hasSuffix(".json") {
      let path = "\(folder)/\(name)"
      do throws(Failure) {
        let text = try Files.read(path, limit: 1 << 20, mayWait: false)
        if let printer = decode(Configuration.Printer.self, text, path) {
          configuration.printers.append(printer)
          printerFiles.append(Source(path: path, text: text))
        }
      } catch {
        faults.append(error.message)
      }
    }
  }

  private mutating func profiles(_ configuration: Configuration) -> ProfileCatalogue? {
    guard var all = decode(ProfileCatalogue.self, PrinterProfile.builtInJSON, "built-in profiles") else {
      return nil
    }
    guard let folder = configuration.profiles else { return all }
    if access(folder, F_OK) != 0 { faults.append("\(folder): the folder of \"profiles\" is not there") }
    for name in names(in: folder) where name.hasSuffix(".json") {
      let path = "\(folder)/\(name)"
      do throws(Failure) {
        let text = try Files.read(path, limit: 1 << 20, mayWait: false)
        if let more = decode(ProfileCatalogue.self, text, path) { all.override(with: more) }
      } catch {
        faults.append(error.message)
      }
    }
    return all
  }
}

extension Configuration {
  /// Makes relative paths relative to the folder of the configuration file.
  fileprivate mutating func resolvePaths(against file: String) {
    guard let slash = file.lastIndex(of: "/") else { return }
    let folder = file[...slash]
    func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : folder + path }
    stateDirectory = absolute(stateDirectory)
    images = images.map(absolute)
    for index in printers.indices {
      if [.file, .virtual].contains(printers[index].link) {
        printers[index].address = printers[index].address.map(absolute)
      }
      printers[index].pinFile = printers[index].pinFile.map(absolute)
    }
    profiles = profiles.map(absolute)
    voice?.resolvePaths(absolute)
    if var webhook {
      webhook.secretFiles = webhook.secretFiles.map(absolute)
      self.webhook = webhook
    }
    if case .directory(let path) = orders { orders = .directory(absolute(path)) }
    if case .http(var http) = orders {
      http.tokenFile = http.tokenFile.map(absolute)
      if var header = http.header {
        header.valueFile = absolute(header.valueFile)
        http.header = header
      }
      http.caFile = http.caFile.map(absolute)
      orders = .http(http)
    }
  }
}

extension ProfileCatalogue {
  /// The profiles' names, in order.
  var names: [String] { profiles.map(\.name) }

  /// Adds the profiles of another catalogue; one of the same name takes the place of the one that was there.
  mutating func override(with other: ProfileCatalogue) {
    for profile in other.profiles {
      if let index = profiles.firstIndex(where: { $0.name == profile.name }) {
        profiles[index] = profile
      } else {
        profiles.append(profile)
      }
    }
  }
}
