#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the counts and functions of code_rows in the emulated machine (code_guest.sh).

    code_check.py SHIFT OUTPUT        prints TAP

The three processes run the same instructions in user mode, whether or not they are sampled.
"""
import math
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402

shift = int(sys.argv[1])
truth = 1 / 2**shift
rows = {row["sampling"]: row for row in frames.sections(sys.argv[2])["rows"]}


def check(name, good, detail=""):
    frames.check(f"shift {shift}: {name}", good, detail)


check("four processes were counted", sorted(rows) == ["first", "off", "on", "turns"], rows)
check("nothing is sampled while it is not requested", not rows["off"]["sampled"], rows["off"])
for sampling, row in sorted(rows.items()):
    counts = row["counts"]
    ipc = counts["instructions:u"] / counts["cycles:u"]
    check(f"{sampling}: instructions:cycles is exact", abs(ipc / truth - 1) < 1e-5, ipc)
    check(f"{sampling}: instructions in user mode are those that the process counts itself",
          counts["instructions:u"] == row["witness"] > 0, row)
for event in rows["on"]["sampled"]:
    name, n = event["event"], event["seventy"] + event["thirty"]
    if name == "page-faults":
        continue
    check(f"{name} has samples with names", n > 50, event)
    share, error = event["seventy"] / max(n, 1), math.sqrt(0.7 * 0.3 / max(n, 1))
    check(f"{name}: the share of a function is that of its steps", abs(share - 0.7) < 3 * error,
          (share, error))
sampled = {event["event"] for event in rows["on"]["sampled"]}
check("cycles and instructions are sampled, no clock",
      {"cycles", "instructions"} <= sampled and "cpu-clock" not in sampled, sampled)
frames.finish()
