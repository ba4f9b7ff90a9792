#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, perf is to read all that the machine did meanwhile.
"""Recordings that perf and pmctop make here, as core's reader tells of them, against what perf says
of them: record by record.

Prints TAP. BUILD is the build directory. Needs perf, and the right to count system-wide.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import confined  # noqa: E402
from frames import check, finish, skip, skip_all  # noqa: E402
from other_order import other_order  # noqa: E402
from recorded import TRACEPOINT, is_traced  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PMCTOP = os.path.join(BUILD, "pmctop")
READER = os.path.join(BUILD, "tests", "unit", "perfdata", "test_perfdata_read")
LOAD = ["sh", "-c", "i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i + 1)); done; sleep 0.2"]
GROUP = ["-a", "-e", "{context-switches,page-faults}:S", "-c", "1"]

HEAD = re.compile(r"(-?\d+) (\d+) 0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD_(\w+)(.*)")
EVENT = re.compile(r"\b[0-9a-fx]+@\S+ \[0x[0-9a-f]+\]: event: (\d+)")
SAMPLE = re.compile(r"\(\S+ \S+\): (-?\d+)/(-?\d+): \S+ period: (\d+)")
VALUE = re.compile(r"\.\.\.\.\. id ([0-9a-f]+), value ([0-9a-f]+)")
# Those that a file has in sections of its own, and those that are handed on unpacked.
ELSEWHERE = {64, 78, 80, 81, 83}


class Told:
    """What is in a recording: how many of a type, what the samples say, who was born and named."""

    def __init__(self):
        self.types = collections.Counter()
        self.samples = collections.Counter()
        self.tasks = collections.Counter()


def run(command, **options):
    # perf prints names of tasks as they are, whatever their bytes.
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                          timeout=300, **options)


def of_perf(path):
    told = Told()
    report = run(["perf", "report", "-D", "-i", path])
    if "Bad address" in report.stderr or "failed to process" in report.stderr:
        return None
    sample = None

    def end_sample():
        if sample:
            told.samples[(*sample[0], tuple(sample[1]))] += 1

    for line in report.stdout.split("\n"):
        if found := EVENT.search(line):
            if int(found[1]) not in ELSEWHERE:
                told.types[int(found[1])] += 1
            end_sample()
            sample = None
        if found := HEAD.search(line):
            end_sample()
            sample = None
            cpu, time, name, rest = found.groups()
            if name == "SAMPLE":
                pid, tid, period = SAMPLE.search(rest).groups()
                sample = ((int(cpu), int(time), int(pid), int(tid), int(period)), [])
            elif name == "COMM":
                comm, _, pid, tid = re.fullmatch(r".*?: (.*)(:)(-?\d+)/(-?\d+)", rest).groups()
                told.tasks[("comm", int(pid), int(tid), comm)] += 1
            elif name in ("FORK", "EXIT"):
                told.tasks[(name.lower(), *map(int, re.findall(r"-?\d+", rest)))] += 1
        elif sample and (found := VALUE.search(line)):
            sample[1].append((int(found[1], 16), int(found[2], 16)))
    end_sample()
    return told


NUMBERS = {"sample": 9, "comm": 3, "fork": 7, "exit": 4, "switch": 15, "own": 65}
COMPARED = {1, 10, *NUMBERS.values(), *range(66, 90)} - ELSEWHERE
OWN_SAMPLE = re.compile(r"sample (-?\d+)/(-?\d+) id \d+ at (\d+); \w+ by (.+?) \S+ cpu (\d+) "
                        r"period (\d+) of \d+/\d+:(.*)")
OWN_TASK = re.compile(r"(comm|fork|exit) (-?\d+)/(-?\d+) id \d+ at \d+ "
                      r"(?:'(.*?)'|of (-?\d+)/(-?\d+))")


def of_ours(text):
    told = Told()
    names = set()
    for line in text.split("\n"):
        word = line.split(" ", 1)[0]
        if word in NUMBERS:
            told.types[NUMBERS[word]] += 1
        elif found := re.match(r"type (\d+),", line):
            told.types[int(found[1])] += 1
        if found := OWN_SAMPLE.match(line):
            pid, tid, time, name, cpu, period, values = found.groups()
            names.add(name)
            values = tuple(tuple(map(int, pair.split("="))) for pair in values.split())
            told.samples[(int(cpu), int(time), int(pid), int(tid), int(period), values)] += 1
        elif found := OWN_TASK.match(line):
            kind, pid, tid, comm, ppid, ptid = found.groups()
            if kind == "comm":
                told.tasks[("comm", int(pid), int(tid), comm)] += 1
            else:
                told.tasks[(kind, int(pid), int(tid), int(ppid), int(ptid))] += 1
    return told, names


def few(counter):
    return sorted(counter.items(), key=str)[:3]


def recorded_by_perf(name, path, make):
    """What perf says of it. Another tool that samples software events at the same time spoils
    perf's: then once more."""
    for _ in range(5):
        if make(path) != 0:
            skip(name, "cannot be recorded here")
            return None
        theirs = of_perf(path)
        if theirs and theirs.samples:
            return theirs
    skip(name, "perf does not understand what it recorded")
    return None


