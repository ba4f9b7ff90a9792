# SPDX-License-Identifier: MIT
"""What tests of pmctop's JSON share: TAP, and the sum that every frame must keep."""
import json
import os
import sys
import threading
import time

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


def finish():
    """TAP's plan, and the end: status 1 when a check failed."""
    print(f"1..{_checks}")
    sys.exit(_failed)


def sections(path):
    """The parts of a script's output, "== NAME" and lines: of each its lines of JSON."""
    return {name: [json.loads(line) for line in lines if line.startswith("{")]
            for name, lines in _parts(path).items()}


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
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def wait_for_lines(file, more):
    """Until a file has so many more lines than now."""
    def lines():
        return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).count(b"\n")
    wanted = lines() + more
    while lines() < wanted:
        time.sleep(0.05)


class Charged:
    """What the scheduler charged tasks, at any time: it is asked again and again beside the test,
    so that nothing rests on how soon the test is at its place."""

    def __init__(self, pids):
        self._looks = {pid: [] for pid in pids}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self):
        while not self._end.wait(0.01):
            for pid, looks in self._looks.items():
                try:
                    with open(f"/proc/{pid}/schedstat", encoding="ascii") as schedstat:
                        looks.append((time.time(), int(schedstat.read().split()[0])))
                except OSError:
                    pass

    def stop(self):
        self._end.set()
        self._thread.join()

    def ns(self, pid, began, ended):
        """Between two times of day."""
        return self._at(pid, ended) - self._at(pid, began)

    def _at(self, pid, when):
        looks = self._looks[pid]
        after = next((i for i, look in enumerate(looks) if look[0] >= when), len(looks) - 1)
        (t0, ran0), (t1, ran1) = looks[max(after - 1, 0)], looks[after]
        return ran1 if t1 == t0 else ran0 + (ran1 - ran0) * (when - t0) / (t1 - t0)


def named(seen, comm):
    return [task for frame in seen for task in frame["tasks"] if task["comm"] == comm]


def near(value, wanted, share):
    return value is not None and abs(value - wanted) <= share * wanted


def broken_sums(frame):
    """Every event that breaks: tasks + idle + unattributed + others = totals = sum of CPUs."""
    totals = frame["totals"]
    broken = []
    for event, total in totals["events"].items():
        if total is None:
            continue
        # What did not run while it was counted adds nothing.
        parts = sum(task["events"][event] or 0 for task in frame["tasks"]
                    if task.get("parent") is None)  # a tree's roots have it all
        # /proc knows no faults of idle.
        parts += sum(totals[part]["events"][event] or 0
                     for part in ("idle", "unattributed", "others") if part in totals)
        cpus = sum(cpu["events"][event] or 0 for cpu in frame["cpus"])
        if parts != total or (frame["mode"] == "system" and cpus != total):
            broken.append(f"{event}: parts {parts}, total {total}, CPUs {cpus}")
    return broken
