"""Drives python-escpos through its calls and prints what it emits, a job a line, as JSON.

Each line: {"name", "profile": {"width", "pages": {slot: iconv name}}, "hex", "texts": [...], "scans": [...],
"marks": [...]}; texts and scans are what must be readable on the paper. Run with the python of a venv that
has python-escpos 3.1.
"""

import contextlib
import io
import json
import sys
import warnings

from escpos import printer
from escpos.capabilities import CAPABILITIES
from PIL import Image, ImageDraw

warnings.simplefilter("ignore")
MODELS = CAPABILITIES["profiles"]
ENCODINGS = CAPABILITIES["encodings"]


def pages(profile):
    """The slots of a profile whose encoding iconv knows."""
    found = {}
    for slot, name in MODELS[profile]["codePages"].items():
        encoding = ENCODINGS.get(name, {})
        iconv = encoding.get("iconv") or encoding.get("python_encode")
        if name.lower() == "katakana":
            iconv = "KATAKANA"
        if iconv:
            found[int(slot)] = iconv.upper().replace("_", "-") if iconv.upper().startswith("ISO") else iconv.upper()
    return found


def job(name, call, texts=(), scans=(), marks=(), profile="TM-T88V"):
    dummy = printer.Dummy(profile=profile)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        call(dummy)
    width = MODELS[profile].get("media", {}).get("width", {}).get("pixels", 576)
    print(json.dumps({
        "name": name,
        "profile": {"width": width if isinstance(width, int) else 576, "pages": pages(profile)},
        "hex": dummy.output.hex(), "texts": list(texts), "scans": list(scans), "marks": list(marks),
    }))


def picture(width=200, height=100):
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width - 1, height - 1), outline="black")
    draw.line((0, 0, width, height), fill="black")
    draw.ellipse((20, 10, 80, 70), fill="black")
    return image


TEXTS = ["Hello, World!", "Crème brûlée 12,50 €", "Größe: Maß, Öl", "Žluťoučký kůň", "Привет, мир",
         "Καλημέρα", "Ça coûte £5", "ÅÄÖ åäö ø", "¡Señor! ¿Qué?", "Łódź", "½ ± ÷"]


def text_calls():
    for profile in sorted(MODELS):
        if "displays" in MODELS[profile].get("notes", "").lower():
            continue
        usable = pages(profile)

        def call(p, texts=TEXTS):
            for text in texts:
                p.text(text + "\n")
        # A text is expected only when python-escpos can write it without a question mark on this model.
        expected = []
        for text in TEXTS:
            probe = printer.Dummy(profile=profile)
            probe.text(text)
            known = set(usable)
            raw = probe.output
            used = {raw[i + 2] for i in range(len(raw) - 2) if raw[i:i + 2] == b"\x1bt"}
            if b"?" not in raw.replace(b"?" * text.count("?"), b"", 1 if "?" in text else 0) and used <= known:
                expected.append(text)
        job(f"text on {profile}", call, texts=expected if profile in ("TM-T88V", "default") else (), profile=profile)


def styles(p):
    for align in ("left", "center", "right"):
        for font in ("a", "b"):
            for bold in (False, True):
                for underline in (0, 1, 2):
                    p.set(align=align, font=font, bold=bold, underline=underline, invert=bold, flip=underline == 2,
                          smooth=bold, density=underline * 4, normal_textsize=True)
                    p.textln(f"{align} {font} {bold} {underline}")
    for width in range(1, 9):
        p.set_with_default(custom_size=True, width=width, height=9 - width)
        p.textln("W%d" % width)
    p.set(double_width=True)
    p.set(double_height=True)
    p.set(double_width=True, double_height=True)
    p.textln("double")
    p.set_with_default()
    for density in range(10):
        p.set(density=density)
    p.textln("done")


def images():
    for impl in ("bitImageRaster", "graphics", "bitImageColumn"):
        for high in (True, False):
            def call(p):
                p.text("before\n")
                p.image(picture(), impl=impl, high_density_vertical=high, high_density_horizontal=high)
                p.text("after\n")
            job(f"image {impl} {high}", call, texts=("before", "after"))

        def tall(p):
            p.image(picture(300, 700), impl=impl, center=True, fragment_height=240)
            p.text("end\n")
        job(f"image {impl} in pieces", tall, texts=("end",))


BARCODES = [
    ("UPC-A", "01234567890", "UPC-A:012345678905"), ("UPC-E", "0123456", "UPC-E:01234565"),
    ("EAN13", "400638133393", "EAN-13:4006381333931"), ("EAN8", "9638507", "EAN-8:96385074"),
    ("CODE39", "ABC-123", "CODE-39:ABC-123"), ("ITF", "12345678", "I2/5:12345678"),
    ("NW7", "A12345B", "Codabar:A12345B"), ("CODABAR", "A40156B", "Codabar:A40156B"),
]
BARCODES_B = [
    ("CODE93", "CODE93", "CODE-93:CODE93"), ("CODE128", "{BShop-42", "CODE-128:Shop-42"), ("GS1-128", None, None),
    ("GS1 DATABAR OMNIDIRECTIONAL", "0123456789012", "DataBar:0101234567890128"),
    ("GS1 DATABAR TRUNCATED", "0123456789012", "DataBar:0101234567890128"),
    ("GS1 DATABAR LIMITED", "0123456789012", None),
    ("GS1 DATABAR EXPANDED", "(01)09501101530003", "DataBar-Exp:0109501101530003"),
]


