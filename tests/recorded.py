# SPDX-License-Identifier: MIT
"""What is in a recording, and what perf script makes of it, added up: independent of all that
pmctop thinks."""
import collections
import os
import re
import struct
import subprocess
import time

SAMPLE, ROUND = 9, 68  # types of records
_LINE = re.compile(r"\s*(-?\d+)\s+\[(\d+)\]\s+([\d.]+):\s+(\d+)\s+(\S+?):")
FIELDS = "tid,cpu,time,event,period"


def add_up(lines):
    """{event: {tid: sum of periods}} of what perf script -F FIELDS prints."""
    sums = collections.defaultdict(collections.Counter)
    for line in lines:
        found = _LINE.match(line)
        if found:
            tid, _, _, period, event = found.groups()
            sums[event][int(tid)] += int(period)
    return sums


def perf(*arguments, stdin=None):
    # It prints names of tasks as they are, whatever their bytes.
    return subprocess.run(["perf", *arguments], stdin=stdin, capture_output=True, text=True,
                          errors="replace", check=False, timeout=300)


def perf_sums(path):
    script = perf("script", "-i", path, "-F", FIELDS)
    return add_up(script.stdout.split("\n")), script


def live_sums(frames, event):
    """{tid: count} of all frames with threads."""
    sums = collections.Counter()
    for frame in frames:
        for task in frame["tasks"]:
            sums[task["tid"]] += task["events"][event] or 0
    return sums


def live_total(frames, event):
    return sum(frame["totals"]["events"][event] for frame in frames)


def walk(path):
    """How many records of each type, and what is left of one that is cut off at the end."""
    with open(path, "rb") as file:
        data = file.read()
    kinds, at = collections.Counter(), 16
    assert data[:8] == b"PERFILE2", data[:8]
    while at + 8 <= len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        assert size >= 8 and size % 8 == 0, (path, at, size)
        if at + size > len(data):
            break
        kinds[kind] += 1
        at += size
    return kinds, len(data) - at


def wait_for_rounds(path, least, deadline_s=120):
    """Waits until so many refreshes stand in a file under way, which a thread of its own writes:
    whether they came. What is empty or not there has none yet."""
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
