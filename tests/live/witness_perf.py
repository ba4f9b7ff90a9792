# SPDX-License-Identifier: MIT
"""A second listener of the same switches and wake-ups: perf record.

The handlers of a tracepoint run one after the other, so the witness and pmctop have different times
for the same event. A virtual CPU may stand still between the two handlers: here for up to 50 ms, in
one switch of 1,000. perf's handler is also pmctop's, so between its time and the witness's the
truth is open.
"""
import bisect
import collections
import os
import re
import signal
import subprocess
import tempfile

from witness_trace import SWITCH, WAKING

COMMAND = ("perf", "record", "-q", "-a", "-e", "sched:sched_switch,sched:sched_waking",
           "-k", "CLOCK_MONOTONIC", "-m", "4096")
LINE = re.compile(r"\s*\[(\d+)\]\s+(\d+)\.(\d+): sched:sched_(?:(switch):.* prev_pid=(\d+) .*"
                  r"next_pid=(\d+)|waking:.* pid=(\d+))")
LATER_NS = 100_000_000  # a listener is so much later, at most
ALIKE_NS = 10_000       # usual differences


class Stalls:
    """Records from entering to leaving."""

    def __enter__(self):
        handle, self._path = tempfile.mkstemp(prefix="witness-perf-")
        os.close(handle)
        self._perf = subprocess.Popen([*COMMAND, "-o", self._path], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self._perf.send_signal(signal.SIGINT)
        self._perf.wait()

    def _times(self):
        """{(kind, CPU, tids ...): [time]}"""
        script = subprocess.run(["perf", "script", "-i", self._path, "--ns", "-F",
                                 "cpu,time,event,trace"], capture_output=True, check=False)
        os.remove(self._path)
        found = collections.defaultdict(list)
        for line in script.stdout.decode("utf-8", "replace").splitlines():
            if match := LINE.match(line):
                cpu, seconds, ns, switch, *tids = match.groups()
                found[(SWITCH if switch else WAKING, int(cpu),
                       *(int(tid) for tid in tids if tid))].append(int(seconds + ns))
        return found

    def of(self, events):
        """[(begin, end, kind, CPU, tids)] of the events that differ; None: perf has nothing."""
        times, found = self._times(), []
        for time_ns, kind, cpu, *values in events:
            if kind not in (SWITCH, WAKING):
                continue
            tids = (values[0], values[2]) if kind == SWITCH else (values[0],)
            listed = times.get((kind, cpu, *tids), ())
            at = bisect.bisect_left(listed, time_ns)
            near = min(listed[max(at - 1, 0):at + 1], key=lambda other: abs(other - time_ns),
                       default=time_ns)
            if ALIKE_NS < abs(near - time_ns) < LATER_NS:
                found.append((*sorted((time_ns, near)), kind, cpu, tids))
        return found if times else None
