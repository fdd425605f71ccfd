import BLETransport

/// The devices that a scan has seen, in the order of their first sighting; what was once known of one is kept.
struct ScanLog {
  private(set) var sightings: [Sighting] = []
  private var places: [BluetoothAddress: Int] = [:]

  /// Notes what BlueZ has now. Devices that BlueZ only remembers, and that have not shown themselves, are left out.
  mutating func note(_ all: [Sighting]) {
    for sighting in all.sorted(by: { $0.address.description < $1.address.description }) {
      if let place = places[sighting.address] {
        let strength = sighting.rssi ?? sightings[place].rssi
        let name = sighting.name ?? sightings[place].name
        sightings[place] = sighting
        sightings[place].rssi = strength
        sightings[place].name = name
      } else if sighting.rssi != nil || sighting.isConnected {
        places[sighting.address] = sightings.count
        sightings.append(sighting)
      }
    }
  }
}
