# SPDX-License-Identifier: MIT
"""The counts of each task, from the text of perf script for a recording of

    perf record -a -e '{context-switches,...}:S' -c 1

Rules: the counts between two samples of a CPU are attributed to the task of the second. The counts
before a CPU's first sample are unattributed if that is its first switch; else they may be older
than the recording. If the number of switches grew by more than one, records are missing, and the
counts are unattributed.

    sums = perfscript.sums("perf.data")
    sums.tasks[tid][event], sums.unattributed[event]; tid 0 is the idle task
"""

import collections
import dataclasses
import re
import subprocess

SWITCHES = ("context-switches", "cs", "sched:sched_switch")
# "  101 [000]     2.863044123:      18604           cycles: "
COUNT = re.compile(r"^\s*(-?\d+)\s+\[(\d+)\]\s+(\d+)\.(\d+):\s+(\d+)\s+(\S+?):?\s*$")
# "  101 [000]     2.863044123: PERF_RECORD_EXIT(101:101):(101:101)"
EXIT = re.compile(r"^\s*-?\d+\s+\[(\d+)\]\s+\d+\.\d+:\s+PERF_RECORD_EXIT\((-?\d+):(-?\d+)\)")


def counter():
    return collections.defaultdict(int)


@dataclasses.dataclass
class Sums:
    tasks: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(counter))
    unattributed: dict = dataclasses.field(default_factory=counter)
    samples: int = 0
    cpus: set = dataclasses.field(default_factory=set)


class SampleSums:
    def __init__(self):
        self.sums = Sums()
        self.started = set()  # CPUs
        self.exited = {}  # CPU: tid of the last EXIT there since its last switch
        self.counts = None  # counts to which the lines of the current sample are added
        self.totals = counter()  # of (CPU, event), in all files
        self.begun = set()  # (CPU, event) in this file

    def next_file(self):
        """perf script prints growth, and at the first sample of a file the whole count."""
        self.begun = set()

    def growth(self, cpu, event, count):
        if (cpu, event) not in self.begun:
            self.begun.add((cpu, event))
            count -= self.totals[cpu, event]
        self.totals[cpu, event] += count
        return count

    def switch(self, tid, cpu, event, count):
        self.sums.samples += 1
        exited = self.exited.pop(cpu, None)
        if tid == -1:
            tid = exited
        if cpu not in self.started:
            self.started.add(cpu)
            self.sums.cpus.add(cpu)
            self.counts = self.sums.unattributed if count == 1 else None
            self.sums.unattributed[event] += count > 1
        elif count > 1 or tid is None:
            self.counts = self.sums.unattributed
        else:
            self.counts = self.sums.tasks[tid]

    def line(self, text):
        ended = EXIT.match(text)
        if ended:
            self.exited[int(ended.group(1))] = int(ended.group(3))
            return
        counted = COUNT.match(text)
        if not counted:
            return
        tid, cpu, _, _, count, event = counted.groups()
        count = self.growth(cpu, event, int(count))
        # A sample's first line is the leader's.
        if event in SWITCHES:
            self.switch(int(tid), int(cpu), event, count)
        if self.counts is not None:
            self.counts[event] += count


def lines(path, arguments=()):
    """perf script's text without symbols."""
    # -F needs a file: the events of a stream are not known before.
    command = ["perf", "script", "-i", path, "--ns", "--show-task-events", *arguments]
    command += ["-F", "tid,cpu,time,event,period"]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        errors="replace",  # names of tasks may have any bytes
    ).stdout.split("\n")


def parse(*texts):
    samples = SampleSums()
    for text in texts:
        samples.next_file()
        for line in text:
            samples.line(line)
    return samples.sums


def sums(*paths):
    """The sums of the files of one recording, in their order."""
    return parse(*map(lines, paths))


def shown(frames):
    """The same sums from pmctop's frames of threads."""
    mine = Sums()
    for frame in frames:
        for task in frame["tasks"]:
            for event, count in task["events"].items():
                mine.tasks[task["tid"]][event] += count or 0
        for event, count in frame["totals"]["idle"]["events"].items():
            mine.tasks[0][event] += count or 0
        for event, count in frame["totals"]["unattributed"]["events"].items():
            mine.unattributed[event] += count or 0
    return mine


def differences(mine, script):
    """(tid, event, pmctop's count, perf script's count) of the events that perf script prints."""
    events = {event for counts in (*script.tasks.values(), script.unattributed) for event in counts}
    wrong = [
        (tid, event, mine.tasks[tid][event], script.tasks[tid][event])
        for tid in {*mine.tasks, *script.tasks}
        for event in events
        if mine.tasks[tid][event] != script.tasks[tid][event]
    ]
    return wrong + [
        ("unattributed", event, mine.unattributed[event], script.unattributed[event])
        for event in events - {"task-clock"}  # time before the recording's first sample is not shown
        if mine.unattributed[event] != script.unattributed[event]
    ]
