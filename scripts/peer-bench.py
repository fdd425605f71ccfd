#!/usr/bin/env python3
"""Renders the receipts of Fixtures/receipts with python-escpos, as well as its calls allow.

Usage: peer-bench.py COLUMNS SECONDS NAME...
Prints one JSON line a receipt: {"name", "bytes", "per_second"}; parsed JSON in memory to bytes in memory, CPU time.
Styles are set only when they change, cells are padded here (python-escpos has no call for rows), and the encoder is
shared between printers, which is the fastest right way to use the library.
"""
import contextlib
import io
import json
import os
import sys
import time
import unicodedata

from escpos.printer import Dummy

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Fixtures", "receipts")


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def pad(text, columns, align):
    space = max(0, columns - width(text))
    if align == "right":
        return " " * space + text
    if align == "center":
        return " " * (space // 2) + text + " " * (space - space // 2)
    return text + " " * space


class Driver:
    def __init__(self, columns):
        self.columns = columns
        self.encoder = None

    def printer(self):
        printer = Dummy(profile="TM-T88V")
        printer.profile.profile_data["media"]["width"]["pixels"] = 576  # the paper of the receipts
        if self.encoder is None:
            self.encoder = printer.magic.encoder
        printer.magic.encoder = self.encoder
        return printer

    def style(self, printer, now, block, align="left"):
        wanted = {
            "align": align, "bold": block.get("bold", False), "underline": 1 if block.get("underline") else 0,
            "invert": block.get("invert", False), "width": block.get("width", 1), "height": block.get("height", 1),
        }
        changed = {k: v for k, v in wanted.items() if now.get(k) != v}
        if "width" in changed or "height" in changed:
            changed.update(custom_size=True, width=wanted["width"], height=wanted["height"])
        if changed:
            printer.set(**changed)
        now.update(wanted)

    def line(self, printer, text):
        if any(unicodedata.east_asian_width(c) in "WF" for c in text):
            printer._raw((text + "\n").encode("gb18030"))
        else:
            printer.text(text + "\n")

    def render(self, receipt):
        printer = self.printer()
        printer.hw("INIT")
        now = {"align": "left", "bold": False, "underline": 0, "invert": False, "width": 1, "height": 1}
        for block in receipt["blocks"]:
            kind = block["type"]
            if kind == "text":
                self.style(printer, now, block, block.get("align", "left"))
                self.line(printer, block["text"])
            elif kind == "columns":
                self.style(printer, now, block)
                columns = self.columns // block.get("width", 1)
                fixed = sum(c.get("width", 0) for c in block["cells"])
                row = "".join(
                    pad(c["text"], c.get("width") or columns - fixed, c.get("align", "left")) for c in block["cells"]
                )
                self.line(printer, row)
            elif kind == "rule":
                self.style(printer, now, {})
                printer.text("-" * self.columns + "\n")
            elif kind == "barcode":
                printer.set(align="center")
                now["align"] = "center"
                name = "EAN13" if block["symbology"] == "ean13" else "CODE128"
                data = block["data"] if name == "EAN13" else "{B" + block["data"]
                printer.barcode(data, name, height=block.get("height", 64), width=block.get("module_width", 2), pos="BELOW",
                                align_ct=False, function_type="B")
            elif kind == "qr":
                printer.set(align="center")
                now["align"] = "center"
                printer.qr(block["data"], native=True, size=block.get("module_size", 6), ec=1)
            elif kind == "image":
                printer.set(align=block.get("align", "center"))
                now["align"] = block.get("align", "center")
                printer.image(os.path.join(FOLDER, block["name"]), center=False)
            elif kind == "feed":
                printer.ln(block.get("lines", 1))
            elif kind == "cut":
                printer.cut()
        return printer.output


def main():
    columns, seconds = int(sys.argv[1]), float(sys.argv[2])
    driver = Driver(columns)
    for name in sys.argv[3:]:
        with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
            receipt = json.load(file)
        with contextlib.redirect_stdout(io.StringIO()):
            output = driver.render(receipt)
            count, start, cpu = 0, time.monotonic(), time.process_time()
            while time.monotonic() - start < seconds or count == 0:
                driver.render(receipt)
                count += 1
            spent = time.process_time() - cpu
        print(json.dumps({"name": name, "bytes": len(output), "per_second": count / spent}), flush=True)


if __name__ == "__main__":
    main()
