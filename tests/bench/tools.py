# SPDX-License-Identifier: MIT
"""Who is compared, and how each is started: with the same six events, a refresh a second.

Tools with a screen run on a pseudo terminal that somebody reads. One that is not installed is
"missing", one that ends by itself "refused": both are told, none is left out.
"""
import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time

from machine import PMCTOP, bench, undisturbed
from ptys import OnPty

HARDWARE = "cycles,instructions,cache-references,cache-misses,branches,branch-misses"
SOFTWARE = "page-faults,cpu-migrations,minor-faults,major-faults,alignment-faults,emulation-faults"


class Absent(Exception):
    """Why a tool is not there."""


def countable():
    """The six events: hardware's where there are counters for them."""
    tried = subprocess.run([PMCTOP, "-b", "-n", "1", "-d", "0.1", "--format", "csv", "-S", "none",
                            "-e", HARDWARE], capture_output=True, text=True, check=False)
    told = tried.stdout + tried.stderr
    return SOFTWARE if tried.returncode or "unsupported" in told else HARDWARE


EVENTS = countable()
SAMPLED = "{context-switches," + EVENTS.rsplit(",", 1)[0] + "}:S"


def has_budget():
    told = subprocess.run([PMCTOP, "--help"], capture_output=True, text=True, check=False)
    return "--budget" in told.stdout


class Tool:
    def __init__(self, name, command, screen=False, says=None, warm_s=1.2):
        self.name, self.command, self.screen = name, command, screen
        self.says = says  # a line that tells that it has begun
        self.warm_s = warm_s


SIX = ["--config", "/dev/null", "-S", "none", "-m", "cpu_percent", "-e", EVENTS, "-s",
       "cpu_percent"]
# Where it has a budget, what it costs without one is compared; and beside, as it is started.
UNBOUNDED = ["--budget", "0"] if has_budget() else []
FLOOR = Tool("floor", [bench("floor"), EVENTS], says="ready", warm_s=0.2)
PMCTOP_TOOL = Tool("pmctop", [PMCTOP, *SIX, *UNBOUNDED, "1"], screen=True)
BUDGETED = Tool("pmctop, default budget", [PMCTOP, *SIX, "1"], screen=True)
PER_THREAD = Tool("per-thread counters", [bench("per_thread"), EVENTS], says="ready")
TIPTOP = Tool("tiptop", ["tiptop", "-d", "1"], screen=True)
PERF_STAT = Tool("perf stat -a -I", ["perf", "stat", "-a", "-I", "1000", "-o", "/dev/null",
                                     "-e", EVENTS])
PERF_RECORD = Tool("perf record -a :S", ["perf", "record", "-q", "-a", "-m", "1024", "-c", "1",
                                         "-o", "/dev/null", "-e", SAMPLED])
TOP = Tool("top", ["top", "-d", "1"], screen=True)
HTOP = Tool("htop", ["htop", "-d", "10"], screen=True)
BTOP = Tool("btop", ["btop", "--utf-force"], screen=True)
ATOP = Tool("atop", ["atop", "1"], screen=True)

COUNTING = [FLOOR, PMCTOP_TOOL, *([BUDGETED] if UNBOUNDED else []), PER_THREAD, TIPTOP, PERF_STAT,
            PERF_RECORD]
SHOWING = [PMCTOP_TOOL, TOP, HTOP, BTOP, ATOP]


@contextlib.contextmanager
def home():
    """One where btop refreshes once a second, and nobody has an opinion of his own."""
    with tempfile.TemporaryDirectory() as directory:
        os.makedirs(os.path.join(directory, ".config", "btop"))
        with open(os.path.join(directory, ".config", "btop", "btop.conf"), "w",
                  encoding="ascii") as config:
            config.write("update_ms = 1000\n")
        yield directory


def find(tool):
    if not shutil.which(tool.command[0]):
        raise Absent("missing: not installed (make bench-deps)")


class Screen(OnPty):
    """Somebody reads all the time what it sends."""

    def __init__(self, command, width, height):
        self.home = home()
        # Without accounting of the kernel, which atop would turn on.
        super().__init__(command, width, height, HOME=self.home.__enter__(), ATOPACCT="")
        self.ends = False
        self.reader = threading.Thread(target=self.keep_reading)

    def keep_reading(self):
        while not self.ends:
            self.read(0.1)

    def close(self):
        self.ends = True
        if self.reader.is_alive():
            self.reader.join()
        super().close()
        self.home.__exit__(None, None, None)


def last_line(text):
    """Without what moves the cursor."""
    text = re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])", "", text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it ends by itself"


@contextlib.contextmanager
def running(tool, size=(80, 24)):
    """Its process, when it is at work; what it said first is its first_line."""
    if tool is None:
        yield None
        return
    find(tool)
    if tool.screen:
        screen = Screen(tool.command, *size)
        screen.reader.start()
        try:
            time.sleep(tool.warm_s)
            if screen.process.poll() is not None:
                said = screen.process.stderr.read() or screen.output
                raise Absent("refused: " + last_line(said.decode("utf-8", "replace")))
            yield screen.process
        finally:
            screen.close()
        return
    process = subprocess.Popen(tool.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    try:
        if tool.says:
            process.first_line = process.stdout.readline()
        time.sleep(tool.warm_s)
        if process.poll() is not None:
            raise Absent("refused: " + last_line(process.stderr.read()))
        yield process
    finally:
        process.terminate()
        process.communicate()


def in_turns(tools, rounds, measure, size=(80, 24)):
    """What measure(pid, name) says beside each of them, A B C, C B A, ...: lists by name, a value a
    round (bare: beside nobody); and why some are not there."""
    told, absent = {"bare": []}, {}
    for i in range(rounds):
        order = [None, *tools]
        for tool in reversed(order) if i % 2 else order:
            name = tool.name if tool else "bare"
            if name in absent:
                continue
            try:
                with running(tool, size) as process:
                    pid = process.pid if process else None
                    told.setdefault(name, []).append(undisturbed(lambda: measure(pid, name))[0])
            except Absent as why:
                absent[name] = str(why)
    return {name: values for name, values in told.items() if name not in absent}, absent


def ratios(values, others):
    """Round by round."""
    return [a / b for a, b in zip(values, others)]
