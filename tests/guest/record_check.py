#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges what was recorded inside the emulated machine (record_guest.sh).

    record_check.py SHIFT OUTPUT        prints TAP

At shift S instructions per cycle are exactly 1 / 2^S.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402
from frames import check, near  # noqa: E402
from recorded import live_sums, live_total  # noqa: E402

parts = frames.sections(sys.argv[2])
IPC = 1 / 2 ** int(sys.argv[1])

for part, events in (("together", ("cycles", "instructions", "page-faults")),
                     ("turns", ("cycles", "instructions"))):
    seen = [line for line in parts[part] if "schema" in line]
    sums = {}
    for line in parts[part]:
        if "sum" in line:
            sums.setdefault(line["event"], {})[line["tid"]] = line["sum"]
    said = [line["perf"] for line in parts[part] if "perf" in line]
    printed = sum(line["lines"] for line in parts[part] if "lines" in line)
    check(f"{part}: perf script prints the samples and has nothing to say",
          printed > 1000 and not said, (printed, said))
    turns = max(frame["turns"] for frame in seen)
    check(f"{part}: as many groups as meant", (turns > 1) == (part == "turns"), turns)
    if part == "together":
        for event in events:
            live, recorded = live_total(seen, event), sum(sums[event].values())
            check(f"{event}: perf script's periods add up to what was shown", live == recorded,
                  (live, recorded))
            tasks = live_sums(seen, event)
            wrong = {tid: (count, sums[event].get(tid, 0)) for tid, count in tasks.items()
                     if count != sums[event].get(tid, 0)}
            check(f"{event}: and task by task", not wrong, wrong)
    busy = [tid for tid, count in sums["instructions"].items() if tid > 0 and count > 10**7]
    off = [(tid, sums["instructions"][tid] / sums["cycles"][tid]) for tid in busy
           if not near(sums["instructions"][tid] / sums["cycles"][tid], IPC, 0.01)]
    check(f"{part}: instructions per cycle are those of the machine", busy and not off, off)

frames.finish()
