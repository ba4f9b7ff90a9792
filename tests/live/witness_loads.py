# SPDX-License-Identifier: MIT
"""Loads of different kinds for the witness: programs of tests/load, and small ones of this file.

    witness_loads.py NAME [ARG...]     runs one of SMALL until it is killed
"""
import contextlib
import itertools
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from programs import BUILD, LOAD  # noqa: E402

FOREVER = "1000000000"
PERIODS_MS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 333)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def burn(seconds):
    """Uses so much CPU time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def forked(work):
    """A child that does it."""
    if pid := os.fork():
        return pid
    with contextlib.suppress(KeyboardInterrupt):
        work()
    os._exit(0)


def nappers():
    """One process for each period, which sleeps that long and runs for a tenth of it."""
    def nap(period_s):
        while True:
            time.sleep(period_s)
            burn(min(period_s / 10, 0.003))
    for period_ms in PERIODS_MS[:-1]:
        forked(lambda period_s=period_ms / 1e3: nap(period_s))
    nap(PERIODS_MS[-1] / 1e3)


def enders():
    """Children that run and sleep in turns, and end in the middle of an interval."""
    for tenths in itertools.cycle((3, 11, 7, 19)):
        def live(tenths=tenths):
            for _ in range(tenths):
                burn(0.03)
                time.sleep(0.07)
        os.waitpid(forked(live), 0)


def renamer():
    """Changes its name every 0.3 s."""
    for number in itertools.count():
        with open("/proc/self/comm", "w", encoding="ascii") as file:
            file.write(f"renamed-{number % 7}")
        for _ in range(6):
            burn(0.01)
            time.sleep(0.04)


def pool():
    """Eight threads that take jobs from a queue: futexes, and one lock for all."""
    jobs = queue.Queue()

    def work():
        while True:
            jobs.get()
            burn(0.0005)
    for _ in range(8):
        threading.Thread(target=work, daemon=True).start()
    while True:
        for _ in range(10):
            jobs.put(None)
        time.sleep(0.02)


def short():
    """Programs that live for a millisecond, 20 a second."""
    while True:
        os.waitpid(forked(lambda: os.execv("/bin/true", ["true"])), 0)
        time.sleep(0.05)


SMALL = {work.__name__: work for work in (nappers, enders, renamer, pool, short)}


def small(name):
    return [sys.executable, os.path.abspath(__file__), name]


def program(name, *arguments):
    """The command of a program of tests/load."""
    return [os.path.join(LOAD, name), *arguments]


def commands(loaded, place):
    """{name: command} of the loads. The loads of a quiet machine leave most of it idle."""
    found = {
        "sleeper": ["sleep", "1000000"],
        "vfork-long": program("vforker", FOREVER),
        "vfork-short": program("vforker", "100"),
        "nappers": small("nappers"),
        "pingpong": program("pingpong", "-r", "300", FOREVER),
        "short": small("short"),
        "enders": small("enders"),
        "renamer": small("renamer"),
        "pool": small("pool"),
        "disk": program("syncer", os.path.join(place, "file")),
    }
    if loaded:
        hogs = len(os.sched_getaffinity(0)) + 1
        found |= {f"hog-{number}": program("spin") for number in range(hogs)}
        found |= {
            "forks": program("swarm", "-r", "200", FOREVER),
            "mutex": program("mutex", "-t", "6", "-w", "300"),
            "server": program("server", "-r", "1000"),
        }
    else:
        found["loop"] = program("spin", "-c", "0")
    return found


@contextlib.contextmanager
def running(listed, prefix=()):
    """Starts commands, each the leader of a session; yields {name: pid}."""
    started = {}
    try:
        for name, command in listed.items():
            started[name] = subprocess.Popen(
                [*prefix, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True)
        yield {name: process.pid for name, process in started.items()}
    finally:
        for process in started.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def threads_of(sessions):
    """The tids of the tasks in these sessions."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.getsid(int(pid)) in sessions:
                found.update(map(int, os.listdir(f"/proc/{pid}/task")))
    return found


@contextlib.contextmanager
def all_running(loaded, prefix=()):
    """The loads of a quiet or busy machine."""
    with tempfile.TemporaryDirectory(prefix="witness-", dir=BUILD) as place, \
            running(commands(loaded, place), prefix) as pids:
        yield pids


if __name__ == "__main__":
    SMALL[sys.argv[1]](*sys.argv[2:])
