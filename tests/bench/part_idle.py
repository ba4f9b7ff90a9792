# SPDX-License-Identifier: MIT
"""CPU time, wake-ups and memory on an idle machine."""
import os
import time

from machine import busy_s, cpu_s, proportional_mib, resident_mib, wakes
from tools import ATOP, PMCTOP_TOOL, SHOWING, add_to_before, in_turns

BUSY_MUCH = 5  # percent of all CPUs used by other programs: above it the machine is not idle
SIZE = 80, 24
WARM_S = 3  # until pmctop has read all tasks
# What, its unit, the goal, and the goal as a share of what it was before.
FIGURES = (("CPU", "%", 0.2, 1.1), ("wake-ups a second", "", 25, 1.1),
           ("resident memory", "MiB", None, 1.05), ("memory, Pss", "MiB", None, 1.05))


def run(report, rounds, seconds=10):
    others_percent, tools = [], [tool for tool in SHOWING if tool is not ATOP]

    def measure(pid, _name):
        time.sleep(WARM_S)
        began, busy = time.monotonic(), busy_s()
        spent, woken = (cpu_s(pid), wakes(pid)) if pid else (0, 0)
        time.sleep(seconds)
        took = time.monotonic() - began
        own = cpu_s(pid) - spent if pid else 0
        others_percent.append(100 * (busy_s() - busy - own) / took / os.cpu_count())
        if not pid:
            return None
        return (100 * own / took, (wakes(pid) - woken) / took, resident_mib(pid),
                proportional_mib(pid))

    measured, absent = in_turns(tools, (rounds + 1) // 2, measure, SIZE)
    del measured["bare"]
    noisy = None
    if min(others_percent) > BUSY_MUCH:
        noisy = f"other programs use {min(others_percent):.0f} % of the CPUs"
    for i, (what, unit, most, before_most) in enumerate(FIGURES):
        values = {name: [value[i] for value in rows] for name, rows in measured.items()}
        add_to_before(report, "idle", f"idle machine: {what}", values, most=before_most,
                      noisy=noisy)
        for tool in tools:
            ours = tool is PMCTOP_TOOL
            report.add("idle", f"idle machine: {what}: {tool.name}", values.get(tool.name), unit,
                       most=most if ours else None, noisy=noisy if ours else None,
                       note=absent.get(tool.name, ""))
