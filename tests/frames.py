# SPDX-License-Identifier: MIT
"""Shared by scripts: TAP, pmctop's JSON, and the sums that each frame must have."""
import atexit
import base64
import gzip
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import typing

from default_signals import pass_default_signals

pass_default_signals()
_checks = 0
_failed = False


def check(name, good, detail=""):
    global _checks, _failed
    _checks += 1
    _failed |= not good
    print(f"{'ok' if good else 'not ok'} {_checks} - {name}", flush=True)
    if not good:
        print(f"# {str(detail)[:600]}", flush=True)


def skip(name, why):
    global _checks
    _checks += 1
    print(f"ok {_checks} - {name} # SKIP {why}", flush=True)


def check_unless(why, name, good, detail=""):
    """A check that is skipped if there is a reason `why`."""
    if why:
        skip(name, why)
    else:
        check(name, good, detail)


def skip_all(why):
    """Ends a script that has made no check."""
    print(f"{os.path.basename(sys.argv[0])}: {why}; skipped", file=sys.stderr)
    sys.exit(77)


def for_all(build):
    """Returns a build directory that every user can read: `build`, or a copy of its programs if a
    directory above it is closed to other users."""
    parents = [build]
    while parents[-1] != "/":
        parents.append(os.path.dirname(parents[-1]))
    if all(os.stat(parent).st_mode & 0o001 for parent in parents):
        return build
    copy = tempfile.mkdtemp(prefix="pmctop-build-")
    atexit.register(shutil.rmtree, copy)
    shutil.copy(os.path.join(build, "pmctop"), copy)
    shutil.copytree(os.path.join(build, "load"), os.path.join(copy, "load"))
    os.chmod(copy, 0o755)
    return copy


def finish():
    """Prints TAP's plan and exits: status 1 if a check failed."""
    print(f"1..{_checks}")
    sys.exit(_failed)


def sections(path):
    """{name: its lines of JSON} of a script's output, in which "== NAME" begins a section."""
    return {name: [json.loads(line) for line in lines if line.startswith("{")]
            for name, lines in _parts(path).items()}


def unpacked(path):
    """Unpacks a guest's output: gzip in base64, which takes a tenth of the time to print. Returns
    the path of the text, a temporary file that is removed at exit."""
    with open(path, "rb") as packed, tempfile.NamedTemporaryFile(delete=False) as file:
        atexit.register(os.unlink, file.name)
        file.write(gzip.decompress(base64.b64decode(packed.read())))
    return file.name


def text(path, name):
    """The lines of one section."""
    return _parts(path)[name]


def _parts(path):
    parts, name = {}, None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("== "):
                name = line[3:].strip()
                parts[name] = []
            elif name:
                parts[name].append(line)
    return parts


def frames_of(text):
    """The frames in the output of --format json. Other lines are ignored."""
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


def wait_for_lines(file, more):
    """Waits until the file has `more` lines more than now."""
    def lines():
        return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).count(b"\n")
    wanted = lines() + more
    while lines() < wanted:
        time.sleep(0.05)


def stolen_ns():
    """The time that the hypervisor has taken from all CPUs since boot. The scheduler charges it to
    no task. The clocks of perf include it."""
    with open("/proc/stat", encoding="ascii") as stat:
        return int(stat.readline().split()[8]) * 10**9 // os.sysconf("SC_CLK_TCK")


class Charge(typing.NamedTuple):
    """A task's CPU time by the scheduler, and the time stolen from all CPUs meanwhile."""
    ran_ns: float
    stolen_ns: float

    def agrees(self, seen_ns, share):
        """10 ms of tolerance: /proc and pmctop are read at different moments."""
        return (self.ran_ns * (1 - share) - 1e7 < seen_ns
                < (self.ran_ns + self.stolen_ns) * (1 + share) + 1e7)