def barcodes():
    for kind, data, scan in BARCODES:
        for form in ("A", "B"):
            for position in ("ABOVE", "BELOW", "BOTH", "OFF"):
                job(f"barcode {kind} {form} {position}",
                    lambda p: p.barcode(data, kind, height=80, width=2, pos=position, font="B", function_type=form),
                    scans=(scan,))
    for kind, data, scan in BARCODES_B:
        if data:
            job(f"barcode {kind}", lambda p: p.barcode(data, kind, height=120, width=3, function_type="B"),
                scans=(scan,) if scan else ())
    job("barcode GS1-128", lambda p: p.barcode("{B4006381333931", "GS1-128", width=2, function_type="B"))
    for impl in ("graphics", "bitImageColumn", "bitImageRaster"):
        # Its bars are a dot too wide at this resolution: no scanner reads the picture, whoever prints it.
        job(f"barcode drawn by {impl}",
            lambda p: p.barcode("400638133393", "EAN13", height=120, width=3, force_software=impl))


def qr_codes():
    for level in range(4):
        for size in (3, 8):
            job(f"QR native {level} {size}",
                lambda p: p.qr("https://example.org/?a=1&b=2", ec=level, size=size, native=True),
                scans=("QR-Code:https://example.org/?a=1&b=2",))
    job("QR native micro", lambda p: p.qr("12345", size=6, native=True, model=3))
    for impl in ("bitImageRaster", "graphics", "bitImageColumn"):
        job(f"QR drawn by {impl}", lambda p: p.qr("soft 123", size=6, impl=impl, center=True),
            scans=("QR-Code:soft 123",) if impl != "bitImageColumn" else ())


def others():
    job("styles", styles, texts=("center a True 0", "W8", "double", "done"))

    def cuts(p):
        for mode in ("FULL", "PART"):
            p.textln(mode)
            p.cut(mode=mode)
        p.textln("no feed")
        p.cut(feed=False)
    job("cuts", cuts, texts=("FULL", "PART", "no feed"), marks=("full cut", "partial cut", "partial cut"))

    def drawer(p):
        p.cashdraw(2)
        p.cashdraw(5)
        p.cashdraw([27, 112, 0, 25, 250])
        p.buzzer()
        p.buzzer(9, 9)
    job("drawer and buzzer", drawer, marks=(
        "drawer, pin 2, 100 ms", "drawer, pin 5, 100 ms", "drawer, pin 2, 50 ms", "beep × 2", "beep × 9"))

    def hardware(p):
        for action in ("INIT", "SELECT", "RESET"):
            p.hw(action)
        p.textln("alive")
        p.panel_buttons(False)
        p.panel_buttons(True)
        p.target("ROLL")
        p.target("SLIP")
        p.eject_slip()
        p.print_and_eject_slip()
        p.use_slip_only()
        p.textln(" alive too")
        p.linedisplay("seen on the display")
        p.textln("printed")
    job("hardware", hardware, texts=("alive", "alive too", "printed"))

    def control(p):
        for code in ("LF", "FF", "CR", "VT"):
            p.control(code)
        p.control("HT", count=5, tab_size=4)
        p.text("a\tb\tc\n")
        p.control("HT", count=1)
        p.control("HT", count=31, tab_size=8)
        for spacing, divisor in ((None, 180), (40, 180), (80, 360), (20, 60)):
            p.line_spacing(spacing, divisor)
            p.textln("spaced")
        p.ln(3)
        p.print_and_feed(4)
        p.print_and_feed(0)
        p.block_text("The quick brown fox jumps over the lazy dog and runs away from the bear", font="b", columns=20)
        p.ln()
        p.textln("end")
    job("control", control, texts=("a   b   c", "spaced", "The quick brown fox", "end"))

    def code_pages(p):
        for code in ("CP437", "CP850", "CP852", "CP858", "CP866", "CP1252"):
            p.charcode(code)
            p.textln(code)
        p.charcode("AUTO")
        p.textln("auto é ж")
    job("code pages", code_pages, texts=("CP437", "CP866", "auto é ж"))

    def status(p):
        p._read = lambda: b"\x12"
        p.is_online()
        p.paper_status()
        p.textln("asked")
    job("status", status, texts=("asked",))


text_calls()
images()
barcodes()
qr_codes()
others()
sys.stdout.flush()
