#!/usr/bin/env python3
"""Rewrites Fixtures/sound: a quarter of a second of one tone in each format that AudioFile reads, by libsndfile."""
import ctypes
import math
import os

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Fixtures", "sound"))
library = ctypes.CDLL("libsndfile.so.1")
library.sf_open.restype = ctypes.c_void_p
library.sf_write_short.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
library.sf_close.argtypes = [ctypes.c_void_p]


class Form(ctypes.Structure):
    _fields_ = [("frames", ctypes.c_int64)] + [
        (name, ctypes.c_int) for name in ("rate", "channels", "format", "sections", "seekable")
    ]


# Container and encoding as in sndfile.h.
FILES = [
    ("tone.wav", 22050, 0x010002, "WAV, 16 bit"),
    ("tone.flac", 22050, 0x170002, "FLAC, 16 bit"),
    ("tone.mp3", 22050, 0x230082, "MPEG layer III with a LAME tag"),
    ("tone.oga", 22050, 0x200060, "Ogg Vorbis"),
    ("opus.oga", 24000, 0x200064, "Ogg Opus"),
]

with open("listing.txt", "w") as listing:
    for name, rate, form, words in FILES:
        count = rate // 4
        tone = [int(8000 * math.sin(2 * math.pi * 441 * index / rate)) for index in range(count)]
        samples = (ctypes.c_short * count)(*tone)
        file = library.sf_open(name.encode(), 0x20, ctypes.byref(Form(rate=rate, channels=1, format=form)))
        assert file, name
        assert library.sf_write_short(file, samples, count) == count, name
        library.sf_close(file)
        listing.write(f"{name}: {words}, {rate} Hz, mono, {count} samples: sine of 441 Hz, peak 8000\n")
