# SPDX-License-Identifier: MIT
"""What a switch costs with six hardware counters, on the emulated machine. CPU time is in
instructions there, and every switch is reported, so one run is enough."""
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
    """ns of a round trip by tool: a list, of a quarter of a second each; or what the tool said."""
    boot = [os.path.join(HERE, "..", "guest", "boot.sh"), "--image", os.path.join(BUILD, "guest"),
            "--perf", "--pmctop", PMCTOP, "--load", os.path.join(BUILD, "arm64", "load"), "--load",
            os.path.join(BUILD, "arm64", "bench"), os.path.join(HERE, "emulated_guest.sh")]
    said = subprocess.run(boot, stdout=subprocess.PIPE, text=True, check=True).stdout
    told = {}
    for name, lines in re.findall(r"^== (.*)\n((?:(?!== ).*\n)*)", said, re.M):
        try:
            ran = [json.loads(line) for line in lines.splitlines()]
            told[name] = [1e9 * line["cpu_seconds"] / line["round_trips"] for line in ran]
        except ValueError:
            told[name] = lines.strip()
    return told


def run(report, _rounds):
    part = "emulated"
    if not shutil.which("qemu-system-aarch64") or not os.path.exists(PMCTOP):
        report.add(part, "a switch with six counters", None, told="missing: make guest-bench")
        return
    told = measured()

    def ratio(what, beside, **limits):
        refused = [told[name] for name in (what, beside) if not isinstance(told[name], list)]
        values = None if refused else [a / b for a, b in zip(told[what], told[beside])]
        report.add(part, f"{what} / {beside}", values, "x", told="; ".join(refused), **limits)

    for event in "tracepoint", "software event":
        ratio(f"pmctop, {event}", f"floor, {event}")
        ratio(f"pmctop, {event}", f"one record, {event}", most=ONE_MOST)
        ratio(f"pmctop, {event}", PERF, most=RECORD_MOST)
        ratio(f"pmctop, {event}", THREADS, most=1)
    for name in told:
        if name != "bare":
            ratio(name, "bare")
    report.add(part, "a round trip, bare", told["bare"], "ns", told="2 ns an instruction")
