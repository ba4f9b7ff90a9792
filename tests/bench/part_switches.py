# SPDX-License-Identifier: MIT
"""The cost of a context switch: CPU time of tasks that switch, beside each tool."""
import json
import os
import select
import shutil
import statistics
import subprocess
import time

from machine import PMCTOP, busy_machine, events, load
from tools import COUNTING, FLOOR, PMCTOP_TOOL, SIX, UNBOUNDED, in_turns, ratios

SPREAD_MUCH = 0.1  # of the values without a tool
FLOOR_MOST = 1.05  # times the floor


def noise(values):
    """The reason why values mean nothing, or None."""
    middle = sorted(values)[len(values) // 4:len(values) - len(values) // 4]
    spread = (max(middle) - min(middle)) / statistics.median(values)
    return f"the same without a tool differs by {spread:.0%}" if spread > SPREAD_MUCH else None


def compare(report, what, tools, measured, absent, alike):
    """Each tool's slowdown, and pmctop's compared with the floor's."""
    part, noisy = "switches", noise(measured["bare"])
    if FLOOR.name in measured and PMCTOP_TOOL.name in measured:
        report.add(part, f"{what}: pmctop / floor", to_floor(measured, alike), "x", most=FLOOR_MOST,
                   noisy=noisy, note="" if any(alike) else "not measured: pmctop had other events "
                   "open than the floor, in each round")
    for tool in tools:
        values = ratios(measured[tool.name], measured["bare"]) if tool.name in measured else None
        report.add(part, f"{what}: {tool.name} / bare", values, "x", noisy=noisy,
                   note=absent.get(tool.name, ""))

class Pair:
    """Two tasks that wake each other on one CPU, until close()."""

    def __init__(self, seconds=0.25):
        self.process = subprocess.Popen([load("pingpong"), "-c", "0", "-t", str(seconds),
                                         "1000000000"], stdout=subprocess.PIPE)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.output = b""

    def line(self):
        while b"\n" not in self.output:
            select.select([self.process.stdout], [], [])
            self.output += self.process.stdout.read() or b""
        first, _, self.output = self.output.partition(b"\n")
        return json.loads(first)

    def round_trip_ns(self, lines=4):
        """CPU time of both, from now on, in ns."""
        self.process.stdout.read()
        self.output = b""
        self.line()
        ran = [self.line() for _ in range(lines)]
        return sum(r["cpu_seconds"] for r in ran) / sum(r["round_trips"] for r in ran) * 1e9

    def close(self):
        self.process.kill()
        self.process.communicate()


class Settled:
    """Waits until floor and pmctop have the same events open. Each opens more when it has seen that
    the kernel does not report some switches: the floor before it begins, pmctop at a refresh. On a
    machine that is never idle this can take long."""

    most = 0

    def wait(self, pid, patience_s=4):
        """Waits until the tool has as many events open as any tool had."""
        until = time.monotonic() + patience_s
        while events(pid) < self.most and time.monotonic() < until:
            time.sleep(0.1)
        self.most = max(self.most, events(pid))


def beside(tools, rounds, measure):
    """As in_turns(). Also returns for each round whether pmctop had the same events open as the
    floor, the first of the tools."""
    settled = Settled()

    def measure_settled(pid, name):
        if name not in (FLOOR.name, PMCTOP_TOOL.name):
            return measure(), 0
        settled.wait(pid)
        return measure(), events(pid)

    measured, absent = in_turns(tools, rounds, measure_settled)
    alike = [ours[1] == floors[1] for ours, floors in
             zip(measured.get(PMCTOP_TOOL.name, []), measured.get(FLOOR.name, []))]
    return {name: [value for value, _ in values] for name, values in measured.items()}, absent, alike


def to_floor(measured, alike):
    """Ratios of pmctop to the floor, in the rounds that can be compared."""
    return [ratio for ratio, same in
            zip(ratios(measured[PMCTOP_TOOL.name], measured[FLOOR.name]), alike) if same]


def pair(report, rounds, tools=COUNTING, lines=4):
    load_pair = Pair()
    try:
        measured, absent, alike = beside(tools, rounds, lambda: load_pair.round_trip_ns(lines))
    finally:
        load_pair.close()
    compare(report, "pinned pair", tools, measured, absent, alike)
    report.add("switches", "pinned pair: CPU time of a round trip, bare", measured["bare"], "ns")


def command_cpu_s(command):
    """CPU time of a command and its children."""
    before = os.times()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = os.times()
    return (after.children_user + after.children_system -
            before.children_user - before.children_system)


def perf_bench(report, rounds, loops=60000, messages=300):
    if not shutil.which("perf"):
        for name in "sched pipe", "sched messaging":
            report.add("switches", f"perf bench {name}", None,
                       note="missing: not installed (make bench-deps)")
        return
    for name, command in (
            ("perf bench sched pipe, pinned",
             ["taskset", "-c", "0", "perf", "bench", "sched", "pipe", "-l", str(loops)]),
            ("perf bench sched messaging",
             ["perf", "bench", "sched", "messaging", "-g", "4", "-l", str(messages)])):
        tools = [FLOOR, PMCTOP_TOOL]
        measured, absent, alike = beside(tools, rounds, lambda run=command: command_cpu_s(run))
        compare(report, name, tools, measured, absent, alike)


def lost(report, seconds=4):
    """Records lost with a pair on each CPU and the default ring."""
    noisy = busy_machine()
    pairs = [subprocess.Popen([load("pingpong"), "-c", str(cpu), "1000000000"],
                              stdout=subprocess.DEVNULL) for cpu in os.sched_getaffinity(0)]
    try:
        done = subprocess.run([PMCTOP, "--format", "json", *SIX, *UNBOUNDED, "-d", "1", "-n",
                               str(seconds)], capture_output=True, text=True, check=True)
    finally:
        for process in pairs:
            process.kill()
            process.wait()
    frames = [json.loads(line) for line in done.stdout.splitlines()]
    switches = sum(frame["totals"]["events"]["context-switches"] for frame in frames)
    rate = switches / sum(frame["interval_s"] for frame in frames) / len(pairs)
    report.add("switches", "records lost, a pair on each CPU",
               sum(frame["lost_records"] for frame in frames), "", most=0, noisy=noisy,
               note=f"at {rate / 1e6:.2f} million switches/s and CPU")


def run(report, rounds):
    pair(report, rounds)
    perf_bench(report, rounds)
    lost(report)
