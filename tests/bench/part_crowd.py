# SPDX-License-Identifier: MIT
"""The cost of pmctop and of tools that scan /proc, beside 20,000 sleeping processes."""
import contextlib
import os
import subprocess
import time

from machine import cpu_s, descriptors, load, busy_machine, resident_mib, undisturbed
from part_scale import past_mib
from ptys import OnPty
from tools import (DEFAULT_TOOL, EVENTS, OURS, PEERS, PER_THREAD, PMCTOP_TOOL, SHOWING, Absent,
                   Tool, add_to_before, check_tool, home, in_turns, ratios, running, with_before)

PROCESSES = 20000
SIZE = 200, 50
WARM_S = 3  # until htop has read all processes
START_MS, BEFORE_MOST = 100, 1.1  # goals
TIMES_OF = {"top": 1 / 10, "htop": 1 / 20}  # goal for the cost of a refresh, as a share of theirs


@contextlib.contextmanager
def crowd(processes):
    """Starts sleeping processes and two busy ones (spin). Yields their number, 0 if refused."""
    sleeping = subprocess.Popen([load("crowd"), "-p", str(processes), "-b", "0"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    started = [sleeping]
    try:
        there = sleeping.stdout.readline() == "ready\n"
        with contextlib.suppress(BlockingIOError):  # there are too many processes
            started.append(subprocess.Popen([load("spin"), "-n", "2"]))
        yield processes if there and len(started) == 2 else 0
    finally:
        for process in reversed(started):
            process.terminate()
            process.communicate()


def start_ms(tool):
    """(ms until a busy process is on the screen, CPU time in ms until then), or None."""
    with home() as directory:
        began = time.monotonic()
        tty = OnPty(tool.command, *SIZE, HOME=directory, ATOPACCT="")
        seen = tty.read_until(lambda: b"spin" in tty.output, 20)
        took, spent = time.monotonic() - began, cpu_s(tty.process.pid)
        tty.close()
    return (1000 * took, 1000 * spent) if seen else None


def starts(report, rounds, noisy):
    default = Tool("pmctop, default columns", DEFAULT_TOOL.command)
    tools = [*OURS, *with_before(default), *PEERS]
    measured, absent = {tool.name: [] for tool in tools}, {}
    for i in range(rounds):
        for tool in tools[::-1 if i % 2 else 1]:
            try:
                check_tool(tool)
                took = undisturbed(lambda started=tool: start_ms(started))[0]
                measured[tool.name] += [took] if took is not None else []
            except Absent as why:
                absent[tool.name] = str(why)
    for i, what in enumerate(("start to first rows", "CPU time until then")):
        for tool in tools:
            values = [value[i] for value in measured[tool.name]]
            goal = {"most": START_MS, "noisy": noisy} if tool is PMCTOP_TOOL and i == 0 else {}
            report.add("crowd", f"{what}: {tool.name}", values, "ms", **goal, note="" if values else
                       absent.get(tool.name, "not measured: it shows no busy process"))


def refresh(seconds):
    """Returns a function that measures (CPU time a second, resident MiB, descriptors) of a tool."""
    held = {}

    def measure(pid, _name):
        if pid is None:
            return 0
        time.sleep(WARM_S)
        began, spent = time.monotonic(), cpu_s(pid)
        time.sleep(seconds)
        took = (cpu_s(pid) - spent) / (time.monotonic() - began)
        held[pid] = resident_mib(pid), descriptors(pid)
        return took, *held[pid]

    return measure


def refreshes(report, rounds, seconds):
    measured, absent = in_turns(SHOWING, rounds, refresh(seconds), SIZE)
    spent = {name: [value[0] for value in values] for name, values in measured.items()
             if name != "bare"}
    ours = spent[PMCTOP_TOOL.name]
    add_to_before(report, "crowd", "CPU time of a refresh", spent, most=BEFORE_MOST)
    for name, most in TIMES_OF.items():
        report.add("crowd", f"CPU time of a refresh: pmctop / {name}",
                   ratios(ours, spent[name]) if name in spent else None, "x", most=most,
                   note=absent.get(name, ""))
    for tool in SHOWING:
        name = tool.name
        report.add("crowd", f"CPU time of a refresh: {name}",
                   [1000 * value for value in spent[name]] if name in spent else None, "ms",
                   note=absent.get(name, ""))
    for tool in SHOWING[1:]:
        name = tool.name
        if name in measured:
            report.add("crowd", f"resident memory: {name}, without a past",
                       [value[1] for value in measured[name]], "MiB")
    return measured[PMCTOP_TOOL.name]


def per_thread(report):
    """Its first line has the duration of its first refresh."""
    with running(PER_THREAD) as process:
        _, threads, wanted, opened, took_ms = process.first_line.split()
    report.add("crowd", "start to first figures: per-thread counters", float(took_ms), "ms")
    report.add("crowd", "descriptors: per-thread counters", float(wanted),
               note=f"for {threads} threads; {opened} were granted")


def run(report, rounds, processes=PROCESSES, seconds=4):
    rounds, noisy = (rounds + 1) // 2, busy_machine()
    with crowd(processes) as there:
        if not there:
            report.add("crowd", f"{processes} processes", None,
                       note="refused: too many processes for this machine")
            return
        starts(report, 2 * rounds, noisy)
        ours = refreshes(report, rounds, seconds)
        groups = 1
        report.add("crowd", "descriptors: pmctop", [value[2] for value in ours],
                   most=os.cpu_count() * (EVENTS.count(",") + 1 + 2) * groups + 32)
        per_thread(report)
    past = past_mib(processes)
    report.add("crowd", "resident memory: pmctop, 10 minutes of past",
               [value[1] + past for value in ours], "MiB", most=32,
               note=f"{past:.1f} MiB of them are ten minutes of the fake kernel")
