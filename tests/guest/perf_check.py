#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays perf's recordings from the emulated machine (perf_guest.sh) on this one.

    perf_check.py SHIFT OUTPUT        prints TAP; BUILD is the build directory, with this machine's
                                      pmctop

At shift S instructions per cycle are exactly 1 / 2^S.
"""
import base64
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402
import perfscript  # noqa: E402
from frames import check, skip  # noqa: E402

IPC = 1 / 2 ** int(sys.argv[1])
PMCTOP = os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "pmctop")


def replay(path, interval):
    return subprocess.run([PMCTOP, "--replay", path, "--format", "json", "-H", "-d", interval],
                          capture_output=True, text=True, timeout=60, check=False)


def check_recording(name, path):
    script = perfscript.sums(path)
    for interval in ("0.1", "10"):
        printed = replay(path, interval)
        seen = frames.frames_of(printed.stdout)
        check(f"{name}: it replays, with refreshes every {interval} s",
              printed.returncode == 0 and seen, printed.stderr)
        wrong = perfscript.differences(perfscript.shown(seen), script)
        check(f"{name}: each task's sums are exactly perf script's",
              script.samples > 1000 and not wrong, (script.samples, wrong))
    ran = {(frame["time"], task["comm"], task["tid"]):
           [task["events"][event] for event in ("instructions", "cycles")]
           for frame in seen for task in frame["tasks"]}
    long = {comm for (_, comm, _), (_, cycles) in ran.items() if cycles > 10**7}
    off = frames.off_ipcs(ran, IPC)
    check(f"{name}: IPC is the machine's",
          {"pingpong", "pong"} <= long and not off, (long, off))
    check(f"{name}: host and PMU are the recording's", seen[0]["host"] == "guest" and
          seen[0]["pmu"].startswith("armv8"), (seen[0]["host"], seen[0]["pmu"]))


if not shutil.which("perf"):
    skip("recordings of real counters", "no perf to compare with")
    frames.finish()
for part in ("file", "stream"):
    with tempfile.NamedTemporaryFile() as recording:
        recording.write(gzip.decompress(base64.b64decode("".join(frames.text(sys.argv[2], part)))))
        recording.flush()
        check_recording(part, recording.name)
frames.finish()
