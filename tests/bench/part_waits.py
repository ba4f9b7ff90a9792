# SPDX-License-Identifier: MIT
"""The cost of knowing why tasks do not run, beside tools that read it from /proc, and the cost of
a switch with the default columns."""
import contextlib
import subprocess

from machine import bench, busy_machine, load
from part_crowd import SIZE, crowd, refresh
from part_switches import Pair, noise
from tools import (ATOP, DEFAULT_TOOL, NO_BEFORE, Tool, add_to_before, in_turns, ratios,
                   with_before)

SLEEPERS, RUNNERS = 20000, 200
WAITING_TOOL = Tool("pmctop -S waiting", [*DEFAULT_TOOL.command, "-S", "waiting"], screen=True)
SCHEDSTATS = Tool("all schedstats", [bench("schedstats")], prints_ready=True, warm_s=0.2)
OURS = with_before(DEFAULT_TOOL)


@contextlib.contextmanager
def runners(count):
    """Threads that always want to run, with the nice value 19."""
    process = subprocess.Popen([load("crowd"), "-b", str(count)], stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline() == "ready\n"
    finally:
        process.kill()
        process.communicate()


def refreshes(report, rounds, seconds):
    tools = [*OURS, WAITING_TOOL, ATOP, SCHEDSTATS]
    measured, absent = in_turns(tools, rounds, refresh(seconds), SIZE)
    spent = {name: [value[0] for value in values] for name, values in measured.items()
             if name != "bare"}
    ours, before = spent["pmctop"], spent.get("pmctop before")
    report.add("waits", "CPU time of a refresh: pmctop - before",
               [1000 * (a - b) for a, b in zip(ours, before)] if before else None, "ms", most=1,
               note="" if before else NO_BEFORE)
    for tool in ATOP, SCHEDSTATS:
        report.add("waits", f"CPU time of a refresh: pmctop / {tool.name}",
                   ratios(ours, spent[tool.name]) if tool.name in spent else None, "x",
                   note=absent.get(tool.name, ""))
    for tool in tools:
        report.add("waits", f"CPU time of a refresh: {tool.name}",
                   [1000 * value for value in spent[tool.name]] if tool.name in spent else None,
                   "ms", note=absent.get(tool.name, ""))


def pair(report, rounds):
    """Switches with the default columns of both."""
    load_pair = Pair()
    try:
        measured, _ = in_turns(OURS, rounds, lambda *_: load_pair.round_trip_ns())
    finally:
        load_pair.close()
    noisy = noise(measured["bare"])
    add_to_before(report, "waits", "pinned pair", measured, most=1.03, noisy=noisy)
    for name in sorted(measured.keys() - {"bare"}):
        report.add("waits", f"pinned pair: {name} / bare",
                   ratios(measured[name], measured["bare"]), "x", noisy=noisy)


def run(report, rounds, seconds=4):
    noisy = busy_machine()
    if noisy:
        report.add("waits", "all", None, note=f"not measured: {noisy}")
        return
    pair(report, rounds)
    with crowd(SLEEPERS) as there, runners(RUNNERS) as ready:
        if there and ready:
            refreshes(report, rounds, seconds)
        else:
            report.add("waits", f"{SLEEPERS} sleepers and {RUNNERS} runners", None,
                       note="refused: too many processes for this machine")
