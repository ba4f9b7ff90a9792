#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays here what perf recorded inside the emulated machine (perf_guest.sh).

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


def judge(name, path):
    script = perfscript.sums(path)
    for interval in ("0.1", "10"):
        printed = replay(path, interval)
        seen = frames.frames_of(printed.stdout)
        check(f"{name}: it replays, with refreshes every {interval} s",
              printed.returncode == 0 and seen, printed.stderr)
        wrong = perfscript.differences(perfscript.shown(seen), script)
        check(f"{name}: every task's sums are perf script's, to the last count",
              script.samples > 1000 and not wrong, (script.samples, wrong))
    ran = {(frame["time"], task["comm"], task["tid"]):
           [task["events"][event] for event in ("instructions", "cycles")]
           for frame in seen for task in frame["tasks"]}
    long = {comm for (_, comm, _), (_, cycles) in ran.items() if cycles > 10**7}
    off = frames.off_ipcs(ran, IPC)
    check(f"{name}: instructions per cycle are those of the machine",
          {"pingpong", "pong"} <= long and not off, (long, off))
    check(f"{name}: the machine is told", seen[0]["host"] == "guest" and
          seen[0]["pmu"].startswith("armv8"), (seen[0]["host"], seen[0]["pmu"]))


if not shutil.which("perf"):
    skip("recordings of real counters", "there is no perf here to compare with")
    frames.finish()
for part in ("file", "stream"):
    with tempfile.NamedTemporaryFile() as recording:
        recording.write(gzip.decompress(base64.b64decode("".join(frames.text(sys.argv[2], part)))))
        recording.flush()
        judge(part, recording.name)
frames.finish()
