#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, perf reads all that the machine does meanwhile.
"""Recordings of perf and of pmctop: core's reader and perf report -D must agree record by record.

Prints TAP. BUILD is the build directory. Needs perf, and the right to count system-wide.
"""
import collections
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, finish, skip, skip_all  # noqa: E402
from byte_order import other_order  # noqa: E402
from programs import BUILD, PMCTOP  # noqa: E402
from recording import TRACEPOINT, is_traced  # noqa: E402

READER = os.path.join(BUILD, "tests", "unit", "perfdata", "test_perfdata_read")
LOAD = ["sh", "-c", "i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i + 1)); done; sleep 0.2"]
GROUP = ["-a", "-e", "{context-switches,page-faults}:S", "-c", "1"]

HEAD = re.compile(r"(-?\d+) (\d+) 0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD_(\w+)(.*)")
EVENT = re.compile(r"\b[0-9a-fx]+@\S+ \[0x[0-9a-f]+\]: event: (\d+)")
SAMPLE = re.compile(r"\(\S+ \S+\): (-?\d+)/(-?\d+): \S+ period: (\d+)")
VALUE = re.compile(r"\.\.\.\.\. id ([0-9a-f]+), value ([0-9a-f]+)")
# Types that a file has in sections of its own, and types that the reader unpacks first.
ELSEWHERE = {64, 78, 80, 81, 83}
BUILD_ID = 67  # a pipe has them among the other records, a file in a section that the reader adds


class Content:
    """A recording: the number of records of each type, samples, and FORK, EXIT and COMM records."""

    def __init__(self):
        self.types = collections.Counter()
        self.samples = collections.Counter()
        self.tasks = collections.Counter()


def run(command, **options):
    # perf prints the names of tasks with any bytes in them.
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                          timeout=300, **options)


def of_perf(path):
    content = Content()
    report = run(["perf", "report", "-D", "-i", path])
    if "Bad address" in report.stderr or "failed to process" in report.stderr:
        return None
    sample = None

    def end_sample():
        if sample:
            content.samples[(*sample[0], tuple(sample[1]))] += 1

    for line in report.stdout.split("\n"):
        if found := EVENT.search(line):
            if int(found[1]) not in ELSEWHERE:
                content.types[int(found[1])] += 1
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
                content.tasks[("comm", int(pid), int(tid), comm)] += 1
            elif name in ("FORK", "EXIT"):
                content.tasks[(name.lower(), *map(int, re.findall(r"-?\d+", rest)))] += 1
        elif sample and (found := VALUE.search(line)):
            sample[1].append((int(found[1], 16), int(found[2], 16)))
    end_sample()
    return content


NUMBERS = {"sample": 9, "comm": 3, "fork": 7, "exit": 4, "switch": 15, "native": 65}
COMPARED = {1, 10, *NUMBERS.values(), *range(66, 90)} - ELSEWHERE
OWN_SAMPLE = re.compile(r"sample (-?\d+)/(-?\d+) id \d+ at (\d+); \w+ by (.+?) \S+ cpu (\d+) "
                        r"period (\d+) of \d+/\d+:(.*)")
OWN_TASK = re.compile(r"(comm|fork|exit) (-?\d+)/(-?\d+) id \d+ at \d+ "
                      r"(?:'(.*?)'|of (-?\d+)/(-?\d+))")


def of_ours(text):
    content = Content()
    names = set()
    for line in text.split("\n"):
        word = line.split(" ", 1)[0]
        if word in NUMBERS:
            content.types[NUMBERS[word]] += 1
        elif found := re.match(r"type (\d+),", line):
            content.types[int(found[1])] += 1
        if found := OWN_SAMPLE.match(line):
            pid, tid, time, name, cpu, period, values = found.groups()
            names.add(name)
            values = tuple(tuple(map(int, pair.split("="))) for pair in values.split())
            content.samples[(int(cpu), int(time), int(pid), int(tid), int(period), values)] += 1
        elif found := OWN_TASK.match(line):
            kind, pid, tid, comm, ppid, ptid = found.groups()
            if kind == "comm":
                content.tasks[("comm", int(pid), int(tid), comm)] += 1
            else:
                content.tasks[(kind, int(pid), int(tid), int(ppid), int(ptid))] += 1
    return content, names


