"""What becomes of links: the adapter goes, bluetoothd restarts, nobody prints for a while, a phone comes."""

import subprocess
import time

from guest import RIG, address, ctl, say, until
from shop import Sheets
from scenarios.base import FREE, LINKS, Scenario


class Links(Scenario):
    def test_adapter_unplugged(self):
        """The adapter is pulled out, a wake comes, it is plugged in again: printed once on both links."""
        daemon = self.daemon_for_both()
        sheets = {name: Sheets(name) for name in LINKS}
        self.warm_up(daemon)
        ctl("adapter", "unplug")
        try:
            order = self.shop.sell()
            self.assertOutcome(daemon.wake(order), "queued")
        finally:
            ctl("adapter", "plug")
        since = time.monotonic()
        for job in self.settled(daemon, order):
            self.assertEqual((job["state"], job["confirmation"]), ("printed", "fence"), job)
            self.assertEqual(sheets[job["printer"]].count(order), 1)
        say(f"   plugged in; printed on both links {time.monotonic() - since:.2f} s later")

    def test_bluetoothd_restarted(self):
        """bluetoothd restarts, and once is killed: the next wake prints, on both links, once."""
        daemon = self.daemon_for_both(budget=10)
        sheets = {name: Sheets(name) for name in LINKS}
        for way in ["restart"], ["kill", "start"]:
            self.warm_up(daemon)
            for verb in way:
                subprocess.run([RIG + "/bluetoothd", verb], check=True)
            order = self.shop.sell()
            completion = daemon.wake(order)
            for job in self.settled(daemon, order):
                self.assertEqual((job["state"], job["confirmation"]), ("printed", "fence"), job)
                self.assertEqual(sheets[job["printer"]].count(order), 1)
            say(f"   {' and '.join(way)}: {completion['outcome']} after {completion['seconds']:.2f} s")

    def test_idle_link_is_given_up(self):
        """An idle link is given up, so that a phone can connect; while a phone holds the printer, a wake waits."""
        for name in LINKS:
            self.pair(name)
        idle = "idle_seconds: 5"
        daemon = self.daemon_by_hand(
            self.entry("ble", "ble", idle), self.entry("spp", "rfcomm", idle),
            more='routes: [{kind: "receipt", printer: "ble"}, {kind: "kitchen", printer: "spp"}],')
        sheets = Sheets("ble")
        self.warm_up(daemon)
        for name in LINKS:
            until("the link given up", 5 + FREE, lambda: ctl(name, "state")["connected"] == 0)
            # Also that it was not given up sooner: the idle time begins when the last byte has been answered.
            kept = time.monotonic() - ctl(name, "state")["last"]
            say(f"   {name}: given up {kept:.1f} s after the receipt")
            self.assertGreaterEqual(kept, 5)
        ctl("phone", "connect", address("ble"))
        order = self.shop.sell()
        completion = daemon.wake(order)
        outcomes = {job["printer"]: job["outcome"] for job in completion["jobs"]}
        say(f"   a phone holds ble: {outcomes} ({completion['jobs'][0].get('reason')})")
        # The cold link has its turn when the printer that does not answer has had its own, of 3 s.
        self.assertEqual(outcomes, {"ble": "queued", "spp": "printed"})
        ctl("phone", "disconnect")
        since = time.monotonic()
        self.settled(daemon, order, state="printed")
        say(f"   the phone has gone: printed {time.monotonic() - since:.2f} s later")
        self.assertEqual(sheets.count(order), 1)

    def test_lost_bond(self):
        """A printer that has forgotten its bond: completed in time; `pair` mends it beside the daemon, and it prints, once."""
        daemon = self.daemon("bond", budget=5)
        sheets = Sheets("bond")
        self.warm_up(daemon)
        ctl("bond", "forget")
        ctl("bond", "drop")
        order = self.shop.sell()
        completion = daemon.wake(order)
        self.assertOutcome(completion, "queued")
        done = daemon.run("printers", "pair", address("bond"), "--yes", "--no-test")
        say("   " + "\n             ".join((done.stdout + done.stderr).splitlines()))
        self.assertEqual(done.returncode, 0)
        self.settled(daemon, order, seconds=30, state="printed")
        say("   paired again: printed")
        self.assertEqual(sheets.count(order), 1)
