#!/usr/bin/env python3
"""Draws Fixtures/samples/logo.png, the sign of a made-up tea room: a cup with steam, 240 x 120 dots, black on white.

Needs nothing but Python, so that the picture can be made again and nobody's rights are in it.
"""
import math
import pathlib
import struct
import zlib

WIDTH, HEIGHT = 240, 120


def is_black(x: float, y: float) -> bool:
    cup = abs(x - 110) < 58 - 0.004 * (y - 45) ** 2 and 45 < y < 95
    tea = abs(x - 110) < 50 and 49 < y < 53
    ring = math.hypot((x - 168) / 1.1, y - 64)
    handle = 11 < ring < 17 and x > 164
    saucer = ((x - 115) / 92) ** 2 + ((y - 103) / 8) ** 2 < 1
    gap = ((x - 115) / 80) ** 2 + ((y - 101) / 3) ** 2 < 1
    steam = any(abs(x - (middle + 5 * math.sin(y / 5))) < 2 and 8 < y < 38 for middle in (85, 110, 135))
    return (cup and not tea) or handle or (saucer and not gap) or steam


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def main() -> None:
    rows = bytearray()
    for y in range(HEIGHT):
        rows.append(0)
        for start in range(0, WIDTH, 8):
            rows.append(sum(0 if is_black(start + bit + 0.5, y + 0.5) else 0x80 >> bit for bit in range(8)))
    png = b"\x89PNG\r\n\x1a\n"
    png += chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 1, 0, 0, 0, 0))
    png += chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b"")
    target = pathlib.Path(__file__).resolve().parent.parent / "Fixtures" / "samples" / "logo.png"
    target.write_bytes(png)


main()
