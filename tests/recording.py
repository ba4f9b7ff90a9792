# SPDX-License-Identifier: MIT
"""The records of a recording, and the sums of perf script's text, without code of pmctop."""
import collections
import os
import re
import struct
import subprocess
import time

SAMPLE, TRACING, ROUND = 9, 66, 68  # types of records
SWITCHES = "context-switches"
TRACEPOINT = "sched:sched_switch"  # samples the same switches, if it can be read
_LINE = re.compile(r"\s*(-?\d+)\s+\[(\d+)\]\s+([\d.]+):\s+(\d+)\s+(\S+):(?:\s|$)")
# "  pingpong[27387]  -1  141881  695.226 ...": sched-in, run time in ms
_RUN = re.compile(r"^\s*\S.*\[(\d+)(?:/\d+)?\]\s+-?\d+\s+(\d+)\s+([\d.]+)\s")
FIELDS = "tid,cpu,time,event,period"


def sum_periods(lines):
    """{event: {tid: sum of periods}} of perf script -F FIELDS. Samples of the tracepoint are
    context switches."""
    sums = collections.defaultdict(collections.Counter)
    for line in lines:
        found = _LINE.match(line)
        if found:
            tid, _, _, period, event = found.groups()
            sums[SWITCHES if event == TRACEPOINT else event][int(tid)] += int(period)
    return sums


def perf(*arguments, stdin=None):
    # Names of tasks may have any bytes.
    return subprocess.run(["perf", *arguments], stdin=stdin, capture_output=True, text=True,
                          errors="replace", check=False, timeout=300)


def perf_sums(path):
    script = perf("script", "-i", path, "-F", FIELDS)
    return sum_periods(script.stdout.split("\n")), script


def is_traced(path):
    """Whether its samples are the tracepoint's."""
    return TRACEPOINT in perf("evlist", "-i", path).stdout


def timehist(path):
    """({tid: run time in ms}, the finished process) of perf sched timehist."""
    summary = perf("sched", "timehist", "-s", "-i", path)
    found = (_RUN.match(line) for line in summary.stdout.split("\n"))
    return {int(run.group(1)): float(run.group(3)) for run in found if run}, summary


def live_sums(frames, event):
    """{tid: count} of all frames, which have threads."""
    sums = collections.Counter()
    for frame in frames:
        for task in frame["tasks"]:
            sums[task["tid"]] += task["events"][event] or 0
    return sums


def live_total(frames, event):
    return sum(frame["totals"]["events"][event] for frame in frames)


def span(data):
    """Where the records begin and end, in a stream or a file of perf's usual format."""
    assert data[:8] == b"PERFILE2", data[:8]
    if struct.unpack_from("<Q", data, 8)[0] == 16:
        return 16, len(data)
    begin, size = struct.unpack_from("<QQ", data, 40)
    return begin, begin + size


def walk(path):
    """({type: number of records}, bytes of an incomplete record at the end)"""
    with open(path, "rb") as file:
        data = file.read()
    kinds = collections.Counter()
    at, end = span(data)
    data = data[:end]
    while at + 8 <= len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        assert size >= 8 and size % 8 == 0, (path, at, size)
        if kind == TRACING:
            size += struct.unpack_from("<I", data, at + 8)[0]
        if at + size > len(data):
            break
        kinds[kind] += 1
        at += size
    return kinds, len(data) - at


def wait_for_rounds(path, least, deadline_s=120):
    """Waits until a growing recording has so many refreshes. Returns whether it has. A missing or
    empty file has none."""
    end = time.monotonic() + deadline_s
    while True:
        try:
            if os.path.getsize(path) >= 16 and walk(path)[0][ROUND] >= least:
                return True
        except FileNotFoundError:
            pass
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
