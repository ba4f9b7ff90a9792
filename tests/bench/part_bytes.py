# SPDX-License-Identifier: MIT
"""Bytes that a refresh sends to the terminal, and the CPU time of showing, on an idle and on a busy
machine: of each tool alone, once a second and with the tool's own interval."""
import contextlib
import statistics
import subprocess
import time

from machine import busy_machine, cpu_s, load
from ptys import OnPty
from tools import BTOP, DEFAULT_TOOL, HTOP, TOP, Absent, Tool, check_tool, home, with_before

WARM_S = 4
SMALL, LARGE = (80, 24), (200, 50)
EACH_SECOND = [*with_before(DEFAULT_TOOL), HTOP, BTOP, TOP]
# pmctop's own interval is a second.
OWN_INTERVAL = [Tool("htop", ["htop"], interval_s=1.5), Tool("btop", BTOP.command, interval_s=2),
                Tool("top", ["top"], interval_s=3)]
RUNS = (("idle", SMALL, EACH_SECOND), ("idle", SMALL, OWN_INTERVAL), ("busy", SMALL, EACH_SECOND),
        ("busy", SMALL, OWN_INTERVAL), ("busy", LARGE, EACH_SECOND))


@contextlib.contextmanager
def busy():
    """Fewer CPUs than busy tasks, and thirty processes that run now and then."""
    loads = [subprocess.Popen(command, stdout=subprocess.DEVNULL)
             for command in ([load("spin")], [load("crowd"), "-p", "100", "-w", "30", "-b", "2"])]
    try:
        yield
    finally:
        for process in loads:
            process.kill()
            process.communicate()


def by_refresh(reads, interval_s):
    """The bytes of each refresh but the first and the last, from (time, bytes) of each read. A
    refresh may send several times: it begins with the first bytes that come more than 0.6 intervals
    after the last one began. A refresh without changes sends nothing."""
    sums, began = [], None
    for when, count in reads:
        if began is None or when - began > 0.6 * interval_s:
            if began is not None:
                sums += [0] * (round((when - began) / interval_s) - 1)
            sums.append(0)
            began = when
        sums[-1] += count
    return sums[1:-1]


def show(tool, size, refreshes):
    """([bytes of each refresh], CPU in %)"""
    check_tool(tool)
    with home(tool.interval_s) as directory:
        tty = OnPty(tool.command, *size, HOME=directory)
        try:
            tty.read_for(WARM_S)
            if tty.process.poll() is not None:
                raise Absent("refused: it ends by itself")
            reads, began, spent = [], time.monotonic(), cpu_s(tty.process.pid)
            until = began + refreshes * tool.interval_s
            while (left := until - time.monotonic()) > 0:
                chunk = tty.read(left)
                reads += [(time.monotonic(), len(chunk))] if chunk else []
            percent = 100 * (cpu_s(tty.process.pid) - spent) / (time.monotonic() - began)
            return by_refresh(reads, tool.interval_s), percent
        finally:
            tty.close()


def show_all(report, what, size, tools, refreshes):
    """Returns {name: the median of the bytes}"""
    noisy = busy_machine() if what == "idle" else None
    shown, absent, medians = {}, {}, {}
    with contextlib.nullcontext() if what == "idle" else busy():
        for tool in tools:
            try:
                shown[tool.name] = show(tool, size, refreshes)
            except Absent as why:
                absent[tool.name] = str(why)
    what = f"{size[0]}x{size[1]}, {what}"
    for tool in tools:
        sent, percent = shown.get(tool.name, (None, None))
        each = f"every {tool.interval_s} s"
        note = absent.get(tool.name) or noisy or ""
        report.add("bytes", f"bytes of a refresh, {what}, {each}: {tool.name}", sent, note=note)
        report.add("bytes", f"CPU, {what}, {each}: {tool.name}", percent, "%", note=note)
        if sent:
            medians[tool.name] = statistics.median(sent)
    return medians, noisy


def run(report, rounds):
    for what, size, tools in RUNS:
        sent, noisy = show_all(report, what, size, tools, max(4, 2 * rounds) + 2)
        if tools is not EACH_SECOND:
            continue
        for other in "htop", "pmctop before":
            known = sent.get("pmctop") is not None and sent.get(other)
            name = f"bytes of a refresh, {size[0]}x{size[1]}, {what}: pmctop / {other}"
            report.add("bytes", name, sent["pmctop"] / sent[other] if known else None, "x",
                       most=1 if size == SMALL else None, noisy=noisy,
                       note="" if known else "not measured: one of both is missing")
