"""What the scenarios share: a shop, a daemon for each, printers in their first state, a pairing made once."""

import glob
import json
import os
import subprocess
import unittest

from guest import OUT, RIG, address, ctl, say, until
from shop import BIN, Daemon, Sheets, Shop, clean_home, command

PROFILE = "generic-80"
ALL = "ble", "spp", "pin", "issc", "bond", "dual"


class Scenario(unittest.TestCase):
    shop = None
    paired = {}  # printers that `printers pair` has taken, and its output

    @classmethod
    def open_shop(cls):
        clean_home()
        Scenario.shop = Shop()

    @classmethod
    def close_shop(cls):
        Scenario.shop.close()

    def setUp(self):
        self.daemons = []
        for name in ALL:
            ctl(name, "reset")
            ctl(name, "full", PROFILE, BIN + "/virtual-printer", "text")
            ctl(name, "clear")

    def tearDown(self):
        for daemon in self.daemons:
            daemon.stop()

    def daemon(self, *printers, more=""):
        """A running daemon without history, whose printers are those that were paired, the given one first.

        Receipts go to the first.
        """
        for name in printers:
            self.pair(name)
        more += f'routes: [{{kind: "receipt", printer: "{printers[0]}"}}],'
        return self.begin(Daemon(self.shop, self.title(), more=more))

    def daemon_by_hand(self, *entries, more=""):
        """A running daemon without history, whose printers are written into its configuration."""
        return self.begin(Daemon(self.shop, self.title(), folder="by-hand", printers=", ".join(entries), more=more))

    def begin(self, daemon):
        self.daemons.append(daemon)
        return daemon.start()

    def title(self):
        return self.id().rsplit(".", 1)[1].removeprefix("test_")

    def pair(self, name):
        """Pairs a printer as a user does, if it is not yet: its name in printd is that of the rig."""
        if name not in self.paired:
            daemon = Daemon(self.shop, "pairing-" + name)
            done = daemon.run("printers", "pair", address(name), "--yes", "--name", name, "--profile", PROFILE)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.paired[name] = done.stdout + done.stderr
            ctl(name, "clear")
        return self.paired[name]

    def assertPrinted(self, completion, order, daemon):
        """A completion that says printed, proven by the fence, and reported."""
        self.assertEqual(completion["result"], "newData", completion)
        self.assertEqual(completion["outcome"], "printed", completion)
        job = daemon.job(order)
        self.assertEqual((job["state"], job["confirmation"], job["attempt"]), ("printed", "fence", 1), job)
        self.assertEqual([r["outcome"] for r in self.shop.reports(order)], ["printed"])

    def show_logs(self):
        for daemon in getattr(self, "daemons", []):
            print(f"--- {daemon.logfile}", *daemon.log.splitlines()[-40:], sep="\n")
        for path in [f"{OUT}/bluetoothd.log", f"{OUT}/printers.log"]:
            with open(path, errors="replace") as file:
                print(f"--- {path}", *file.read().splitlines()[-12:], sep="\n")
