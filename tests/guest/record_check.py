#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks recordings from the emulated machine (record_guest.sh).

    record_check.py SHIFT OUTPUT        prints TAP

At shift S instructions per cycle are exactly 1 / 2^S.
"""
import base64
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402
from frames import broken_sums, check, differs, off_ipcs  # noqa: E402
from programs import BUILD  # noqa: E402
from recording import live_sums, live_total  # noqa: E402

parts = frames.sections(sys.argv[2])
IPC = 1 / 2 ** int(sys.argv[1])


def replayed(part):
    """(frames, messages) of a replay on this machine, which is of another kind."""
    data = gzip.decompress(base64.b64decode("".join(frames.text(sys.argv[2], f"{part}.data"))))
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        output = subprocess.run([os.path.join(BUILD, "pmctop"), "--format", "json", "-H",
                                 "--replay", file.name], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, check=False, timeout=120)
    again = [json.loads(line) for line in output.stdout.splitlines()]
    for frame in again:
        frame.pop("replay", None)
        frame.pop("offset_s", None)
    return again, output.stderr


for part, events in (("together", ("cycles", "instructions", "page-faults")),
                     ("turns", ("cycles", "instructions"))):
    seen = [line for line in parts[part] if "schema" in line]
    for frame in seen:
        frame.pop("pmctop", None)  # pmctop's own cost is not recorded
    sums = {}
    for line in parts[part]:
        if "sum" in line:
            sums.setdefault(line["event"], {})[line["tid"]] = line["sum"]
    messages = [line["perf"] for line in parts[part] if "perf" in line]
    printed = sum(line["lines"] for line in parts[part] if "lines" in line)
    check(f"{part}: perf script prints the samples without a message",
          printed > 1000 and not messages, (printed, messages))
    turns = max(frame["turns"] for frame in seen)
    check(f"{part}: groups take turns, or do not", (turns > 1) == (part == "turns"), turns)
    if part == "together":
        for event in events:
            live, recorded = live_total(seen, event), sum(sums[event].values())
            check(f"{event}: the sum of perf script's periods is what was shown", live == recorded,
                  (live, recorded))
            tasks = live_sums(seen, event)
            wrong = {tid: (count, sums[event].get(tid, 0)) for tid, count in tasks.items()
                     if count != sums[event].get(tid, 0)}
            check(f"{event}: each task's sum too", not wrong, wrong)
    again, errors = replayed(part)
    check(f"{part}: a replay on another machine has exactly what was shown",
          again == seen and len(seen) == 4 and not errors,
          (errors, differs(*([json.dumps(frame) for frame in run] for run in (seen, again)))))
    check(f"{part}: and conserves", not any(broken_sums(frame) for frame in again))
    counted = {tid: (count, sums["cycles"][tid]) for tid, count in sums["instructions"].items()
               if tid > 0}
    off = off_ipcs(counted, IPC)
    check(f"{part}: IPC is the machine's", counted and not off, off)

frames.finish()
