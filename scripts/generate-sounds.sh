#!/bin/sh
# Rewrites Fixtures/sound: one tone in each format that AudioFile reads. Needs python3, and sndfile-convert (Debian:
# sndfile-programs).
set -eu
cd "$(dirname "$0")/../Fixtures/sound"

python3 - <<'END'
import math, struct, wave

for name, rate in (("tone.wav", 22050), ("tone-24000.wav", 24000)):
    with wave.open(name, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        for index in range(rate // 4):
            file.writeframes(struct.pack("<h", int(8000 * math.sin(2 * math.pi * 441 * index / rate))))
END
sndfile-convert tone.wav tone.flac
sndfile-convert tone.wav tone.mp3
sndfile-convert -vorbis tone.wav tone.oga
sndfile-convert -opus tone-24000.wav opus.oga
rm tone-24000.wav
for file in tone.wav tone.flac tone.mp3 tone.oga opus.oga; do
  sndfile-info "$file" | sed -n '/^Sample Rate/,/^Format/p;s/^File : /\n&/p'
done | sed 1d > listing.txt
