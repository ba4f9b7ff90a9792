# SPDX-License-Identifier: MIT
"""The scenes of the witness: in which way pmctop runs, and what happens beside it."""
import collections
import contextlib
import itertools
import os
import signal
import subprocess
import threading
import time

import witness_loads as loads

# In a mount namespace of its own pmctop has tracefs, whether it is mounted here or not.
TRACED = ["unshare", "--mount", "sh", "-c",
          "mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; exec \"$@\"", "sh"]
TIME_NAMESPACE = ["unshare", "--time", "--monotonic", "100000", "--boottime", "100000"]

# `prefix` is before pmctop's command. `beside` is a context manager of its process. `by`: its rows.
Scene = collections.namedtuple(
    "Scene", "name interval_s loaded budget options seconds prefix beside by",
    defaults=((), 8, (), None, "thread"))


@contextlib.contextmanager
def stopped_at_times(process):
    """Stops pmctop until records are lost, again and again, beside a load of many switches."""
    end = threading.Event()

    def stop():
        while not end.wait(3):
            for sent in signal.SIGSTOP, signal.SIGCONT:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, sent)
                end.wait(1.5)
    thread = threading.Thread(target=stop)
    thread.start()
    try:
        with loads.running({"many": loads.program("pingpong", loads.FOREVER)}):
            yield
    finally:
        end.set()
        thread.join()


@contextlib.contextmanager
def rivals(_process):
    """Other profilers that come and go."""
    end = threading.Event()

    def profile():
        for command in itertools.cycle(("stat -e context-switches,cpu-clock",
                                        "record -o /dev/null -e sched:sched_switch",
                                        "record -o /dev/null -e cpu-clock")):
            if end.wait(0.7):
                return
            subprocess.run([*TRACED, "perf", *command.split(), "-a", "--", "sleep", "1.3"],
                           check=False, stdin=subprocess.DEVNULL, capture_output=True)
    thread = threading.Thread(target=profile)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


@contextlib.contextmanager
def many_switches(_process):
    """So many that pmctop counts in windows, to keep its budget."""
    with loads.running({"many": loads.program("pingpong", loads.FOREVER)}):
        yield


@contextlib.contextmanager
def cgroup_moves(_process):
    """A loop that moves between two cgroups; yields [(tid, its owners)]."""
    root = next(line.split()[1] for line in loads.read("/proc/mounts").splitlines()
                if line.split()[2] == "cgroup2")
    names = [f"/pmctop-witness-{os.getpid()}-{letter}" for letter in "ab"]
    end, owners = threading.Event(), []
    for name in names:
        os.mkdir(root + name)

    def move(pid):
        for name in itertools.cycle(names):
            before = time.monotonic_ns()
            with open(f"{root}{name}/cgroup.procs", "w", encoding="ascii") as file:
                file.write(str(pid))
            owners.append((before, time.monotonic_ns(), name))
            if end.wait(1.3):
                return
    try:
        with loads.running({"moved": loads.program("spin")}) as pids:
            thread = threading.Thread(target=move, args=(pids["moved"],))
            thread.start()
            yield [(pids["moved"], owners)]
            end.set()
            thread.join()
    finally:
        for name in names:
            os.rmdir(root + name)


SPECIAL = {
    "losses": Scene("losses", 0.5, False, 0, ("-i",), 20, (), stopped_at_times),
    "rivals": Scene("rivals", 0.5, False, 0, ("-i",), 20, (), rivals),
    "time-namespace": Scene("time-namespace", 0.5, False, 0, ("-i",), 10, TIME_NAMESPACE),
    "no-tracepoint": Scene("no-tracepoint", 0.5, False, 0, ("-i",), 10,
                           ("sh", "-c", "umount /sys/kernel/tracing; exec \"$@\"", "sh")),
    "windows": Scene("windows", 1, False, 3, ("-i",), 20, (), many_switches),
    "cgroups": Scene("cgroups", 0.5, False, 0, (), 15, (), cgroup_moves, "cgroup"),
    "names": Scene("names", 0.5, False, 0, (), 15, by="command"),
}


WAKEUPS = ("-m", "wakeup_p50,wakeup_p99,wakeup_max")
SHORT = [
    Scene("quiet 0.1 s", 0.1, False, 0, ("-i",), 5),
    Scene("loaded 0.2 s", 0.2, True, 0, ("-i",), 8),
    Scene("quiet 0.5 s", 0.5, False, 3, (), 8),
    Scene("loaded 1 s", 1, True, 3, ("-i",), 10),
    Scene("loaded 0.5 s wakeups", 0.5, True, 0, (*WAKEUPS, "-i"), 8),
]


def long_scenes(minutes):
    """All combinations, so many minutes together."""
    every = list(itertools.product((0.1, 0.2, 0.5, 1), (False, True), (0, 3),
                                   ((), ("-i",), (*WAKEUPS, "-i"))))
    seconds = min(60, max(5, 60 * minutes / len(every)))
    for number in range(round(60 * minutes / seconds)):
        interval_s, loaded, budget, options = every[number % len(every)]
        name = (f"{'loaded' if loaded else 'quiet'} {interval_s} s budget {budget}"
                f"{' -i' if '-i' in options else ''}{' wakeups' if len(options) > 1 else ''}")
        yield Scene(name, interval_s, loaded, budget, options, seconds)
