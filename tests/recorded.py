# SPDX-License-Identifier: MIT
"""What perf script makes of a recording, added up: independent of all that pmctop thinks."""
import collections
import re
import subprocess

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
    return subprocess.run(["perf", *arguments], stdin=stdin, capture_output=True, text=True,
                          check=False, timeout=120)


def perf_sums(path):
    script = perf("script", "-i", path, "-F", FIELDS)
    return add_up(script.stdout.splitlines()), script


def live_sums(frames, event):
    """{tid: count} of all frames with threads."""
    sums = collections.Counter()
    for frame in frames:
        for task in frame["tasks"]:
            sums[task["tid"]] += task["events"][event] or 0
    return sums


def live_total(frames, event):
    return sum(frame["totals"]["events"][event] for frame in frames)
