// swift-tools-version: 6.2
import PackageDescription

// Ground floor first. Imports go down only; scripts/check-floors.sh holds the same plan and
// `make lint` refuses an import that is not in it.

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["PrintTestKit"], swiftSettings: settings)
}

let package = Package(
  name: "printd",
  products: [
    .executable(name: "printd", targets: ["printd"]),
    .executable(name: "sample-shop", targets: ["SampleShop"]),
    .executable(name: "printd-bench", targets: ["PrintdBench"]),
    .executable(name: "virtual-printer", targets: ["VirtualPrinterProgram"]),
  ],
  targets: [
    // C libraries: a module map and a shim.h each, wrapped by one Swift file of the target that uses it.
    .systemLibrary(
      name: "CPango", pkgConfig: "pangocairo gdk-pixbuf-2.0",
      providers: [.apt(["libpango1.0-dev", "libgdk-pixbuf-2.0-dev"])]),
    .systemLibrary(name: "CZint", providers: [.apt(["libzint-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CEvents"),
    .systemLibrary(name: "CSpawn"),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CPulse", pkgConfig: "libpulse", providers: [.apt(["libpulse-dev"])]),
    .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
    .systemLibrary(name: "CSonic", providers: [.apt(["libsonic-dev"])]),

    // Floor 0
    library("Threads", []),
    library("ESCPOS", [], resources: [.embedInCode("Profile/profiles.json")]),
    // Floor 1
    library("Documents", ["ESCPOS"]),
    library("PrintJobs", ["ESCPOS"]),
    library("TextRaster", ["ESCPOS", "CPango", "CZint"]),
    library("PrinterLinks", ["ESCPOS", "Threads"]),
    library("Curl", ["ESCPOS", "Threads", "CCurl"]),
    library("WakeChannels", ["Threads", "CMicroHTTPD", "CCrypto"]),
    library("DBus", ["ESCPOS", "Threads", "CDBus", "CEvents"]),
    library("Sound", ["ESCPOS", "Threads", "CPulse", "CALSA", "CSndFile", "CSonic"]),
    // Floor 2
    library("VirtualPrinter", ["ESCPOS", "Threads", "TextRaster"]),
    library("PrintJournal", ["Threads", "PrintJobs", "CSQLite"]),
    library("OrderService", ["ESCPOS", "Threads", "PrintJobs", "Curl"]),
    library("WakeHandler", ["ESCPOS", "Threads", "Documents", "PrintJobs"]),
    library("BLETransport", ["ESCPOS", "Threads", "DBus", "PrinterLinks", "CBluetooth"]),
    library("SpokenAmounts", ["PrintJobs"]),
    library(
      "Announcer",
      ["ESCPOS", "Threads", "PrintJobs", "Documents", "SpokenAmounts", "Sound", "Curl", "CCrypto", "CSpawn"]),
    // Floor 3
    program(
      "printd",
      [
        "ESCPOS", "Threads", "PrintJobs", "Documents", "TextRaster", "PrinterLinks", "WakeChannels",
        "VirtualPrinter",
        "PrintJournal",
        "OrderService", "WakeHandler", "Curl", "CSystemd", "DBus", "BLETransport", "SpokenAmounts", "Sound",
        "Announcer",
      ]),
    program("SampleShop", ["Threads", "WakeChannels"]),

    // Races a completion's writers; built by the tests and, with --sanitize=thread, by hand.
    .executableTarget(
      name: "CompletionRace", dependencies: ["WakeHandler", "PrintJobs"], path: "Tests/CompletionRace",
      swiftSettings: settings),
    // The virtual printer as a process, for the Bluetooth rig.
    .executableTarget(
      name: "VirtualPrinterProgram",
      dependencies: ["ESCPOS", "Documents", "TextRaster", "VirtualPrinter", "PrinterLinks"],
      path: "Tests/VirtualPrinterProgram", swiftSettings: settings),
    // Races everything that a D-Bus connection can be asked; built with a sanitizer, as above.
    .executableTarget(
      name: "DBusRace", dependencies: ["ESCPOS", "DBus", "PrintTestKit"], path: "Tests/DBusRace",
      swiftSettings: settings),
    .executableTarget(
      name: "LinkRace",
      dependencies: ["ESCPOS", "Threads", "DBus", "BLETransport", "FakeBlueZ", "PrintTestKit"],
      path: "Tests/LinkRace", swiftSettings: settings),
    .target(
      name: "PrintTestKit", dependencies: ["ESCPOS", "Threads", "Curl"], path: "Tests/PrintTestKit",
      swiftSettings: settings),
    tests("ThreadsTests", ["Threads"]),
    tests("ESCPOSTests", ["ESCPOS", "Documents", "VirtualPrinter"]),
    tests("DocumentsTests", ["ESCPOS", "Documents"]),
    tests("PrintJobsTests", ["ESCPOS", "Documents", "PrintJobs"]),
    tests("TextRasterTests", ["ESCPOS", "Threads", "TextRaster"]),
    tests("PrinterLinksTests", ["ESCPOS", "Documents", "PrinterLinks"]),
    tests("CurlTests", ["ESCPOS", "Curl", "WakeChannels"]),
    tests("WakeChannelsTests", ["WakeChannels"]),
    tests("DBusTests", ["ESCPOS", "DBus"]),
    // An org.bluez for what the real one cannot be told to do.
    .target(
      name: "FakeBlueZ", dependencies: ["ESCPOS", "Threads", "DBus", "PrintTestKit"], path: "Tests/FakeBlueZ",
      swiftSettings: settings),
    tests("FakeBlueZTests", ["ESCPOS", "DBus", "FakeBlueZ"]),
    tests("BLETransportTests", ["ESCPOS", "Threads", "DBus", "PrinterLinks", "BLETransport", "FakeBlueZ"]),
    tests("SpokenAmountsTests", ["PrintJobs", "SpokenAmounts"]),
    tests("SoundTests", ["ESCPOS", "Sound"]),
    // Is killed in the middle of an announcement.
    .executableTarget(
      name: "AnnouncerVictim", dependencies: ["ESCPOS", "PrintJobs", "Sound", "Announcer"],
      path: "Tests/AnnouncerVictim", swiftSettings: settings),
    tests(
      "AnnouncerTests",
      [
        "ESCPOS", "Threads", "PrintJobs", "Documents", "Curl", "WakeChannels", "SpokenAmounts", "Sound",
        "Announcer",
        "AnnouncerVictim",
      ]),
    tests("VirtualPrinterTests", ["ESCPOS", "Documents", "TextRaster", "VirtualPrinter"]),
    .executableTarget(
      name: "JournalVictim", dependencies: ["PrintJobs", "PrintJournal"], path: "Tests/JournalVictim",
      swiftSettings: settings),
    tests("PrintJournalTests", ["PrintJobs", "PrintJournal", "WakeHandler", "JournalVictim"]),
    tests("OrderServiceTests", ["ESCPOS", "PrintJobs", "OrderService", "WakeChannels"]),
    tests("WakeHandlerTests", ["ESCPOS", "Documents", "PrintJobs", "Sound", "Announcer", "WakeHandler"]),
    tests(
      "printdTests",
      [
        "ESCPOS", "PrintJobs", "Documents", "Curl", "WakeChannels", "WakeHandler", "VirtualPrinter",
        "TextRaster", "DBus", "BLETransport", "FakeBlueZ", "SpokenAmounts", "Sound", "Announcer", "printd",
        "SampleShop",
      ]),
    .executableTarget(
      name: "PrintdBench",
      dependencies: [
        "ESCPOS", "PrintJobs", "Documents", "Curl", "TextRaster", "VirtualPrinter", "WakeChannels",
        "SpokenAmounts", "Sound", "Announcer", "BLETransport", "PrintTestKit", "Threads",
      ], path: "Benchmarks", swiftSettings: settings),
    tests("PrintdBenchTests", ["PrintdBench"]),
  ],
  swiftLanguageModes: [.v6]
)
