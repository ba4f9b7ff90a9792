#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, it wants all CPUs.
"""pmctop as the least of all on a machine that is full, with a task that never stays on its CPU.

Prints TAP. BUILD is the build directory. Needs the right to count system-wide.
"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import Charged, broken_sums, check, finish, frames_of, skip  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PMCTOP = os.path.join(BUILD, "pmctop")
SPIN = os.path.join(BUILD, "load", "spin")
PATIENCE_S = 120
# Runs a millisecond on each: the scheduler charges who comes with the way of the interrupt that
# lets him in too (it reads no clock twice, rq_clock_skip_update), and that is microseconds in a VM.
MOVE = """import os
cpus = sorted(os.sched_getaffinity(0))
while True:
    for cpu in cpus:
        os.sched_setaffinity(0, [cpu])
        for _ in range(30000):
            pass
"""


def last_of_all():
    os.nice(19)


def moves():
    """As often as it gets a CPU, and who counts that waits for every one."""
    spins = [subprocess.Popen([SPIN]) for _ in range(os.cpu_count())]
    mover = subprocess.Popen([sys.executable, "-c", MOVE])
    scheduler = Charged([mover.pid])
    try:
        output = subprocess.run([PMCTOP, "--format", "json", "-d", "0.5", "-n", "5", "-e",
                                 "cpu-migrations"], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, check=False, timeout=PATIENCE_S,
                                preexec_fn=last_of_all)
    finally:
        scheduler.stop()
        for process in (*spins, mover):
            process.kill()
            process.wait()
    frames = frames_of(output.stdout)
    check("starved or not, five refreshes, every one conserved",
          len(frames) == 5 and not any(broken_sums(frame) for frame in frames),
          (output.stderr, [broken_sums(frame) for frame in frames]))
    rows = [[task for task in frame["tasks"] if task["pid"] == mover.pid] for frame in frames]
    check("who moves has one row in each", all(len(row) == 1 for row in rows), rows)
    moved = sum(task["events"]["cpu-migrations"] or 0 for row in rows for task in row)
    check("and is seen to move", moved > 10, moved)
    charge = scheduler.between(mover.pid, frames[0]["time"], frames[-1]["time"])
    seen = sum(task["events"]["task-clock"] for row in rows[1:] for task in row)
    name = "with the time that the scheduler charged it, to 10 %, wherever that was"
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
