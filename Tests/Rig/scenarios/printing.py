"""Wakes that print."""

import os
import threading

from guest import OUT, ctl, received, say
from shop import BIN, HOME, Sheets, wake as push
from sound import SoundServer
from scenarios.base import FENCE, PROFILE, Scenario


def settled(came, order):
    """Bytes that a printer received, without what differs from one receipt of these to the next."""
    return FENCE.sub(rb"\1----", came).replace(order.encode(), b"order")


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
            return file.read()

    def prints(self, name, items=3):
        """A wake prints, the fence is answered, the report is in, and the bytes are those to a file."""
        daemon = self.daemon(name)
        sheets = Sheets(name)
        order = self.shop.sell(items)
        completion = daemon.wake(order)
        self.assertPrinted(completion, order, daemon)
        self.assertEqual(sheets.count(order), 1)
        came = received(name)
        daemon.stop()
        plain = self.on_file(lambda daemon: daemon.wake(order))
        say(f"   {name}: printed, reported and completed in {completion['seconds']:.2f} s; "
            f"{len(plain)} bytes as to a file, {len(came) - len(plain)} of conversation")
        self.assertIn(plain, came)
        self.assertLess(len(came) - len(plain), 64)

    def test_ble(self):
        """A wake on BLE: printed, fence answered, byte for byte."""
        # This one also as a picture, to be looked at.
        ctl("ble", "full", PROFILE, BIN + "/virtual-printer", "dots")
        self.prints("ble")
        pictures = sorted(name for name in os.listdir(f"{OUT}/ble") if name.endswith(".png"))
        self.assertNotEqual(pictures, [])
        say(f"   ble/{pictures[-1]} in the folder of logs has the paper")

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
            self.assertEqual(received(name), plain)
            daemon.stop()

    def test_mtu(self):
        """ATT MTU 23, 185 and 517: the same bytes."""
        plain = None
        for mtu in 23, 185, 517:
            ctl("ble", "mtu", mtu)
            daemon = self.daemon("ble", budget=25)  # 60 articles in requests of 20 bytes
            ctl("ble", "clear")
            order = self.shop.sell(60)
            completion = daemon.wake(order)
            self.assertPrinted(completion, order, daemon)
            came = received("ble")
            say(f"   MTU {mtu}: {len(came)} bytes, {len(FENCE.findall(came))} questions of the fence, "
                f"in {completion['seconds']:.2f} s")
            plain = plain or settled(came, order)
            self.assertEqual(settled(came, order), plain)
            daemon.stop()

    def test_two_at_once(self):
        """Two printers at once, with a radio: each gets its own order, whole."""
        daemon = self.daemon_for_both(budget=25)
        papers = {name: Sheets(name) for name in ("ble", "spp")}
        for name in papers:
            ctl(name, "interval", 30, 6)
        orders = [self.shop.sell(30) for _ in range(4)]
        completions = {}

        def wake(order):
            completions[order] = daemon.wake(order)

        threads = [threading.Thread(target=wake, args=[order]) for order in orders]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
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
            daemon = self.daemon_for(
                "print_and_speak", 10, receipt="ble",
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
            seconds = server.heard() - heard
            say(f"   printed after {completion['timeline']['fence']:.0f} ms; {seconds:.1f} s of sound heard; "
                f"completed after {completion['timeline']['completed']:.0f} ms")
            self.assertGreater(seconds, 1)
            self.assertEqual([r["outcome"] for r in self.shop.reports(order)], ["printed"])
            daemon.stop()

    def warm_up_voice(self, daemon, server):
        """The first words need espeak-ng, which takes its time in the guest."""
        done = daemon.run("announce", "1.00", "--pay", "wx")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
