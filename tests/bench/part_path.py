# SPDX-License-Identifier: MIT
"""What programs of tests/bench measure alone, without a kernel: the path of a record to its task's
tally in instructions and ns, and what snapshots, figures and screens cost."""
import re
import shutil
import subprocess
import tempfile

from machine import bench, undisturbed

FOLD = "bench_fold"
# Instructions a record, from its bytes to the tally of its task, as gcc makes them for x86-64: the
# gate of tests/live/cost_test.py. Who makes it cheaper lowers it.
INSTRUCTIONS = 469
KINDS = {"two tasks": ["2"], "10,000 tasks": ["10000"], "100,000 tasks": ["100000"],
         "two tasks, SWITCH records too": ["2", "2000000", "switches"],
         "two tasks, traced": ["2", "2000000", "traced"]}


def tell(name, *arguments):
    """Figures by name: of lines "name value unit"."""
    said = subprocess.run([bench(name), *arguments], capture_output=True, text=True, check=True)
    return {line.split("\t")[0]: float(line.split("\t")[1]) for line in said.stdout.splitlines()}


def instructions(records=50000, kind=""):
    """A record; None where there is no valgrind."""
    if not shutil.which("valgrind"):
        return None

    def collected(count):
        with tempfile.NamedTemporaryFile() as out:
            said = subprocess.run(["valgrind", "--tool=callgrind",
                                   "--toggle-collect=cpu_counter_set_drain",
                                   f"--callgrind-out-file={out.name}", bench(FOLD), "2", str(count),
                                   *([kind] if kind else [])],
                                  capture_output=True, text=True, check=True)
        return int(re.search(r"Collected : (\d+)", said.stderr).group(1))

    return (collected(2 * records) - collected(records)) / records


def run(report, rounds):
    for name, arguments in KINDS.items():
        values = [undisturbed(lambda told=arguments: tell(FOLD, *told)["record"])[0]
                  for _ in range(rounds)]
        report.add("path", f"user time of a record: {name}", values, "ns",
                   most=25 if name == "two tasks" else None)
    for kind, name in ("", ""), ("switches", ", SWITCH records too"), ("traced", ", traced"):
        count = instructions(kind=kind)
        name = "instructions of a record" + name
        report.add("path", name, count, told="" if count else "missing: valgrind")
