# SPDX-License-Identifier: MIT
"""Programs of tests/bench that need no kernel: instructions and ns of a record on its way to its
task's tally, and the cost of snapshots, figures and screens."""
import re
import shutil
import subprocess
import tempfile

from machine import bench, undisturbed

FOLD = "bench_fold"
# Instructions of a record, from its bytes to the tally of its task, in gcc's code for x86-64. The
# gate of tests/live/cost_test.py. A commit that makes it cheaper lowers it.
INSTRUCTIONS = 469
KINDS = {"two tasks": ["2"], "10,000 tasks": ["10000"], "100,000 tasks": ["100000"],
         "two tasks, SWITCH records too": ["2", "2000000", "switches"],
         "two tasks, traced": ["2", "2000000", "traced"]}


def run_bench(name, *arguments):
    """{name: value} of the program's lines "name value unit"."""
    done = subprocess.run([bench(name), *arguments], capture_output=True, text=True, check=True)
    return {line.split("\t")[0]: float(line.split("\t")[1]) for line in done.stdout.splitlines()}


def instructions(records=50000, kind=""):
    """Instructions of a record, or None without valgrind."""
    if not shutil.which("valgrind"):
        return None

    def collected(count):
        with tempfile.NamedTemporaryFile() as out:
            done = subprocess.run(["valgrind", "--tool=callgrind",
                                   "--toggle-collect=cpu_counter_set_drain",
                                   f"--callgrind-out-file={out.name}", bench(FOLD), "2", str(count),
                                   *([kind] if kind else [])],
                                  capture_output=True, text=True, check=True)
        return int(re.search(r"Collected : (\d+)", done.stderr).group(1))

    return (collected(2 * records) - collected(records)) / records


def run(report, rounds):
    for name, arguments in KINDS.items():
        values = [undisturbed(lambda words=arguments: run_bench(FOLD, *words)["record"])[0]
                  for _ in range(rounds)]
        report.add("path", f"user time of a record: {name}", values, "ns",
                   most=25 if name == "two tasks" else None)
    for kind, name in ("", ""), ("switches", ", SWITCH records too"), ("traced", ", traced"):
        count = instructions(kind=kind)
        name = "instructions of a record" + name
        report.add("path", name, count, note="" if count else "missing: valgrind")
