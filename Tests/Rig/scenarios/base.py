"""What the scenarios share: a shop, a daemon for each, printers in their first state, a pairing made once."""

import concurrent.futures
import re
import subprocess
import threading
import unittest

from guest import OUT, address, ctl, received, say, until
from shop import BIN, Daemon, Shop, clean_home

PROFILE = "generic-80"
ALL = "ble", "spp", "pin", "issc", "bond", "dual"
LINKS = "ble", "spp"  # one of each kind of link
# Seconds from printd's end, or from its leaving a link, until the printer is free.  They are others' own, and add up to
# 8.75: the flush of what the link still holds (2), bluetoothd's Disconnect (2, and 2.75 was seen), the kernel's idle time
# of an RFCOMM session (2) and of a Classic connection (2); the rest is for a slow guest.  An LE connection that
# nobody ends stays for ever, and so does a channel that is held open, so more time proves no less.
FREE = 15
# GS ( H, function 48: the fence's question, with an identifier that is another one each time.
FENCE = re.compile(rb"(\x1d\(H\x06\x00\x30\x30)....", re.DOTALL)


class InFlight:
    """A wake that is on its way while the scenario goes on."""

    def __init__(self, daemon, order):
        self.answer = concurrent.futures.Future()
        self.thread = threading.Thread(target=self.wake, args=[daemon, order])
        self.thread.start()

    def wake(self, daemon, order):
        try:
            self.answer.set_result(daemon.wake(order))
        except Exception as fault:  # it is the scenario's, which asks for the completion
            self.answer.set_exception(fault)

    def completion(self):
        self.thread.join()
        return self.answer.result()


class Scenario(unittest.TestCase):
    shop = None
    paired = {}  # printers that `printers pair` has taken, and what it said
    pages = {}  # what they received meanwhile

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
        faults = []
        for daemon in self.daemons:
            try:
                daemon.stop()
            except AssertionError as fault:
                faults.append(fault)
        self.assertEqual(faults, [])

    def daemon(self, name, budget=10, state=None):
        """A running daemon whose receipts go to a printer that was paired before; with the history of `state`, if any."""
        return self.daemon_for(self.title(), budget, state, receipt=name)

    def daemon_for_both(self, budget=5):
        """The same, and each order goes to a printer of each kind of link."""
        return self.daemon_for(self.title(), budget, receipt="ble", kitchen="spp")

    def daemon_for(self, title, budget, state=None, more="", **routes):
        for name in routes.values():
            self.pair(name)
        lines = ", ".join(f'{{kind: "{kind}", printer: "{name}"}}' for kind, name in routes.items())
        more = f"routes: [{lines}], budget: {{seconds: {budget}}}, {more}"
        return self.begin(Daemon(self.shop, title, more=more, state=state))

    def daemon_by_hand(self, *entries, more=""):
        """A running daemon without history, whose printers are written into its configuration."""
        return self.begin(Daemon(self.shop, self.title(), folder="by-hand", printers=", ".join(entries), more=more))

    def entry(self, name, link, more="", title=None):
        """A printer in the configuration."""
        return (f'{{name: "{title or name}", link: "{link}", address: "{address(name)}", '
                f'profile: "{PROFILE}", {more}}}')

    def begin(self, daemon):
        self.daemons.append(daemon)
        return daemon.start()

    def title(self):
        return self.id().rsplit(".", 1)[1].removeprefix("test_")

    def pair(self, name):
        """Pairs a printer as a user does, if it is not yet: its name in printd is that of the rig."""
        if name not in self.paired:
            daemon = Daemon(self.shop, "pair-" + name)
            done = daemon.run("printers", "pair", address(name), "--yes", "--name", name, "--profile", PROFILE)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.paired[name] = done.stdout + done.stderr
            self.pages[name] = received(name)
            ctl(name, "clear")
        return self.paired[name]

    def unpair(self, name):
        """Takes back what `pair` has done, if it has."""
        if self.paired.pop(name, None):
            done = Daemon(self.shop, "forget-" + name).run("printers", "forget", name)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.forget_device(name)

    def forget_device(self, name):
        """Makes bluetoothd forget a device and its services."""
        subprocess.run(["bluetoothctl", "remove", address(name)], capture_output=True)

    def warm_up(self, daemon):
        """Connects a daemon's printers by a receipt, however long that takes."""
        order = self.shop.sell()
        daemon.wake(order)
        for job in self.settled(daemon, order):
            self.assertEqual((job["state"], job["confirmation"]), ("printed", "fence"), job)

    def settled(self, daemon, order, seconds=60, state=None):
        """The order's jobs once they have ended, or are in a state, and are reported."""
        ended = [state] if state else ["printed", "unknown", "rejected", "expired", "cancelled"]

        def jobs():
            jobs = daemon.jobs(order)
            return all(job["state"] in ended and job.get("reported_at") for job in jobs) and jobs

        return until(f"the end of {order}", seconds, jobs)

    def assertInTime(self, completion):
        """A completion within the ten seconds that a caller has, by printd's own clock, which began when it had the wake.

        The client's clock counts also how slow the guest is, before and after; it has room, to show only that the answer
        was not held back.
        """
        completed = completion["timeline"]["completed"] / 1000
        self.assertLess(completed, 10, completion)
        self.assertLess(completion["seconds"] - completed, 5, completion)

    def assertPrinted(self, completion, order, daemon):
        """A completion that says printed, proven by the fence, at the first attempt, and reported."""
        self.assertEqual((completion["result"], completion["outcome"]), ("newData", "printed"), completion)
        for job in daemon.jobs(order):
            self.assertEqual((job["state"], job["confirmation"], job["attempt"]), ("printed", "fence", 1), job)
        reports = [r["outcome"] for r in self.shop.reports(order)]
        self.assertEqual(reports, ["printed"] * len(completion["jobs"]))

    def assertOutcome(self, completion, outcome):
        """A completion that has failed, in time, and why, for each of its jobs."""
        for job in completion["jobs"]:
            say(f"   {job['printer']}: {job['outcome']} ({job.get('reason')}) after {completion['seconds']:.2f} s")
        self.assertEqual(completion["result"], "failed", completion)
        self.assertEqual([job["outcome"] for job in completion["jobs"]], [outcome] * len(completion["jobs"]), completion)
        self.assertInTime(completion)

    def show_logs(self):
        for daemon in getattr(self, "daemons", []):
            print(f"--- {daemon.logfile}", *daemon.log.splitlines()[-40:], sep="\n")
        for path in [f"{OUT}/bluetoothd.log", f"{OUT}/printers.log"]:
            with open(path, errors="replace") as file:
                print(f"--- {path}", *file.read().splitlines()[-12:], sep="\n")