def few(counter):
    return sorted(counter.items(), key=str)[:3]


def recorded_by_perf(name, path, make):
    """perf's reading of its own recording. Another tool that samples software events at the same
    time can damage it: it is then made again, up to five times."""
    for _ in range(5):
        if make(path) != 0:
            skip(name, "cannot be recorded here")
            return None
        theirs = of_perf(path)
        if theirs and theirs.samples:
            return theirs
    skip(name, "perf cannot read its recording")
    return None


def recorded_by_pmctop(name, path, arguments):
    """perf's reading of pmctop's recording, which must always succeed."""
    made = run([PMCTOP, *arguments, "--record", path])
    check(f"{name}: recorded", made.returncode == 0, (made.returncode, made.stderr))
    if made.returncode != 0:
        return None
    theirs = of_perf(path)
    check(f"{name}: perf reads it", theirs and theirs.samples,
          run(["perf", "report", "-D", "-i", path]).stderr)
    return theirs


def is_pipe(path):
    """Whether the header is a pipe's, which has 16 bytes."""
    with open(path, "rb") as file:
        return struct.unpack("=8sQ", file.read(16))[1] == 16


def compare(name, path, theirs, names):
    if not theirs:
        return
    printed = run([READER, "print", path])
    ours, our_names = of_ours(printed.stdout)
    check(f"{name}: read to its end", printed.returncode == 0, printed.stderr)
    compared = COMPARED if is_pipe(path) else COMPARED - {BUILD_ID}
    other = {kind: (ours.types[kind], theirs.types[kind]) for kind in compared
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
    """A stored pipe, read as a file and from a pipe."""
    with open(path, "rb") as file, subprocess.Popen(["cat"], stdin=file,
                                                    stdout=subprocess.PIPE) as cat:
        from_pipe = run([READER, "print", "-"], stdin=cat.stdout)
    check("a stored pipe has the same records from a pipe",
          from_pipe.stdout == run([READER, "print", path]).stdout and from_pipe.returncode == 0,
          from_pipe.stderr)


def check_other_order(name, path):
    """A stream from a machine of the other byte order has the same replay."""
    with open(path, "rb") as file:
        data = file.read()
    shown = [subprocess.run([PMCTOP, "--replay", "-", "-H", "--format", "json"], input=stream,
                            capture_output=True, check=False, timeout=120)
             for stream in (data, other_order(data))]
    check(f"{name}, in the other byte order: the same replay",
          shown[0].stdout == shown[1].stdout and shown[0].returncode == shown[1].returncode == 0
          and shown[0].stdout.count(b"\n") > 0,
          [(run.returncode, run.stderr, run.stdout[:200]) for run in shown])


def main():
    if why := skip_reason.perf(PMCTOP):
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
                ("a pipe's output", "pipe", perf_pipe, switches)):
            theirs = recorded_by_perf(name, path(file), make)
            compare(name, path(file), theirs, names)
        piped(path("pipe"))
        check_other_order("a pipe's output", path("pipe"))
        own = ["-H", "-e", "context-switches,page-faults", "-d", "0.2", "-n", "3", "-b"]
        theirs = recorded_by_pmctop("pmctop's recording", path("own"), own)
        sampled = {TRACEPOINT} if is_traced(path("own")) else switches
        compare("pmctop's recording", path("own"), theirs, {*sampled, "tick", "switch"})
        if theirs:
            with open(path("stream"), "wb") as file:
                subprocess.run([PMCTOP, *own, "--record", "-"], stdout=file, check=False,
                               timeout=120)
            check_other_order("pmctop's stream", path("stream"))
    finish()


main()
