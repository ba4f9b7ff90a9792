# SPDX-License-Identifier: MIT
"""The cost of knowing why tasks do not run, beside tools that read it from /proc.

BEFORE: another pmctop, to compare with: BEFORE=../old/build/pmctop.
"""
import contextlib
import os
import subprocess

from machine import PMCTOP, bench, busy_machine, load
from part_crowd import SIZE, crowd, refresh
from part_switches import Pair, noise
from tools import ATOP, Tool, in_turns, ratios

SLEEPERS, RUNNERS = 20000, 200
BEFORE = os.environ.get("BEFORE")
NO_BEFORE = "not measured: BEFORE has no other pmctop to compare with"
DEFAULT = ["--config", "/dev/null", "1"]
PMCTOP_TOOL = Tool("pmctop", [PMCTOP, *DEFAULT], screen=True)
BEFORE_TOOL = Tool("pmctop before", [BEFORE, *DEFAULT], screen=True)
WAITING_TOOL = Tool("pmctop -S waiting", [PMCTOP, "-S", "waiting", *DEFAULT], screen=True)
SCHEDSTATS = Tool("all schedstats", [bench("schedstats")], prints_ready=True, warm_s=0.2)
OURS = [PMCTOP_TOOL, *([BEFORE_TOOL] if BEFORE else [])]


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
    ours, before = spent[PMCTOP_TOOL.name], spent.get(BEFORE_TOOL.name)
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
    report.add("waits", "pinned pair: pmctop / before",
               ratios(measured[PMCTOP_TOOL.name], measured[BEFORE_TOOL.name]) if BEFORE else None,
               "x", most=1.03, noisy=noise(measured["bare"]), note="" if BEFORE else NO_BEFORE)
    report.add("waits", "pinned pair: pmctop / bare",
               ratios(measured[PMCTOP_TOOL.name], measured["bare"]), "x",
               noisy=noise(measured["bare"]))


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
