"""A real PulseAudio in the guest, with a speaker that only its monitor hears."""

import array
import os
import shutil
import subprocess

from guest import until

RATE = 22_050
FOLDER = "/run/rig/sound"


class SoundServer:
    def __enter__(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        os.makedirs(FOLDER)
        self.address = f"unix:{FOLDER}/native"
        with open(f"{FOLDER}/server.pa", "w") as file:
            # Without norewinds the null sink holds two seconds.
            file.write(f"""load-module module-null-sink sink_name=spk norewinds=1 format=s16le rate={RATE} channels=1
set-default-sink spk
load-module module-native-protocol-unix auth-anonymous=1 socket={FOLDER}/native
""")
        surroundings = dict(os.environ, HOME=FOLDER, XDG_RUNTIME_DIR=FOLDER, PULSE_SERVER=self.address)
        self.log = open(f"{FOLDER}/log", "wb")
        self.server = subprocess.Popen(
            ["pulseaudio", "-n", "-F", f"{FOLDER}/server.pa", "--daemonize=no", "--exit-idle-time=-1",
             "--use-pid-file=no", "--disable-shm=no"], env=surroundings, stdout=self.log, stderr=self.log)
        until("the sound server", 20, lambda: os.path.exists(f"{FOLDER}/native"))
        self.recording = f"{FOLDER}/heard.raw"
        self.recorder = subprocess.Popen(
            ["parec", "-d", "spk.monitor", "--latency-msec=20", "--format=s16le", f"--rate={RATE}", "--channels=1",
             "--raw", self.recording], env=surroundings, stdout=self.log, stderr=self.log)
        until("the recorder", 20, lambda: os.path.exists(self.recording) and os.path.getsize(self.recording))
        return self

    def heard(self):
        """Seconds in which anything was to be heard, in steps of 10 ms."""
        with open(self.recording, "rb") as file:
            raw = file.read()
        samples = array.array("h", raw[: len(raw) // 2 * 2])
        step = RATE // 100
        loud = sum(any(samples[at : at + step]) for at in range(0, len(samples), step))
        return loud / 100

    def __exit__(self, *_):
        for process in self.recorder, self.server:
            process.terminate()
            process.wait(60)
