# SPDX-License-Identifier: MIT
"""What tests of pmctop's JSON share: TAP, and the sum that every frame must keep."""
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
    """A check that is skipped where there is a reason."""
    if why:
        skip(name, why)
    else:
        check(name, good, detail)


def skip_all(why):
    """Ends the script, which has made no check."""
    print(f"{os.path.basename(sys.argv[0])}: {why}; skipped", file=sys.stderr)
    sys.exit(77)


def for_all(build):
    """The build directory, or, where a clone in a home directory keeps other users out, a copy of
    what they are to run."""
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
    """TAP's plan, and the end: status 1 when a check failed."""
    print(f"1..{_checks}")
    sys.exit(_failed)


def sections(path):
    """The parts of a script's output, "== NAME" and lines: of each its lines of JSON."""
    return {name: [json.loads(line) for line in lines if line.startswith("{")]
            for name, lines in _parts(path).items()}


def unpacked(path):
    """Of a guest whose output is gzip in base64, which it prints in a tenth of the time: the path
    of what it said, which is there until we end."""
    with open(path, "rb") as packed, tempfile.NamedTemporaryFile(delete=False) as file:
        atexit.register(os.unlink, file.name)
        file.write(gzip.decompress(base64.b64decode(packed.read())))
    return file.name


def text(path, name):
    """The lines of one part."""
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
    """What --format json has printed, without what else stands there."""
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


def wait_for_lines(file, more):
    """Until a file has so many more lines than now."""
    def lines():
        return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).count(b"\n")
    wanted = lines() + more
    while lines() < wanted:
        time.sleep(0.05)


def stolen_ns():
    """What a hypervisor has taken from all CPUs so far. The scheduler charges it to nobody, while
    the clocks of perf run on through it."""
    with open("/proc/stat", encoding="ascii") as stat:
        return int(stat.readline().split()[8]) * 10**9 // os.sysconf("SC_CLK_TCK")


class Charge(typing.NamedTuple):
    """What the scheduler charged a task, and what was stolen from all CPUs meanwhile."""
    ran_ns: float
    stolen_ns: float

    def agrees(self, seen_ns, share):
        """Some milliseconds at each end are left between one look and another."""
        return (self.ran_ns * (1 - share) - 1e7 < seen_ns
                < (self.ran_ns + self.stolen_ns) * (1 + share) + 1e7)


class Charged:
    """What the scheduler charged tasks, at any time: it is asked again and again beside the test,
    so that nothing rests on how soon the test is at its place."""

    def __init__(self, pids):
        self._looks = {pid: [] for pid in pids}
        self._stolen = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self):
        while not self._end.wait(0.01):
            self._stolen.append((time.time(), stolen_ns()))
            for pid, looks in self._looks.items():
                try:
                    with open(f"/proc/{pid}/schedstat", encoding="ascii") as schedstat:
                        looks.append((time.time(), int(schedstat.read().split()[0])))
                except OSError:
                    pass

    def stop(self):
        self._end.set()
        self._thread.join()

    def between(self, pid, began, ended):
        """The Charge between two times of day."""
        return Charge(*(_at(looks, ended) - _at(looks, began)
                        for looks in (self._looks[pid], self._stolen)))


def _at(looks, when):
    after = next((i for i, look in enumerate(looks) if look[0] >= when), len(looks) - 1)
    (t0, ran0), (t1, ran1) = looks[max(after - 1, 0)], looks[after]
    return ran1 if t1 == t0 else ran0 + (ran1 - ran0) * (when - t0) / (t1 - t0)


def named(seen, comm):
    return [task for frame in seen for task in frame["tasks"] if task["comm"] == comm]


def near(value, wanted, share):
    return value is not None and abs(value - wanted) <= share * wanted


def differs(live, replayed):
    """Where, of two outputs' lines, they do."""
    for number, (left, right) in enumerate(zip(live, replayed)):
        if left != right:
            at = next((i for i, (a, b) in enumerate(zip(left, right)) if a != b), 0)
            return number, left[max(0, at - 120):at + 120], right[max(0, at - 120):at + 120]
    return len(live), len(replayed)


def off_ipcs(counted, ipc):
    """Of {who: (instructions, cycles)}, in an emulated machine whose instructions per cycle are
    known: those that are 5 % off, where they ran for 0.1 s, and all together, where that is 1 % off.

    Where it has two CPUs the emulator stops one now and then for the other's sake, some 0.1 ms and
    at times more, also between Linux's reads of two counters, which count on meanwhile. So one
    switch in thousands gives some instructions to one task and their cycles to the next one (in
    such a record the raw counts were right); in the sum they meet again."""
    together = [sum(counts) for counts in zip(*counted.values())] or [0, 0]
    return [(who, instructions / cycles) for who, (instructions, cycles) in
            [*counted.items(), ("all together", together)]
            if cycles > 10**8 and not near(instructions / cycles, ipc,
                                           0.01 if who == "all together" else 0.05)]


def nobodys(seen):
    """Events of which more than a thousandth was nobody's, and of switches and the like more than
    five: {event: (nobody's, of all)}.

    A moment is, where who is past his EXIT gives way before his last switch, and has lost his
    number when that comes."""
    sums = {}
    for totals in (frame["totals"] for frame in seen):
        for event, count in totals["events"].items():
            if count is not None:
                part, whole = sums.get(event, (0, 0))
                sums[event] = part + (totals["unattributed"]["events"][event] or 0), whole + count
    return {event: both for event, both in sums.items() if both[0] > max(both[1] / 1000, 5)}


def broken_sums(frame):
    """
    Every event that breaks: tasks + idle + unattributed + others + left_out = totals = CPUs. The
    same of scaled counts, but for the CPUs: each is scaled by its own share.
    """
    totals = frame["totals"]
    broken = []
    for what in ("events", "scaled"):
        for event, total in totals[what].items():
            if total is None:
                continue
            # What did not run while it was counted adds nothing.
            parts = sum(task[what][event] or 0 for task in frame["tasks"]
                        if task.get("parent") is None)  # a tree's roots have it all
            # /proc knows no faults of idle.
            parts += sum(totals[part][what][event] or 0
                         for part in ("idle", "unattributed", "others", "left_out")
                         if part in totals)
            cpus = sum(cpu["events"][event] or 0 for cpu in frame["cpus"])
            if parts != total or (what == "events" and frame["mode"] == "system" and
                                  cpus != total):
                broken.append(f"{what} {event}: parts {parts}, total {total}, CPUs {cpus}")
    return broken
