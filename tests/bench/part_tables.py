# SPDX-License-Identifier: MIT
"""The vendors' tables: what they add to a start, and what their first use and a letter typed in the
picker cost, beside libpfm4's listing."""
import os
import resource
import subprocess
import tempfile

from machine import PMCTOP, undisturbed
from part_path import run_bench

START_MS, FIRST_MS, LETTER_MS = 10, 100, 5
FIXTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "../fixtures/event_tables/intel/perfmon")


def start_ms(*arguments):
    """CPU time of one refresh of software events, from the start to the end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as home:
        subprocess.run([PMCTOP, "-b", "-n", "1", "-d", "0.1", "-S", "software", *arguments],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                       env={**os.environ, "HOME": home})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def run(report, rounds):
    plain, given = [], []
    for i in range(rounds):
        for values, arguments in ((plain, ()), (given, ("--event-tables", FIXTURE)))[::-1 if i % 2 else 1]:
            values.append(start_ms(*arguments))
    report.add("tables", "CPU time of a start, without tables", plain, "ms")
    report.add("tables", "with --event-tables: more than without",
               [more - less for more, less in zip(given, plain)], "ms", most=START_MS)
    measured = {}
    for _ in range(rounds):
        for name, value in undisturbed(lambda: run_bench("bench_tables"))[0].items():
            measured.setdefault(name, []).append(value)
    goals = {"a folder at first use": FIRST_MS, "a letter in the picker": LETTER_MS}
    for name, values in measured.items():
        unit = "MB" if name.endswith("folder") else "" if name.startswith("events ") else "ms"
        report.add("tables", name, values, unit, most=goals.get(name))
