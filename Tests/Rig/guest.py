"""What programs in the guest share: the printers' verbs, waiting, and saying what was seen.

Import it first: by any Python it goes on with the rig's own, which has dbus-fast.
"""

import os
import sys

PYTHON = os.path.join(os.environ["RIG_CACHE"], "venv/bin/python")
if sys.prefix != os.path.dirname(os.path.dirname(PYTHON)):
    os.execv(PYTHON, [PYTHON, *sys.argv])

import json
import socket
import time

RIG, OUT = os.environ["RIG"], os.environ["RIG_OUT"]
started = time.monotonic()


def say(text):
    print(f"{time.monotonic() - started:7.2f} s  {text}", flush=True)


def ctl(*words):
    """What printer-ctl does; an answer that is an error is raised."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(120)  # longer than any verb takes
        s.connect("/run/rig/printers.sock")
        s.sendall(" ".join(map(str, words)).encode() + b"\n")
        try:
            reply = json.loads(s.makefile().readline())
        except TimeoutError:
            raise TimeoutError(f"printer-ctl {' '.join(map(str, words))}: no answer within 120 s") from None
    if isinstance(reply, dict) and "error" in reply:
        raise RuntimeError(f"printer-ctl {' '.join(map(str, words))}: {reply['error']}")
    return reply


def address(name):
    return ctl(name, "state")["address"]


def until(what, seconds, probe):
    """Waits for `probe` to return something true, and returns that.

    It looks once more when the time is over, since the guest may have stood still meanwhile.
    """
    end = time.monotonic() + seconds
    while True:
        is_late = time.monotonic() > end
        if found := probe():
            return found
        if is_late:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.02)


def received(name):
    """All the bytes that have reached a printer."""
    with open(f"{OUT}/{name}.bin", "rb") as file:
        return file.read()