class Charged:
    """CPU time that the scheduler charged to tasks. A thread reads it every 10 ms, so it is known
    at each moment of the test, however late the test runs."""

    def __init__(self, pids):
        self._samples = {pid: [] for pid in pids}
        self._stolen = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._poll_schedstat, daemon=True)
        self._thread.start()

    def _poll_schedstat(self):
        while not self._end.wait(0.01):
            self._stolen.append((time.time(), stolen_ns()))
            for pid, samples in self._samples.items():
                try:
                    with open(f"/proc/{pid}/schedstat", encoding="ascii") as schedstat:
                        samples.append((time.time(), int(schedstat.read().split()[0])))
                except OSError:
                    pass

    def stop(self):
        self._end.set()
        self._thread.join()

    def between(self, pid, began, ended):
        """The Charge between two moments of time.time()."""
        return Charge(*(_interpolate(samples, ended) - _interpolate(samples, began)
                        for samples in (self._samples[pid], self._stolen)))


def _interpolate(samples, when):
    after = next((i for i, sample in enumerate(samples) if sample[0] >= when), len(samples) - 1)
    (t0, ran0), (t1, ran1) = samples[max(after - 1, 0)], samples[after]
    return ran1 if t1 == t0 else ran0 + (ran1 - ran0) * (when - t0) / (t1 - t0)


def named(seen, comm):
    return [task for frame in seen for task in frame["tasks"] if task["comm"] == comm]


def near(value, wanted, share):
    return value is not None and abs(value - wanted) <= share * wanted


def differs(live, replayed):
    """(line number, text left, text right) of the first difference of two outputs."""
    for number, (left, right) in enumerate(zip(live, replayed)):
        if left != right:
            at = next((i for i, (a, b) in enumerate(zip(left, right)) if a != b), 0)
            return number, left[max(0, at - 120):at + 120], right[max(0, at - 120):at + 120]
    return len(live), len(replayed)


def off_ipcs(counted, ipc):
    """The tasks of {name: (instructions, cycles)} that miss the emulated machine's known IPC: by 5
    % if they ran for 0.1 s, by 1 % all together.

    With two CPUs the emulator sometimes stops one for the other, for 0.1 ms or more, also between
    Linux's reads of two counters, which continue to count. So one switch in thousands credits
    instructions to one task and their cycles to the next one. (The raw counts of such a record were
    right.) The sum is not affected."""
    together = [sum(counts) for counts in zip(*counted.values())] or [0, 0]
    return [(name, instructions / cycles) for name, (instructions, cycles) in
            [*counted.items(), ("all together", together)]
            if cycles > 10**8 and not near(instructions / cycles, ipc,
                                           0.01 if name == "all together" else 0.05)]


def unattributed_events(seen):
    """{event: (unattributed, total)} of the events that are unattributed by more than a
    thousandth, and by more than five.

    A moment always is: a task that is preempted after its EXIT record has no pid any more at its
    last switch."""
    sums = {}
    for totals in (frame["totals"] for frame in seen):
        for event, count in totals["events"].items():
            if count is not None:
                part, whole = sums.get(event, (0, 0))
                sums[event] = part + (totals["unattributed"]["events"][event] or 0), whole + count
    return {event: both for event, both in sums.items() if both[0] > max(both[1] / 1000, 5)}


def cpus_agree(event, cpus, total):
    """Whether an event's sum of CPUs fits its total: they are equal, with two exceptions."""
    if event in ("user_time", "system_time"):
        return True  # CPUs have the ticks of /proc/stat, tasks and totals their own files
    if event == "runq_time":
        return cpus <= total  # the wait of a task that has never run is on no CPU
    return cpus == total


def broken_sums(frame):
    """Each event whose sum is wrong: tasks + idle + unattributed + others + left_out = totals =
    CPUs. Scaled counts must add up too, except the counts of CPUs: each CPU has its own scale."""
    totals = frame["totals"]
    broken = []
    for what in ("events", "scaled"):
        for event, total in totals[what].items():
            if total is None:
                continue
            # A task that did not run while the event was counted adds nothing.
            parts = sum(task[what][event] or 0 for task in frame["tasks"]
                        if task.get("parent") is None)  # a tree's roots include their children
            # /proc has no page faults of idle.
            parts += sum(totals[part][what][event] or 0
                         for part in ("idle", "unattributed", "others", "left_out")
                         if part in totals)
            cpus = sum(cpu["events"][event] or 0 for cpu in frame["cpus"])
            if parts != total or (what == "events" and frame["mode"] == "system" and
                                  not cpus_agree(event, cpus, total)):
                broken.append(f"{what} {event}: parts {parts}, total {total}, CPUs {cpus}")
    return broken
