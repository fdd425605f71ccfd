"""Printers that are off, away, out of paper, stalled, or taken: nothing is lost, and nothing printed twice.

Where it can be, a scenario is played on a BLE and a Classic printer at once: each order goes to both.
"""

import subprocess
import sys
import time

from guest import RIG, address, ctl, received, say, until
from shop import HOME, Daemon, Sheets
from scenarios.base import FREE, LINKS, PROFILE, InFlight, Scenario


class Faults(Scenario):
    def receipt_in_flight(self, daemon, items):
        """A wake whose receipt has reached both printers in part."""
        for name in LINKS:
            ctl(name, "clear")
            ctl(name, "rate", 1000)
        order = self.shop.sell(items)
        wake = InFlight(daemon, order)
        for name in LINKS:
            until(f"the middle of the receipt on {name}", 20, lambda: len(received(name)) > 600)
        return order, wake

    def test_off_and_on(self):
        """Printers off at the wake, on 20 s later: completed in time, printed within 5 s of their return, once."""
        self.off_and_on(20)

    def test_off_for_a_minute(self):
        """The same with a minute off, in which no pause grows: printed within 5 s of their return, once."""
        self.off_and_on(60)

    def off_and_on(self, seconds):
        daemon = self.daemon_for_both(budget=9)
        sheets = {name: Sheets(name) for name in LINKS}
        for name in LINKS:
            ctl(name, "off")
        off = time.monotonic()
        order = self.shop.sell()
        self.assertOutcome(daemon.wake(order), "queued")
        time.sleep(max(0, seconds - (time.monotonic() - off)))  # it is the time off that is the scenario
        back = {}
        for name in LINKS:
            ctl(name, "on")
            back[name] = time.monotonic()
        for job in self.settled(daemon, order):
            name = job["printer"]
            # By the printer: its last byte is of the question that stands behind the receipt, or of one after that.
            took = ctl(name, "state")["last"] - back[name]
            say(f"   {name}: on; on paper {took:.2f} s later, {job['state']}, {job.get('confirmation')}")
            self.assertEqual((job["state"], job["confirmation"], sheets[name].count(order)), ("printed", "fence", 1), job)
            self.assertLess(took, 5)

    def test_away_for_good(self):
        """Printers that never come back: completed before the ten seconds; the job is kept, also by the next daemon."""
        daemon = self.daemon_for_both(budget=9)
        for name in LINKS:
            ctl(name, "off")
        order = self.shop.sell()
        self.assertOutcome(daemon.wake(order), "queued")
        daemon.stop()
        daemon.start()
        states = [job["state"] for job in daemon.jobs(order)]
        say(f"   after a restart of printd: {states}")
        self.assertEqual(len(states), len(LINKS))
        self.assertTrue(all(state in ("fetched", "rendered") for state in states), states)
        self.assertEqual([len(received(name)) for name in LINKS], [0] * len(LINKS))

    def test_link_lost_in_mid_receipt(self):
        """Links lost after the first byte: unknown, reported so, never printed again by itself; a reprint is marked."""
        daemon = self.daemon_for_both(budget=10)  # for the reprint, which is awaited, of 300 articles
        sheets = {name: Sheets(name) for name in LINKS}
        self.warm_up(daemon)
        order, wake = self.receipt_in_flight(daemon, items=300)
        for name in LINKS:
            ctl(name, "drop")
            ctl(name, "rate", 0)
        self.assertOutcome(wake.completion(), "unknown")
        jobs = self.settled(daemon, order)
        for job in jobs:
            say(f"   {job['printer']}: cut after {len(received(job['printer']))} bytes; "
                f"{job['bytes_accepted']} of {job['bytes_total']} accepted")
            self.assertEqual(job["state"], "unknown", job)
        self.assertEqual([r["outcome"] for r in self.shop.reports(order)], ["unknown"] * len(LINKS))
        # Another order prints on new links, and the lost one stays where it is.
        self.warm_up(daemon)
        self.assertEqual([job["id"] for job in daemon.jobs(order)], [job["id"] for job in jobs])
        for job in jobs:
            before = sum(text.count(order) for text in sheets[job["printer"]].texts())
            self.assertLessEqual(before, 1)
            done = daemon.run("jobs", "resolve", str(job["id"]), "reprint")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            copy = sheets[job["printer"]].texts()[-1]
            say(f"   {job['printer']}: reprinted: {' / '.join(copy.split(chr(10))[:3])}")
            self.assertIn(order, copy)
            self.assertIn("COPY 2", copy)

    def test_paper_end_in_mid_receipt(self):
        """Paper out in mid-receipt: completed in time and honestly; with new paper printed to its end, once."""
        daemon = self.daemon_for_both()
        sheets = {name: Sheets(name) for name in LINKS}
        self.warm_up(daemon)
        for name in LINKS:
            ctl(name, "paperleft", 400)
        order = self.shop.sell(20)
        completion = daemon.wake(order)
        self.assertOutcome(completion, "unknown")
        for name in LINKS:
            ctl(name, "paper", "ok")
        for job in self.settled(daemon, order, state="printed"):
            name = job["printer"]
            say(f"   {name}: new paper; {job['state']}, {job.get('confirmation')}")
            self.assertEqual((sheets[name].count(order), sheets[name].texts()[-1].count("Article")), (1, 20))
        self.warm_up(daemon)

    def test_stalled(self):
        """Printers that stall in mid-receipt: completed in time and honestly, then printed to the end, once."""
        daemon = self.daemon_for_both()
        sheets = {name: Sheets(name) for name in LINKS}
        self.warm_up(daemon)
        order, wake = self.receipt_in_flight(daemon, items=300)
        for name in LINKS:
            ctl(name, "stall")
        self.assertOutcome(wake.completion(), "unknown")
        for name in LINKS:
            ctl(name, "rate", 0)
            ctl(name, "flow")
        for job in self.settled(daemon, order, state="printed"):
            name = job["printer"]
            say(f"   {name}: flowing again; {job['state']}, {job.get('confirmation')}, {ctl(name, 'state')['lost']} bytes lost")
            self.assertEqual((sheets[name].count(order), sheets[name].texts()[-1].count("Article")), (1, 300))

    def test_stopped_while_stalled(self):
        """Printers that stall in mid-receipt, and printd is stopped: unknown, and both printers are free."""
        daemon = self.daemon_for_both()
        self.warm_up(daemon)
        order, wake = self.receipt_in_flight(daemon, items=300)
        for name in LINKS:
            ctl(name, "stall")
        self.assertOutcome(wake.completion(), "unknown")
        since = time.monotonic()
        daemon.stop()
        for name in LINKS:
            until(f"{name} let go of", FREE, lambda: ctl(name, "state")["connected"] == 0)
        say(f"   stopped, and both free, in {time.monotonic() - since:.1f} s")
        daemon.start()
        for job in self.settled(daemon, order, state="unknown"):
            say(f"   {job['printer']}: {job['state']} ({job['reason']}), {job['bytes_accepted']} of {job['bytes_total']} bytes")
            self.assertIn("printd was stopped", job["reason"])

    def test_serial_port_taken(self):
        """Another process holds the Serial Port profile: printed all the same, and doctor says so."""
        self.pair("spp")
        holder = subprocess.Popen(
            [sys.executable, RIG + "/hold-serial-port"], stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(holder.stdout.readline().strip(), "held")
            daemon = self.daemon("spp")
            order = self.shop.sell()
            completion = daemon.wake(order)
            say(f"   spp: {completion['outcome']} after {completion['seconds']:.2f} s")
            self.assertPrinted(completion, order, daemon)
            done = daemon.run("printers", "doctor", "spp")
            say("   " + "\n             ".join(done.stdout.splitlines() + done.stderr.splitlines()))
            self.assertIn("serial port: another process has it", done.stdout)
        finally:
            holder.kill()
            holder.wait()

    def test_wrong_pin(self):
        """A PIN that is none of the usual ones: refused with a remedy; with --pin-file it pairs."""
        ctl("pin", "pin", "9471")
        daemon = Daemon(self.shop, "wrong-pin", folder="wrong-pin")
        self.unpair("pin")
        words = ["printers", "pair", address("pin"), "--yes", "--name", "odd", "--profile", PROFILE, "--no-test"]
        done = daemon.run(*words)
        say("   " + "\n             ".join(done.stderr.strip().splitlines()))
        self.assertEqual(done.returncode, 77, done.stdout + done.stderr)
        self.assertIn("--pin-file", done.stderr)
        with open(HOME + "/pin.txt", "w") as file:
            file.write("9471\n")
        done = daemon.run(*words, "--pin-file", HOME + "/pin.txt")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.unpair("pin")

    def test_refused_notifications(self):
        """A printer that refuses notifications: printed, and said to be unconfirmed."""
        self.pair("issc")
        ctl("issc", "notify", "off")
        daemon = self.daemon("issc")
        sheets = Sheets("issc")
        order = self.shop.sell()
        completion = daemon.wake(order)
        [job] = self.settled(daemon, order)
        say(f"   issc: {completion['outcome']} after {completion['seconds']:.2f} s, {job.get('confirmation')}")
        self.assertEqual((completion["result"], job["state"], job["confirmation"]),
                         ("newData", "printed", "unconfirmed"), job)
        # Without an answer printd knows only that the printer's module has it.
        until("the receipt on paper", 20, lambda: sheets.count(order))
        self.assertEqual(sheets.count(order), 1)

    def test_services_never_resolve(self):
        """A printer that does not answer the discovery of services: honest, in time; then it does, and prints once."""
        self.pair("ble")
        self.forget_device("ble")
        ctl("ble", "discovery", "off")
        daemon = self.daemon("ble", budget=5)
        sheets = Sheets("ble")
        order = self.shop.sell()
        completion = daemon.wake(order)
        self.assertOutcome(completion, "queued")
        ctl("ble", "discovery", "on")
        since = time.monotonic()
        [job] = self.settled(daemon, order, 90)
        say(f"   ble: {job['state']} {time.monotonic() - since:.1f} s after it answers")
        self.assertEqual((job["state"], sheets.count(order)), ("printed", 1), job)
