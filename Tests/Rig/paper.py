"""Where the bytes go that reach a printer: its module's buffer, and what prints them.

A full printer is printd's own virtual one, in a process of its own: paper, status and
fences are real, and the sheets can be seen.  A plain one throws the paper away, which
is fast, and answers DLE EOT n with bytes that are told to it and GS r with 0.
"""

import asyncio
import json
import logging
import os
import socket
import time


class Paper:
    """The buffer of a printer's Bluetooth module, and the print engine behind it."""

    def __init__(self, name, out):
        self.file = open(os.path.join(out, name + ".bin"), "wb", buffering=0)
        self.received = 0
        self.lost = 0
        self.last = 0.0  # when a byte came last, by CLOCK_MONOTONIC
        self.size = 4096  # of the buffer
        self.waiting = 0  # bytes in it, and of requests that wait for room in it
        self.queue = asyncio.Queue()
        self.unanswered = []  # those requests: futures
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.engine = PlainEngine()
        self.changed = lambda: None  # called when there may be room, or none any more
        self.news = asyncio.Event()  # bytes have come or gone; a new one for each time
        self.task = asyncio.create_task(self.consume())

    @property
    def is_full(self):
        return self.waiting > self.size

    def link(self, answer):
        """A host has connected; `answer` is awaited with what the printer tells it."""
        self.queue.put_nowait(answer)

    def unlink(self):
        """The host is gone.  What is in the buffer is still printed."""
        self.queue.put_nowait(None)

    def take(self, data, may_lose=False):
        """Takes print data.

        With `may_lose` (a write command), what finds the buffer full is lost.  Else all of
        it is taken, and a future is returned that is done when the buffer has had room.
        """
        self.last = time.monotonic()
        if may_lose and self.waiting + len(data) > self.size:
            self.lost += len(data)
            return None
        self.file.write(data)
        self.received += len(data)
        self.waiting += len(data)
        self.queue.put_nowait(data)
        room = asyncio.get_running_loop().create_future()
        self.unanswered.append(room)
        self.answer_requests()
        return room

    async def until(self, condition, seconds):
        """Waits for something to be true; false when it is not after so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    await self.news.wait()
        except TimeoutError:
            return False
        return True

    def tell(self):
        news, self.news = self.news, asyncio.Event()
        news.set()

    def answer_requests(self):
        if not self.is_full:
            for room in self.unanswered:
                if not room.done():
                    room.set_result(None)
            self.unanswered = []
        self.changed()
        self.tell()

    async def consume(self):
        while True:
            item = await self.queue.get()
            try:
                if item is None:
                    await self.engine.close()
                elif callable(item):
                    await self.engine.open(item)
                else:
                    await self.flowing.wait()
                    await self.engine.print(item)
            except Exception:  # a dead engine must not stop the link's own tests
                logging.exception("the print engine has failed")
            if isinstance(item, bytes):
                self.waiting -= len(item)
                self.answer_requests()

    def clear(self):
        self.file.truncate(0)
        self.file.seek(0)
        self.received = self.lost = 0

    def stall(self, stalled):
        self.flowing.clear() if stalled else self.flowing.set()
        self.changed()


class PlainEngine:
    """Prints nothing, at a speed that can be set; answers DLE EOT n, and GS r 1 behind what came before."""

    def __init__(self, before=None):
        self.status = {1: 0x12, 2: 0x12, 3: 0x12, 4: 0x12}
        self.speed = 0  # bytes a second; 0: at once
        self.tail = b""
        self.answer = before and before.answer  # whoever is connected stays so

    async def open(self, answer):
        self.answer = answer
        self.tail = b""

    async def close(self):
        self.answer = None

    async def print(self, data):
        # A request may be cut in two by the packets: keep the last two bytes.
        seen = self.tail + data
        self.tail = seen[-2:]
        answers = bytes(
            self.status[seen[i + 2]]
            for i in range(len(seen) - 2)
            if seen[i : i + 2] == b"\x10\x04" and seen[i + 2] in self.status
        )
        if answers and self.answer:
            await self.answer(answers)
        if self.speed:
            await asyncio.sleep(len(data) / self.speed)
        # The last two bytes of the packet before were not enough for a question.
        if (asked := seen.count(b"\x1dr\x01")) and self.answer:
            await self.answer(bytes(asked))

    async def command(self, verb, *args):
        if verb == "status":
            self.status[int(args[0])] = int(args[1], 16)
        elif verb == "speed":
            self.speed = int(args[0])
        else:
            raise ValueError(f"a plain printer has no {verb}: make it a full one first")


class FullEngine:
    """printd's virtual printer: a connection to it for each link, commands on its stdin."""

    def __init__(self, arguments, socket):
        self.arguments = arguments
        self.socket = socket
        self.process = self.writer = self.reading = None
        self.turn = asyncio.Lock()  # of the commands

    async def begin(self):
        """Starts the virtual printer, unless it runs."""
        if self.process is not None and self.process.returncode is None:
            return
        self.process = await asyncio.create_subprocess_exec(
            *self.arguments, "--socket", self.socket,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24)
        await self.reply()

    async def reply(self):
        line = await self.process.stdout.readline()
        if not line:
            raise RuntimeError("the virtual printer has ended; see printers.log")
        reply = json.loads(line)
        if isinstance(reply, dict) and "error" in reply:
            raise ValueError(reply["error"])
        return reply

    async def reset(self):
        """As after power-on, with paper in it; the sheets stay."""
        for line in "paper ok", "paperleft endless", "cover closed", "offline off", "fault none", "answers on", \
                "speed 0", "memory 4096", "power":
            await self.command(*line.split())

    async def command(self, verb, *args):
        async with self.turn:
            await self.begin()
            self.process.stdin.write(" ".join([verb, *args]).encode() + b"\n")
            return await self.reply()

    async def open(self, answer):
        async with self.turn:
            await self.begin()
        link = socket.socket(socket.AF_UNIX)
        # What the printer does not take must stay in the module's buffer, not in the kernel's.
        link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 0)
        link.connect(self.socket)
        reader, self.writer = await asyncio.open_unix_connection(sock=link)
        self.writer.transport.set_write_buffer_limits(high=0)
        self.reading = asyncio.create_task(self.read(reader, answer))

    async def read(self, reader, answer):
        while data := await reader.read(4096):
            await answer(data)

    async def close(self):
        if self.writer:
            self.writer.close()
            self.writer = None
            # The printer has let go of the host when its end is closed, too.
            await asyncio.wait([self.reading], timeout=2)

    async def print(self, data):
        if self.writer:
            try:
                self.writer.write(data)
                await self.writer.drain()
            except OSError:
                # As one whose power has failed while its radio's has not: it takes all and answers nothing.
                await self.close()
                raise
