import Threads

/// The objects that a connection answers for.
final class ObjectTree: Sendable {
  private struct State {
    var objects: [String: (id: Int, object: any DBusObject)] = [:]
    var nextID = 0
  }

  private let state = Locked(State())

  /// Adds an object.
  ///
  /// - Throws: `.invalid` for a path that is none, or that has an object.
  func add(_ object: any DBusObject, at path: String) throws(DBusError) -> DBusExport {
    guard Naming.isPath(path), path != "/org/freedesktop/DBus/Local" else {
      throw .invalid("\(path.debugDescription) is no path for an object")
    }
    let id = state.withLock { state -> Int? in
      guard state.objects[path] == nil else { return nil }
      state.nextID += 1
      state.objects[path] = (state.nextID, object)
      return state.nextID
    }
    guard let id else { throw .invalid("there is an object at \(path) already") }
    return DBusExport(path: path, tree: self, id: id)
  }

  /// Removes an object, unless another has taken its place.
  func remove(_ path: String, id: Int) {
    // Freed outside the lock: the object may do anything as it goes.
    _ = state.withLock { state -> (any DBusObject)? in
      guard state.objects[path]?.id == id else { return nil }
      return state.objects.removeValue(forKey: path)?.object
    }
  }

  /// The object at a path.
  func object(at path: String) -> (any DBusObject)? { state.withLock { $0.objects[path]?.object } }

  /// The first elements of the paths below a path that lead to objects.
  func children(of path: String) -> [String] {
    let prefix = path == "/" ? "/" : path + "/"
    return state.withLock { state in
      Set(
        state.objects.keys.filter { $0.hasPrefix(prefix) && $0 != path }
          .map { String($0.dropFirst(prefix.count).prefix { $0 != "/" }) }
      ).sorted()
    }
  }
}
