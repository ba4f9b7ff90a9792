# SPDX-License-Identifier: MIT
"""A large recording of perf with call chains: the time of all functions, the time until the first
rows are on the screen, and the memory, beside perf report."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

from machine import BUILD, PMCTOP
from ptys import OnPty

SIZE = os.environ.get("PROFILE_BYTES", "100M")
MAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../profiles/make_large.py")
PATIENCE_S = 120
NO_PERF = "missing: perf (make bench-deps)"
PROGRAM = [PMCTOP, "--config", "/dev/null", "--replay"]


def make_file(directory):
    path = os.path.join(directory, "large.data")
    subprocess.run([sys.executable, MAKE, "--bytes", SIZE, "--out", path], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def run_to_end(command):
    """(seconds, seconds of CPU time, MiB at the peak) of a command and its children, or None."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        return None
    return (time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def first_row_s(path, environment):
    """Seconds until the screen has a row of the recording, or None."""
    began = time.monotonic()
    tty = OnPty([*PROGRAM, path], 200, 50, **environment)
    try:
        seen = tty.read_until(lambda: b"command-00" in tty.output, PATIENCE_S)
        return time.monotonic() - began if seen else None
    finally:
        tty.close()


def run(report, rounds):
    os.makedirs(os.path.join(BUILD, "profiles"), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.join(BUILD, "profiles")) as directory:
        path = make_file(directory)
        tools = {"pmctop": [*PROGRAM, path, "-b", "--code", "--format", "json"]}
        if shutil.which("perf"):
            tools["perf report"] = ["perf", "report", "-f", "--stdio", "--no-children", "-g",
                                    "none", "-i", path]
        measured = {name: [] for name in tools}
        rows = []
        for _ in range(rounds):
            for name, command in tools.items():
                measured[name].append(run_to_end(command))
            rows.append(first_row_s(path, {"HOME": directory}))
    note = f"{SIZE} with call chains"
    for name in "pmctop", "perf report":
        found = [each for each in measured.get(name, []) if each]
        why = note if found else NO_PERF if name not in tools else "not measured: it fails"
        for index, (what, unit) in enumerate((("time", "s"), ("CPU time", "s"),
                                              ("memory, peak of RSS", "MiB"))):
            report.add("profile", f"functions of a recording, {what}: {name}",
                       [each[index] for each in found], unit, note=why)
    pairs = list(zip(measured["pmctop"], measured.get("perf report", [])))
    report.add("profile", "functions of a recording, CPU time: pmctop / perf report",
               [ours[1] / theirs[1] for ours, theirs in pairs if ours and theirs], "", most=1,
               note=note if pairs else NO_PERF)
    found = [row for row in rows if row is not None]
    report.add("profile", "first row of a recording on the screen: pmctop", found, "s",
               note=note if found else "not measured: it shows no row")
