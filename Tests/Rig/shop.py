"""printd as a user runs it, and the shop it works for: its configuration, its processes, its commands."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time

from guest import OUT, ctl, say, until

BIN = os.environ["RIG_BIN"]  # where printd, sample-shop and virtual-printer lie
HOME = "/run/rig/printd"  # the guest's own, so quick; the logs go to OUT


class Shop:
    """An order service of its own process."""

    def __init__(self):
        self.folder = HOME + "/shop"
        self.orders = self.folder + "/orders"
        os.makedirs(self.orders)
        self.log = open(OUT + "/shop.log", "wb")
        port = self.folder + "/port"
        self.process = subprocess.Popen(
            [BIN + "/sample-shop", "--listen", "127.0.0.1:0", "--orders", self.orders,
             "--reports", self.folder + "/reports.jsonl", "--port-file", port],
            stdout=self.log, stderr=self.log)
        until("the shop", 60, lambda: os.path.exists(port) and os.path.getsize(port))
        self.address = "http://127.0.0.1:" + open(port).read().strip()
        self.count = 0

    def sell(self, items=3):
        """A customer pays: the order is there, and its id returned, which stands on the receipt."""
        self.count += 1
        order = f"order-{self.count:05}"
        lines = [
            {"name": f"Article {n}", "quantity": 1, "unit_price": "1.00", "amount": "1.00"}
            for n in range(1, items + 1)
        ]
        total = {"label": "Total", "amount": f"{items}.00", "emphasis": True}
        text = json.dumps({
            "id": order, "number": order, "locale": "en-GB", "currency": "EUR", "pay_type": "card",
            "merchant": {"name": "The rig", "lines": ["1 Loopback Lane"]},
            "items": lines, "totals": [total],
        })
        with open(f"{self.folder}/new", "w") as file:
            file.write(text)
        os.rename(f"{self.folder}/new", f"{self.orders}/{order}.json")
        return order

    def reports(self, order=None):
        """The reports that were acknowledged, oldest first."""
        path = self.folder + "/reports.jsonl"
        if not os.path.exists(path):
            return []
        with open(path) as file:
            # The last line may be half written.
            reports = [json.loads(line)["report"] for line in file if line.endswith("\n")]
        return [r for r in reports if order in (None, r.get("order_id"))]

    def close(self):
        self.process.terminate()
        self.process.wait(60)


class ControlConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("printd", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Daemon:
    """`printd run`, with the printers that `printers pair` has written into printers.d."""

    number = 0

    def __init__(self, shop, name, folder="etc", printers="", more="", state=None):
        Daemon.number += 1
        self.folder = f"{HOME}/{folder}"
        self.config = self.folder + "/printd.json5"
        self.socket = HOME + "/control.sock"
        self.state = state or f"{HOME}/state-{Daemon.number}"
        self.logfile = f"{OUT}/printd-{Daemon.number:02}-{name}.log"
        os.makedirs(self.folder, exist_ok=True)
        with open(self.config, "w") as file:
            file.write(f"""{{
              state_directory: "{self.state}", {more}
              printers: [{printers}],
              orders: {{http: {{fetch: "{shop.address}/orders/{{order_id}}", report: "{shop.address}/reports"}}}},
              control: {{socket: "{self.socket}"}},
            }}""")
        self.process = None

    def start(self):
        with open(self.logfile, "ab") as log:
            self.process = subprocess.Popen(
                [BIN + "/printd", "run", "--config", self.config], stdout=log, stderr=log)
        until("printd's control socket", 60, self.answers)
        return self

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"printd has ended with {self.process.returncode}: {self.log[-2000:]}")
        try:
            return self.ask("GET", "/v1/status")
        except (OSError, http.client.HTTPException):
            return None

    @property
    def log(self):
        with open(self.logfile, errors="replace") as file:
            return file.read()

    def ask(self, method, path, body=None, timeout=60):
        connection = ControlConnection(self.socket, timeout)
        try:
            connection.request(method, path, body and json.dumps(body))
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def wake(self, order, timeout=60):
        """Wakes for an order, and returns the completion with the seconds that it took as `seconds`."""
        since = time.monotonic()
        completion = self.ask("POST", "/v1/wakes", wake(order), timeout)
        completion["seconds"] = time.monotonic() - since
        return completion

    def jobs(self, order):
        return self.ask("GET", f"/v1/jobs?order={order}")["jobs"]

    def job(self, order):
        jobs = self.jobs(order)
        assert len(jobs) == 1, jobs
        return jobs[0]

    def status(self, printer):
        return next(p for p in self.ask("GET", "/v1/status")["printers"] if p["name"] == printer)

    def run(self, *words, timeout=180):
        """A command of printd, as a user types it."""
        return command(*words, "--config", self.config, timeout=timeout)

    def stop(self):
        """Ends it as systemd does; it must end well, within the unit's TimeoutStopSec: a receipt in hand gets 15 s."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("printd does not end") from None
        assert code == 0, f"printd has ended with {code}"

    def kill(self):
        """Ends it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def resident(self):
        """Kilobytes of memory that it holds, and of them what no file backs."""
        with open(f"/proc/{self.process.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return int(fields["VmRSS"].split()[0]), int(fields["RssAnon"].split()[0])

    def cpu(self):
        """Seconds of processor time so far."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def command(*words, timeout=180):
    done = subprocess.run(
        [BIN + "/printd", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    say(f"$ printd {' '.join(words[:4])}… → {done.returncode}")
    return done


def wake(order):
    """A wake as a push carries it."""
    return {
        "aps": {"content-available": 1, "alert": "paid", "category": "payment"},
        "type": 2, "data": json.dumps({"pay_type": 1, "sum_amount": "3.00", "order_id": order}),
    }


class Sheets:
    """The paper of a full printer, from now on."""

    def __init__(self, printer):
        self.printer = printer
        self.first = ctl(printer, "sheets")

    def texts(self):
        """The sheets that were cut off, and the one in the printer."""
        last = ctl(self.printer, "sheets")
        texts = [ctl(self.printer, "sheet", n) for n in range(self.first + 1, last + 1)]
        try:
            texts.append(ctl(self.printer, "sheet", last + 1))
        except RuntimeError:
            pass  # nothing is in the printer
        return texts

    def count(self, word):
        """How often a word begins a receipt or stands in it: sheets that have it."""
        return sum(word in text for text in self.texts())


def clean_home():
    shutil.rmtree(HOME, ignore_errors=True)
    os.makedirs(HOME)
