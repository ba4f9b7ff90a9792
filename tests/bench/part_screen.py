# SPDX-License-Identifier: MIT
"""The cost of the screen: the time from a key to its effect on the screen, and the cost of
pictures, roll-ups and figures of 20,000 tasks."""
import os
import time

from part_crowd import PROCESSES, crowd
from part_path import run_bench
from ptys import OnPty
from tools import PMCTOP, SIX, Absent, Tool, check_tool, home, with_before

SIZE = 200, 50
PRESSES = 8
QUIET_S = 0.15  # without output: the answer to a key is complete
SETTLE_S = 15  # until each tool has read all processes and its next refresh is over
OURS_SETTLE_S = 120  # pmctop reads them in 1.5 % of a CPU
DOWN, UP = b"\x1b[B", b"\x1b[A"
PAGE_DOWN, PAGE_UP = b"\x1b[6~", b"\x1b[5~"
ESCAPE, BACKSPACE = b"\x1b", b"\x7f"
EVERYWHERE = {"Down": (b"", DOWN, UP), "PgDn": (b"", PAGE_DOWN, PAGE_UP)}
OUR_KEYS = {**EVERYWHERE, "sort": (b"", b">", b"<"), "tree": (b"", b"t", b"t"),
            "filter letter": (b"\\", b"s", BACKSPACE),
            "event picker letter": (b"e", b"c", BACKSPACE),
            "process picker letter": (b"a", b"s", BACKSPACE)}
OUR_TOOL = Tool("pmctop", [PMCTOP, *SIX, "-i", "10"], warm_s=OURS_SETTLE_S)

# Each tool lists all processes and refreshes every ten seconds. {name: (keys first, key, key back)}
PRESSED = (
    *((tool, OUR_KEYS) for tool in with_before(OUR_TOOL)),
    (Tool("htop", ["htop", "-d", "100"], warm_s=SETTLE_S),
     {**EVERYWHERE, "sort": (b"", b"M", b"P"), "tree": (b"", b"t", b"t"),
      "filter letter": (b"\\", b"s", BACKSPACE)}),
    (Tool("top", ["top", "-d", "10"], warm_s=SETTLE_S), {**EVERYWHERE, "sort": (b"", b"M", b"P")}),
)


def press(tty, key):
    """Seconds from a key to the last byte of its answer, or None without an answer."""
    while tty.read(QUIET_S):
        pass
    began, last = time.monotonic(), None
    os.write(tty.master, key)
    while tty.read(QUIET_S if last else 3):
        last = time.monotonic()
    return last - began if last else None


def press_all(report, tool, keys):
    try:
        check_tool(tool)
    except Absent as absent:
        report.add("screen", f"from key to screen: {tool.name}", None, note=str(absent))
        return
    with home() as directory:
        tty = OnPty(tool.command, *SIZE, HOME=directory)
        tty.read_for(tool.warm_s)
        for what, (first, there, back) in keys.items():
            if first:
                tty.write(first)
                tty.read_for(2)
            times = [press(tty, (there, back)[i % 2]) for i in range(PRESSES)]
            report.add("screen", f"from key to screen, {what}: {tool.name}",
                       [1000 * took for took in times if took is not None], "ms")
            if first:
                tty.write(ESCAPE)
                tty.read_for(1)
        tty.close()


def latency(report, processes):
    with crowd(processes) as there:
        if not there:
            report.add("screen", f"from key to screen, {processes} processes", None,
                       note="refused: too many processes for this machine")
            return
        for tool, keys in PRESSED:
            press_all(report, tool, keys)


def run(report, rounds, processes=PROCESSES):
    latency(report, processes)
    for name in "bench_metric", "bench_rollup", "bench_screen":
        measured = [run_bench(name) for _ in range(min(rounds, 3))]
        for figure in measured[0]:
            report.add("screen", figure, [run[figure] for run in measured], "ms")
