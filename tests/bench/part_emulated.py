# SPDX-License-Identifier: MIT
"""The cost of a switch with six hardware counters, on the emulated machine. CPU time is in
instructions there, and each switch is reported, so one run is enough."""
import json
import os
import re
import shutil
import subprocess

from machine import BUILD

HERE = os.path.dirname(os.path.abspath(__file__))
PMCTOP = os.path.join(BUILD, "arm64", "pmctop")
ONE_MOST = 1.07     # times the kernel's cost of one record of these counters
RECORD_MOST = 1.10  # times perf record -a :S
PERF, THREADS = "perf record -a :S", "per-thread counters"


def measured():
    """{tool: [ns of a round trip, for each quarter of a second], or the tool's message}"""
    boot = [os.path.join(HERE, "..", "guest", "boot.sh"), "--image", os.path.join(BUILD, "guest"),
            "--perf", "--pmctop", PMCTOP, "--load", os.path.join(BUILD, "arm64", "load"), "--load",
            os.path.join(BUILD, "arm64", "bench"), os.path.join(HERE, "emulated_guest.sh")]
    printed = subprocess.run(boot, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {}
    for name, lines in re.findall(r"^== (.*)\n((?:(?!== ).*\n)*)", printed, re.M):
        try:
            ran = [json.loads(line) for line in lines.splitlines()]
            found[name] = [1e9 * line["cpu_seconds"] / line["round_trips"] for line in ran]
        except ValueError:
            found[name] = lines.strip()
    return found


def run(report, _rounds):
    part = "emulated"
    if not shutil.which("qemu-system-aarch64") or not os.path.exists(PMCTOP):
        report.add(part, "a switch with six counters", None, note="missing: make guest-bench")
        return
    times = measured()

    def ratio(what, beside, **limits):
        refused = [times[name] for name in (what, beside) if not isinstance(times[name], list)]
        values = None if refused else [a / b for a, b in zip(times[what], times[beside])]
        report.add(part, f"{what} / {beside}", values, "x", note="; ".join(refused), **limits)

    for event in "tracepoint", "software event":
        ratio(f"pmctop, {event}", f"floor, {event}")
        ratio(f"pmctop, {event}", f"one record, {event}", most=ONE_MOST)
        ratio(f"pmctop, {event}", PERF, most=RECORD_MOST)
        ratio(f"pmctop, {event}", THREADS, most=1)
    for name in times:
        if name != "bare":
            ratio(name, "bare")
    report.add(part, "a round trip, bare", times["bare"], "ns", note="2 ns an instruction")
