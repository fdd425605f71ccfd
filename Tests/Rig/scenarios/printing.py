"""Wakes that print."""

import glob
import os
import re

from guest import OUT, ctl, received, say, until
from shop import BIN, HOME, Sheets, wake as push
from sound import SoundServer
from scenarios.base import FENCE, PROFILE, InFlight, Scenario

# What printd asks a printer: its status (DLE EOT n), and how far it has come (the fence, or GS r n).
QUESTION = re.compile(rb"\x10\x04[\x01-\x04]|" + FENCE.pattern + rb"|\x1dr[\x01\x02]", re.DOTALL)


class Printing(Scenario):
    def on_file(self, act, entry=""):
        """What printd writes when the printer is a file of the same profile."""
        path = f"{HOME}/on-file.prn"
        with open(path, "wb"):
            pass
        daemon = self.daemon_by_hand(
            f'{{name: "page", link: "file", address: "{path}", profile: "{PROFILE}", {entry}}}')
        act(daemon)
        daemon.stop()
        with open(path, "rb") as file:
            written = file.read()
        self.assertNotEqual(written, b"")
        return written

    def prints(self, name, budget=10):
        """A wake prints, the fence is answered, the report is in, and the bytes are those to a file."""
        daemon = self.daemon(name, budget)
        sheets = Sheets(name)
        order = self.shop.sell()
        completion = daemon.wake(order)
        self.assertPrinted(completion, order, daemon)
        self.assertEqual(sheets.count(order), 1)
        came = received(name)
        daemon.stop()
        plain = self.on_file(lambda daemon: daemon.wake(order))
        say(f"   {name}: printed, reported and completed in {completion['seconds']:.2f} s; "
            f"{len(plain)} bytes as to a file, {len(came) - len(plain)} of conversation")
        # A receipt this short goes out in one go, and with few questions before and behind it.
        self.assertIn(plain, came)
        self.assertReceipt(came, plain, completion)

    def assertReceipt(self, came, plain, completion):
        """What came is the receipt, byte for byte, and questions; how many.

        The questions of a job are DLE EOT 1 to 4 and the fence before it, the fence behind it, and in one of more than 2 KB
        a fence for each half of a kilobyte at most.  What is not answered for 0.8 s is asked again, all at once and each
        by itself, so a slow guest may have more of them for each 0.8 s.

        A printer that has not answered in turn by then may stand in a raster, and is given NUL bytes to fill that up
        before the receipt; here it can only be slow, so there are none where the first byte was sooner.
        """
        timeline = completion["timeline"]
        rest, asked = QUESTION.subn(b"", came)
        is_slow = timeline["first_byte"] - timeline["connected"] > 800
        self.assertEqual(rest.lstrip(b"\0") if is_slow else rest, plain)
        more = len(plain) // 500 if len(plain) > 2000 else 0
        again = int((timeline["completed"] - timeline["connected"]) / 800)
        self.assertLessEqual(asked, 6 + more + 8 * again, completion)
        return asked

    def test_ble(self):
        """A wake on BLE: printed, fence answered, byte for byte."""
        # This one also as a picture, to be looked at.
        ctl("ble", "full", PROFILE, BIN + "/virtual-printer", "dots")
        for old in glob.glob(f"{OUT}/ble/*.png"):
            os.remove(old)
        # The first dots want fonts, which the printer loads with the receipt in hand: on a busy machine this one took 6 s.
        self.prints("ble", budget=25)
        # It is drawn when the sheet has been cut off, which nobody waits for.
        pictures = until("the picture", 20, lambda: sorted(glob.glob(f"{OUT}/ble/*.png")))
        say(f"   ble/{os.path.basename(pictures[-1])} in the folder of logs has the paper")

    def test_spp(self):
        """A wake on Classic: printed, fence answered, byte for byte."""
        self.prints("spp")

    def test_pin(self):
        """A wake on a Classic printer with a PIN: printed, fence answered, byte for byte."""
        self.prints("pin")

    def test_issc(self):
        """A wake on ISSC's service, MTU 185: printed, fence answered, byte for byte."""
        self.prints("issc")

    def test_bond(self):
        """A wake on a BLE printer that wants a bond: printed, fence answered, byte for byte."""
        self.prints("bond")

    def test_dual(self):
        """A wake on a printer with both radios: printed, fence answered, byte for byte."""
        self.prints("dual")

    def test_page(self):
        """`test-print` on BLE and Classic is byte for byte what a file printer gets."""
        quiet = "overrides: {status: false}, "
        plain = self.on_file(lambda daemon: daemon.run("test-print", "--printer", "page"), quiet)
        for name, link in ("ble", "ble"), ("spp", "rfcomm"), ("pin", "rfcomm"):
            self.pair(name)
            ctl(name, "clear")
            daemon = self.daemon_by_hand(self.entry(name, link, quiet, title="page"))
            done = daemon.run("test-print", "--printer", "page")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            say(f"   {name}: {len(plain)} bytes; {done.stdout.splitlines()[0]}")
            # Nothing is asked, so nothing tells when the last byte has come.
            until("all of the page", 20, lambda: len(received(name)) >= len(plain))
            self.assertEqual(received(name), plain)
            daemon.stop()

    def test_mtu(self):
        """ATT MTU 23, 185 and 517: byte for byte what a file printer gets, but for the questions."""
        for mtu in 23, 185, 517:
            ctl("ble", "mtu", mtu)
            daemon = self.daemon("ble", budget=25)  # 60 articles in requests of 20 bytes
            ctl("ble", "clear")
            order = self.shop.sell(60)
            completion = daemon.wake(order)
            self.assertPrinted(completion, order, daemon)
            came = received("ble")
            daemon.stop()
            plain = self.on_file(lambda daemon: daemon.wake(order))
            asked = self.assertReceipt(came, plain, completion)
            say(f"   MTU {mtu}: {len(plain)} bytes as to a file, {asked} questions, in {completion['seconds']:.2f} s")

    def test_two_at_once(self):
        """Two printers at once, with a radio: each gets its own order, whole."""
        daemon = self.daemon_for_both(budget=25)
        papers = {name: Sheets(name) for name in ("ble", "spp")}
        for name in papers:
            ctl(name, "interval", 30, 6)
        orders = [self.shop.sell(30) for _ in range(4)]
        flights = [InFlight(daemon, order) for order in orders]
        completions = {order: flight.completion() for order, flight in zip(orders, flights)}
        for order in orders:
            say(f"   {order}: {completions[order]['outcome']} after {completions[order]['seconds']:.2f} s: "
                + ", ".join(f"{job['kind']} on {job['printer']} {job['outcome']}" for job in completions[order]["jobs"]))
            self.assertEqual(completions[order]["outcome"], "printed")
            for name, paper in papers.items():
                self.assertEqual(paper.count(order), 1, f"{order} on {name}")

    def test_print_and_speak(self):
        """One wake prints on the BLE printer and speaks at once, through a real sound server; the completion waits for both."""
        self.pair("ble")
        with SoundServer() as server:
            # The budget has room for espeak-ng: that the ten seconds are kept is for others to prove.
            daemon = self.daemon_for(
                "print_and_speak", 25, receipt="ble",
                more=f'voice: {{language: "zh", currency: "CNY", output: "pulse", server: "{server.address}", device: "spk"}},')
            self.warm_up_voice(daemon, server)
            sheets = Sheets("ble")
            heard = server.heard()
            order = self.shop.sell(3)
            message = push(order)
            message["aps"] |= {"mutable-content": 1, "sound": "cash_success.m4a"}
            completion = daemon.ask("POST", "/v1/wakes", message)
            self.assertEqual((completion["result"], completion["outcome"]), ("newData", "printed"), completion)
            self.assertEqual(completion["voice"], {"end": "played"})
            self.assertEqual(sheets.count(order), 1)
            self.assertEqual(daemon.job(order)["confirmation"], "fence")
            # The recorder lags behind the speaker.
            until("a second of sound", 20, lambda: server.heard() - heard > 1)
            timeline = completion["timeline"]
            say(f"   printed after {timeline['fence']:.0f} ms; {server.heard() - heard:.1f} s of sound heard; "
                f"completed after {timeline['completed']:.0f} ms")
            self.assertGreater(timeline["completed"], max(1000, timeline["fence"]))
            self.assertEqual([r["outcome"] for r in self.shop.reports(order)], ["printed"])
            daemon.stop()

    def warm_up_voice(self, daemon, server):
        """The first words need espeak-ng, which takes its time in the guest."""
        done = daemon.run("announce", "1.00", "--pay", "wx")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
