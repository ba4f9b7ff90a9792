# SPDX-License-Identifier: MIT
"""The cost of the screen: bytes that each tool sends for a refresh, the time from a key to its
effect on the screen, and the cost of pictures, roll-ups and figures of 20,000 tasks."""
import os
import subprocess
import time

from machine import load
from part_crowd import PROCESSES, crowd
from part_path import run_bench
from ptys import OnPty
from tools import BTOP, HTOP, PMCTOP_TOOL, SIX, TOP, Absent, Tool, check_tool, home, PMCTOP

SIZES = (80, 24), (200, 50)
BYTES_WARM_S, PRESSES = 4, 8
QUIET_S = 0.15  # without output: the answer to a key is complete
SETTLE_S = 15  # until each tool has read all processes and its next refresh is over
DOWN, UP = b"\x1b[B", b"\x1b[A"
PAGE_DOWN, PAGE_UP = b"\x1b[6~", b"\x1b[5~"
ESCAPE, BACKSPACE = b"\x1b", b"\x7f"
EVERYWHERE = {"Down": (b"", DOWN, UP), "PgDn": (b"", PAGE_DOWN, PAGE_UP)}

# Each tool lists all processes and refreshes every ten seconds. {name: (keys first, key, key back)}
PRESSED = (
    (Tool("pmctop", [PMCTOP, *SIX, "-i", "10"]),
     {**EVERYWHERE, "sort": (b"", b">", b"<"), "tree": (b"", b"t", b"t"),
      "filter letter": (b"\\", b"s", BACKSPACE), "event picker letter": (b"e", b"c", BACKSPACE),
      "process picker letter": (b"a", b"s", BACKSPACE)}),
    (Tool("htop", ["htop", "-d", "100"]),
     {**EVERYWHERE, "sort": (b"", b"M", b"P"), "tree": (b"", b"t", b"t"),
      "filter letter": (b"\\", b"s", BACKSPACE)}),
    (Tool("top", ["top", "-d", "10"]), {**EVERYWHERE, "sort": (b"", b"M", b"P")}),
)


def sent_bytes(report, seconds):
    """Bytes of a refresh, of all tools at once: bytes do not depend on other programs."""
    loads = [subprocess.Popen([load("spin")]),
             subprocess.Popen([load("crowd"), "-s", "50", "-b", "2"], stdout=subprocess.DEVNULL)]
    for size in SIZES:
        with home() as directory:
            ttys, why = {}, {}
            for tool in PMCTOP_TOOL, TOP, HTOP, BTOP:
                try:
                    check_tool(tool)
                    ttys[tool.name] = OnPty(tool.command, *size, HOME=directory)
                except Absent as absent:
                    why[tool.name] = str(absent)
            sent = {name: [] for name in ttys}
            for second in range(BYTES_WARM_S + seconds):
                got, until = {name: 0 for name in ttys}, time.monotonic() + 1
                while time.monotonic() < until:
                    for name, tty in ttys.items():
                        got[name] += len(tty.read(0))
                    time.sleep(0.01)
                for name in ttys if second >= BYTES_WARM_S else ():
                    sent[name].append(got[name])
            for tty in ttys.values():
                tty.close()
        for name in (*sent, *why):
            report.add("screen", f"bytes of a refresh, {size[0]}x{size[1]}: {name}", sent.get(name),
                       note=why.get(name, ""))
    for process in loads:
        process.kill()
        process.communicate()


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
        tty = OnPty(tool.command, *SIZES[1], HOME=directory)
        tty.read_for(SETTLE_S)
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
    sent_bytes(report, 2 * rounds)
    latency(report, processes)
    for name in "bench_metric", "bench_rollup", "bench_screen":
        measured = [run_bench(name) for _ in range(min(rounds, 3))]
        for figure in measured[0]:
            report.add("screen", figure, [run[figure] for run in measured], "ms")
