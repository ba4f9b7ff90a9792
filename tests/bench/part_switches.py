# SPDX-License-Identifier: MIT
"""What a context switch costs while somebody counts: CPU time of those who switch, beside each."""
import json
import os
import select
import shutil
import statistics
import subprocess
import time

from machine import PMCTOP, events, load, others
from tools import COUNTING, FLOOR, PMCTOP_TOOL, SIX, UNBOUNDED, in_turns, ratios

SPREAD_MUCH = 0.1  # of what is measured beside nobody
FLOOR_MOST = 1.05  # times the floor


def noise(values):
    """Why they say nothing; None where they do."""
    middle = sorted(values)[len(values) // 4:len(values) - len(values) // 4]
    spread = (max(middle) - min(middle)) / statistics.median(values)
    return f"the same without a tool differs by {spread:.0%}" if spread > SPREAD_MUCH else None


def compare(report, what, tools, told, absent, alike):
    """Each tool's slowdown, and pmctop's beside the floor's."""
    part, noisy = "switches", noise(told["bare"])
    if FLOOR.name in told and PMCTOP_TOOL.name in told:
        report.add(part, f"{what}: pmctop / floor", to_floor(told, alike), "x", most=FLOOR_MOST,
                   noisy=noisy, told="" if any(alike) else "not measured: pmctop had other events "
                   "open than the floor, in each round")
    for tool in tools:
        values = ratios(told[tool.name], told["bare"]) if tool.name in told else None
        report.add(part, f"{what}: {tool.name} / bare", values, "x", noisy=noisy,
                   told=absent.get(tool.name, ""))


class Pair:
    """Two that do nothing but wake each other, on one CPU, all the time that this lives."""

    def __init__(self, seconds=0.25):
        self.process = subprocess.Popen([load("pingpong"), "-c", "0", "-t", str(seconds),
                                         "1000000000"], stdout=subprocess.PIPE)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.told = b""

    def line(self):
        while b"\n" not in self.told:
            select.select([self.process.stdout], [], [])
            self.told += self.process.stdout.read() or b""
        first, _, self.told = self.told.partition(b"\n")
        return json.loads(first)

    def round_trip_ns(self, lines=4):
        """CPU time of both, from now on."""
        self.process.stdout.read()
        self.told = b""
        self.line()
        ran = [self.line() for _ in range(lines)]
        return sum(r["cpu_seconds"] for r in ran) / sum(r["round_trips"] for r in ran) * 1e9

    def close(self):
        self.process.kill()
        self.process.communicate()


class Settled:
    """Floor and pmctop have the same events open, but each asks for more of them once it has seen
    that this kernel keeps some switches to itself: the floor before it begins, pmctop at a refresh.
    On a machine that is never idle that may take long."""

    most = 0

    def wait(self, pid, patience_s=4):
        """Until it has as many as any had."""
        until = time.monotonic() + patience_s
        while events(pid) < self.most and time.monotonic() < until:
            time.sleep(0.1)
        self.most = max(self.most, events(pid))


def beside(tools, rounds, measure):
    """As in_turns, and in which rounds pmctop had the same events open as the floor, which is the
    first of the tools."""
    settled = Settled()

    def measure_settled(pid, name):
        if name not in (FLOOR.name, PMCTOP_TOOL.name):
            return measure(), 0
        settled.wait(pid)
        return measure(), events(pid)

    told, absent = in_turns(tools, rounds, measure_settled)
    alike = [ours[1] == floors[1] for ours, floors in
             zip(told.get(PMCTOP_TOOL.name, []), told.get(FLOOR.name, []))]
    return {name: [value for value, _ in values] for name, values in told.items()}, absent, alike


def to_floor(told, alike):
    """pmctop's beside the floor's, in the rounds that can be compared."""
    return [ratio for ratio, same in
            zip(ratios(told[PMCTOP_TOOL.name], told[FLOOR.name]), alike) if same]


def pair(report, rounds, tools=COUNTING, lines=4):
    load_pair = Pair()
    try:
        told, absent, alike = beside(tools, rounds, lambda: load_pair.round_trip_ns(lines))
    finally:
        load_pair.close()
    compare(report, "pinned pair", tools, told, absent, alike)
    report.add("switches", "pinned pair: CPU time of a round trip, bare", told["bare"], "ns")


def own_cpu_s(command):
    """Of a command and all that it starts."""
    before = os.times()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = os.times()
    return (after.children_user + after.children_system -
            before.children_user - before.children_system)


def perf_bench(report, rounds, loops=60000, messages=300):
    if not shutil.which("perf"):
        for name in "sched pipe", "sched messaging":
            report.add("switches", f"perf bench {name}", None,
                       told="missing: not installed (make bench-deps)")
        return
    for name, command in (
            ("perf bench sched pipe, pinned",
             ["taskset", "-c", "0", "perf", "bench", "sched", "pipe", "-l", str(loops)]),
            ("perf bench sched messaging",
             ["perf", "bench", "sched", "messaging", "-g", "4", "-l", str(messages)])):
        tools = [FLOOR, PMCTOP_TOOL]
        told, absent, alike = beside(tools, rounds, lambda run=command: own_cpu_s(run))
        compare(report, name, tools, told, absent, alike)


def lost(report, seconds=4):
    """Such a pair on every CPU, and the default ring."""
    noisy = others()
    pairs = [subprocess.Popen([load("pingpong"), "-c", str(cpu), "1000000000"],
                              stdout=subprocess.DEVNULL) for cpu in os.sched_getaffinity(0)]
    try:
        said = subprocess.run([PMCTOP, "--format", "json", *SIX, *UNBOUNDED, "-d", "1", "-n",
                               str(seconds)], capture_output=True, text=True, check=True)
    finally:
        for process in pairs:
            process.kill()
            process.wait()
    frames = [json.loads(line) for line in said.stdout.splitlines()]
    switches = sum(frame["totals"]["events"]["context-switches"] for frame in frames)
    rate = switches / sum(frame["interval_s"] for frame in frames) / len(pairs)
    report.add("switches", "records lost, a pair on every CPU",
               sum(frame["lost_records"] for frame in frames), "", most=0, noisy=noisy,
               told=f"at {rate / 1e6:.2f} million switches/s and CPU")


def run(report, rounds):
    pair(report, rounds)
    perf_bench(report, rounds)
    lost(report)