def recorded_by_pmctop(name, path, arguments):
    """What perf says of ours, which nothing excuses."""
    made = run([PMCTOP, *arguments, "--record", path])
    check(f"{name}: is recorded", made.returncode == 0, (made.returncode, made.stderr))
    if made.returncode != 0:
        return None
    theirs = of_perf(path)
    check(f"{name}: perf understands it", theirs and theirs.samples,
          run(["perf", "report", "-D", "-i", path]).stderr)
    return theirs


def compare(name, path, theirs, names):
    if not theirs:
        return
    printed = run([READER, "tell", path])
    ours, our_names = of_ours(printed.stdout)
    check(f"{name}: is read to its end", printed.returncode == 0, printed.stderr)
    other = {kind: (ours.types[kind], theirs.types[kind]) for kind in COMPARED
             if ours.types[kind] != theirs.types[kind]}
    check(f"{name}: as many records of each kind", not other, other)
    check(f"{name}: the same samples", ours.samples == theirs.samples,
          (few(ours.samples - theirs.samples), few(theirs.samples - ours.samples)))
    check(f"{name}: the same tasks", ours.tasks == theirs.tasks,
          (few(ours.tasks - theirs.tasks), few(theirs.tasks - ours.tasks)))
    check(f"{name}: the events have their names", our_names and our_names <= names,
          our_names)


def perf_record(path, *arguments):
    return run(["perf", "record", "-q", "-o", path, *arguments, "--", *LOAD]).returncode


def perf_pipe(path):
    with open(path, "wb") as file:
        return subprocess.run(["perf", "record", "-q", "-o", "-", *GROUP, "--", *LOAD],
                              stdout=file, stderr=subprocess.DEVNULL, check=False,
                              timeout=120).returncode


def piped(path):
    """What was stored of a pipe, from a pipe again; and a file of perf's, which cannot be."""
    with open(path, "rb") as file, subprocess.Popen(["cat"], stdin=file,
                                                    stdout=subprocess.PIPE) as cat:
        from_pipe = run([READER, "tell", "-"], stdin=cat.stdout)
    check("a stored pipe tells the same from a pipe",
          from_pipe.stdout == run([READER, "tell", path]).stdout and from_pipe.returncode == 0,
          from_pipe.stderr)


def turned(name, path):
    """As a machine of the other byte order has it, it is shown as it is: through the same pipe."""
    with open(path, "rb") as file:
        data = file.read()
    shown = [subprocess.run([PMCTOP, "--replay", "-", "-H", "--format", "json"], input=stream,
                            capture_output=True, check=False, timeout=120)
             for stream in (data, other_order(data))]
    check(f"{name}, of the other byte order: is shown the same",
          shown[0].stdout == shown[1].stdout and shown[0].returncode == shown[1].returncode == 0
          and shown[0].stdout.count(b"\n") > 0,
          [(run.returncode, run.stderr, run.stdout[:200]) for run in shown])


def main():
    if why := confined.perf(PMCTOP):
        skip_all(why)
    with tempfile.TemporaryDirectory() as directory:
        def path(name):
            return os.path.join(directory, name)

        switches = {"context-switches"}
        for name, file, make, names in (
                ("a file", "file", lambda to: perf_record(to, *GROUP), switches),
                ("a compressed file", "packed", lambda to: perf_record(to, "-z", *GROUP), switches),
                ("samples of a clock", "clock",
                 lambda to: perf_record(to, "-a", "-e", "cpu-clock", "-F", "500"), {"cpu-clock"}),
                ("what a pipe had", "pipe", perf_pipe, switches)):
            theirs = recorded_by_perf(name, path(file), make)
            compare(name, path(file), theirs, names)
        piped(path("pipe"))
        turned("what a pipe had", path("pipe"))
        own = ["-H", "-e", "context-switches,page-faults", "-d", "0.2", "-n", "3", "-b"]
        theirs = recorded_by_pmctop("pmctop's own", path("own"), own)
        sampled = {TRACEPOINT} if is_traced(path("own")) else switches
        compare("pmctop's own", path("own"), theirs, {*sampled, "tick", "switch"})
        if theirs:
            with open(path("stream"), "wb") as file:
                subprocess.run([PMCTOP, *own, "--record", "-"], stdout=file, check=False,
                               timeout=120)
            turned("pmctop's own, a stream", path("stream"))
    finish()


main()
