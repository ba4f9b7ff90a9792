#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, it uses all CPUs.
"""pmctop with the lowest priority on a full machine, and a task that changes its CPU all the time.

Prints TAP. BUILD is the build directory. Needs the right to count system-wide.
"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import Charged, broken_sums, check, finish, frames_of, skip  # noqa: E402
from programs import BUILD, PMCTOP  # noqa: E402

SPIN = os.path.join(BUILD, "load", "spin")
PATIENCE_S = 120
# A millisecond on each CPU. The scheduler charges a task for the interrupt handler that wakes it
# (rq_clock_skip_update: it does not read the clock twice). In a VM these are microseconds.
MOVE = """import os
cpus = sorted(os.sched_getaffinity(0))
while True:
    for cpu in cpus:
        os.sched_setaffinity(0, [cpu])
        for _ in range(30000):
            pass
"""


def lowest_priority():
    os.nice(19)


def moves():
    """The mover changes its CPU as often as it gets one. pmctop waits for each CPU too."""
    spins = [subprocess.Popen([SPIN]) for _ in range(os.cpu_count())]
    mover = subprocess.Popen([sys.executable, "-c", MOVE])
    scheduler = Charged([mover.pid])
    try:
        output = subprocess.run([PMCTOP, "--format", "json", "-d", "0.5", "-n", "5", "-e",
                                 "cpu-migrations"], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, check=False, timeout=PATIENCE_S,
                                preexec_fn=lowest_priority)
    finally:
        scheduler.stop()
        for process in (*spins, mover):
            process.kill()
            process.wait()
    frames = frames_of(output.stdout)
    check("five refreshes, each conserved",
          len(frames) == 5 and not any(broken_sums(frame) for frame in frames),
          (output.stderr, [broken_sums(frame) for frame in frames]))
    rows = [[task for task in frame["tasks"] if task["pid"] == mover.pid] for frame in frames]
    check("the mover has one row in each", all(len(row) == 1 for row in rows), rows)
    moved = sum(task["events"]["cpu-migrations"] or 0 for row in rows for task in row)
    check("its migrations are counted", moved > 10, moved)
    charge = scheduler.between(mover.pid, frames[0]["time"], frames[-1]["time"])
    seen = sum(task["events"]["task-clock"] for row in rows[1:] for task in row)
    name = "its time is the scheduler's, within 10 %, on any CPU"
    lost = sum(frame["lost_records"] for frame in frames)
    if lost and not charge.agrees(seen, 0.1):
        skip(name, f"{lost} records were lost")
    else:
        check(name, charge.agrees(seen, 0.1), (seen, charge, moved))


first = subprocess.run([PMCTOP, "--format", "json", "-n", "1", "-d", "0.1"], capture_output=True,
                        text=True, check=False, timeout=PATIENCE_S, stdin=subprocess.DEVNULL)
if first.returncode or json.loads(first.stdout.splitlines()[0])["mode"] != "system":
    skip("a task that moves", "no right to count system-wide")
else:
    moves()
finish()
