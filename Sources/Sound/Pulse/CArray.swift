/// Arrays of C that lie inside a structure, and that Swift sees as tuples.
enum CArray {
  /// The first elements of an array; as many as it has at most.
  static func elements<Tuple, Element: BitwiseCopyable>(of array: Tuple, count: UInt8) -> [Element] {
    withUnsafeBytes(of: array) { bytes in
      let length = min(Int(count), bytes.count / MemoryLayout<Element>.stride)
      return (0..<length).map {
        bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Element>.stride, as: Element.self)
      }
    }
  }

  /// Writes elements into an array from its beginning.
  ///
  /// - Returns: How many there was room for.
  static func fill<Tuple, Element: BitwiseCopyable>(_ array: inout Tuple, with elements: [Element]) -> UInt8 {
    withUnsafeMutableBytes(of: &array) { bytes in
      let length = min(elements.count, bytes.count / MemoryLayout<Element>.stride, Int(UInt8.max))
      for (index, element) in elements.prefix(length).enumerated() {
        bytes.storeBytes(of: element, toByteOffset: index * MemoryLayout<Element>.stride, as: Element.self)
      }
      return UInt8(length)
    }
  }
}
