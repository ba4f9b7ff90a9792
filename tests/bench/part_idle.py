# SPDX-License-Identifier: MIT
"""CPU time and wake-ups on an idle machine."""
import os
import time

from machine import busy_s, cpu_s, wakes
from tools import ATOP, SHOWING, in_turns

BUSY_MUCH = 5  # percent of all CPUs used by other programs: above it the machine is not idle
SIZE = 80, 24


def run(report, rounds, seconds=5):
    others_percent, tools = [], [tool for tool in SHOWING if tool is not ATOP]

    def measure(pid, _name):
        began, busy = time.monotonic(), busy_s()
        spent, woken = (cpu_s(pid), wakes(pid)) if pid else (0, 0)
        time.sleep(seconds)
        took = time.monotonic() - began
        own = cpu_s(pid) - spent if pid else 0
        others_percent.append(100 * (busy_s() - busy - own) / took / os.cpu_count())
        return 100 * own / took, (wakes(pid) - woken) / took if pid else 0

    measured, absent = in_turns(tools, (rounds + 2) // 3, measure, SIZE)
    noisy = None
    if min(others_percent) > BUSY_MUCH:
        noisy = f"other programs use {min(others_percent):.0f} % of the CPUs"
    for i, (what, unit, most) in enumerate((("CPU", "%", 0.2), ("wake-ups a second", "", 25))):
        for tool in tools:
            values = [value[i] for value in measured[tool.name]] if tool.name in measured else None
            ours = tool is tools[0]
            report.add("idle", f"idle machine: {what}: {tool.name}", values, unit,
                       most=most if ours else None, noisy=noisy if ours else None,
                       note=absent.get(tool.name, ""))
