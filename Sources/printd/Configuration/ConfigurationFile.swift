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

  private(set) var faults: [String] = []
  var warnings: [String] = []
  /// The files of `printers.d` that hold a printer, in the order of the printers behind the main file's.
  private(set) var printerFiles: [Source] = []

  /// Reads `path`, the files of `printers.d` beside it, and the profiles, and checks that they fit together.
  ///
  /// - Throws: ``Failure`` with every fault that was found, a line each.
  static func load(_ path: String) throws(Failure) -> Loaded {
    var reader = ConfigurationFile()
    let text: [UInt8]
    do throws(Failure) {
      text = try Files.read(path, limit: 1 << 20)
    } catch {
      throw Failure(
        .configuration, error.message,
        remedy: path == standardPath
          ? "write one (sample: packaging/printd.json5), or name another with --config FILE" : nil)
    }
    guard var configuration = reader.decode(Configuration.self, text, path) else {
      throw reader.failure
    }
    reader.addPrinters(from: folder(of: path) + "/printers.d", to: &configuration)
    configuration.resolvePaths(against: path)
    let profiles = reader.profiles(configuration)
    reader.check(configuration, profiles, in: Source(path: path, text: text))
    guard reader.faults.isEmpty, let profiles else { throw reader.failure }
    return Loaded(configuration: configuration, profiles: profiles, warnings: reader.warnings)
  }

  private var failure: Failure { Failure(.configuration, faults.joined(separator: "\n")) }

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
    for index in printers.indices where printers[index].link != .tcp {
      printers[index].address = printers[index].address.map(absolute)
    }
    profiles = profiles.map(absolute)
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
