import ESCPOS
import Threads

extension BlueZ {
  /// The tree now, and again after every change; changes that come faster than they are read are taken together.
  ///
  /// It does not end by itself when bluetoothd goes: the tree is empty then.
  public nonisolated func trees() -> AsyncStream<BlueZTree> {
    let seen = Locked<BlueZTree?>(nil)
    return AsyncStream(unfolding: { [weak self] in
      while !Task.isCancelled {
        guard let self else { return nil }
        let round = self.bell.round
        let tree = await self.tree
        let isNews = seen.withLock { seen in
          defer { seen = tree }
          return seen != tree
        }
        if isNews { return tree }
        await self.bell.wait(past: round, by: BootInstant(nanoseconds: .max))
      }
      return nil
    })
  }
}
