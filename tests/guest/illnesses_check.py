#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the verdicts of an ordinary user's pmctop in the emulated machine (illnesses_guest.sh).

    illnesses_check.py SHIFT OUTPUT        prints TAP
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402
from frames import check, finish  # noqa: E402

# The word that each case must have in some refresh. A fork storm is none of them: /proc has no number
# of forks of a process.
SICK = {
    "switches": "thrashing switches",
    "faults": "faulting",
    "lock": "lock",
    "spinners": "runq",
    "nice": "runq",
    "vfork": "blocked",
    "throttled": "throttled",
    "others": "runq",
}
HEALTHY = ("idle", "server", "stopped", "traced")
NO_LOSS = {None, "fine", "cpu", "?"}

parts = frames.sections(sys.argv[2])
for part, lines in parts.items():
    name, comm = part.split(", ")
    rows = [row for line in lines if "tasks" in line for row in line["tasks"] if row["comm"] == comm]
    words = [row["verdict"] for row in rows]
    modes = {line["mode"] for line in lines if "mode" in line}
    seen = (modes, [(row["verdict"], row["metrics"]) for row in rows][:8])
    if name in SICK:
        check(f"{name}: {SICK[name]}", SICK[name] in words, seen)
    else:
        check(f"{name}: no illness", rows and not set(words) - NO_LOSS, seen)
    want = "system" if name == "throttled" else "proc"
    check(f"{name}: mode {want}", modes == {want}, modes)
check("all cases ran", len(parts) == len(SICK) + len(HEALTHY), list(parts))
finish()
