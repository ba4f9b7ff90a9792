# SPDX-License-Identifier: MIT
"""What each task did, by the text that perf script makes of a recording of

    perf record -a -e '{context-switches,...}:S' -c 1

added up with nothing but the rules: the counts between two samples of a CPU are of the task that
the second one names; those before the first sample of a CPU are nobody's, if that is of its first
switch (else they may be older than the recording); where the number of switches grew by more than
one, records are missing and nobody knows whose the counts are.

    sums = perfscript.sums("perf.data")
    sums.tasks[tid][event], sums.nobody[event]; tid 0 is the idle task
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
    nobody: dict = dataclasses.field(default_factory=counter)
    samples: int = 0
    cpus: set = dataclasses.field(default_factory=set)


class Adder:
    def __init__(self):
        self.sums = Sums()
        self.started = set()  # CPUs
        self.exited = {}  # CPU: whose EXIT was the last there, since the last switch
        self.owner = None  # whose the lines of the sample under way are

    def switch(self, tid, cpu, event, count):
        self.sums.samples += 1
        exited = self.exited.pop(cpu, None)
        if tid == -1:
            tid = exited
        if cpu not in self.started:
            self.started.add(cpu)
            self.sums.cpus.add(cpu)
            self.owner = self.sums.nobody if count == 1 else None
            self.sums.nobody[event] += count > 1
        elif count > 1 or tid is None:
            self.owner = self.sums.nobody
        else:
            self.owner = self.sums.tasks[tid]

    def line(self, text):
        ended = EXIT.match(text)
        if ended:
            self.exited[int(ended.group(1))] = int(ended.group(3))
            return
        counted = COUNT.match(text)
        if not counted:
            return
        tid, cpu, _, _, count, event = counted.groups()
        # The leader's line comes first of a sample's.
        if event in SWITCHES:
            self.switch(int(tid), int(cpu), event, int(count))
        if self.owner is not None:
            self.owner[event] += int(count)


def lines(path, arguments=()):
    """perf script's text, without what it makes of addresses."""
    # -F needs a file: a stream is told what it holds when it begins.
    command = ["perf", "script", "-i", path, "--ns", "--show-task-events", *arguments]
    command += ["-F", "tid,cpu,time,event,period"]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        errors="replace",  # names of tasks are printed as they are
    ).stdout.split("\n")


def add_up(text):
    adder = Adder()
    for line in text:
        adder.line(line)
    return adder.sums


def sums(path):
    return add_up(lines(path))


def shown(frames):
    """The same sums of what pmctop shows, in frames of threads."""
    mine = Sums()
    for frame in frames:
        for task in frame["tasks"]:
            for event, count in task["events"].items():
                mine.tasks[task["tid"]][event] += count or 0
        for event, count in frame["totals"]["idle"]["events"].items():
            mine.tasks[0][event] += count or 0
        for event, count in frame["totals"]["unattributed"]["events"].items():
            mine.nobody[event] += count or 0
    return mine


def differences(mine, script):
    """(tid, event, mine, perf script's) of the events that perf script prints."""
    events = {event for counts in (*script.tasks.values(), script.nobody) for event in counts}
    wrong = [
        (tid, event, mine.tasks[tid][event], script.tasks[tid][event])
        for tid in {*mine.tasks, *script.tasks}
        for event in events
        if mine.tasks[tid][event] != script.tasks[tid][event]
    ]
    return wrong + [
        ("nobody", event, mine.nobody[event], script.nobody[event])
        for event in events - {"task-clock"}  # time before the recording's first sample is not shown
        if mine.nobody[event] != script.nobody[event]
    ]
