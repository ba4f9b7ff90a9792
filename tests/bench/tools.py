# SPDX-License-Identifier: MIT
"""The tools that are compared, and how each is started: with the same six events and a refresh a
second.

Tools with a screen run on a pseudo terminal, whose output is read. A tool that is not installed is
"missing", a tool that ends by itself "refused". The report has both.

BEFORE: another pmctop, which is measured beside the present one: BEFORE=../old/build/pmctop.
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
    """The reason why a tool cannot be measured."""


def countable():
    """The six events: hardware events if this machine can count them."""
    tried = subprocess.run([PMCTOP, "-b", "-n", "1", "-d", "0.1", "--format", "csv", "-S", "none",
                            "-e", HARDWARE], capture_output=True, text=True, check=False)
    output = tried.stdout + tried.stderr
    return SOFTWARE if tried.returncode or "unsupported" in output else HARDWARE


EVENTS = countable()
SAMPLED = "{context-switches," + EVENTS.rsplit(",", 1)[0] + "}:S"


def has_budget():
    done = subprocess.run([PMCTOP, "--help"], capture_output=True, text=True, check=False)
    return "--budget" in done.stdout


class Tool:
    def __init__(self, name, command, screen=False, prints_ready=False, warm_s=1.2, interval_s=1):
        self.name, self.command, self.screen = name, command, screen
        self.prints_ready = prints_ready  # a line when it has begun
        self.warm_s, self.interval_s = warm_s, interval_s


BEFORE = os.environ.get("BEFORE")
NO_BEFORE = "not measured: BEFORE has no other pmctop to compare with"


def with_before(tool):
    """[the tool, the same with the pmctop of BEFORE], or the tool alone without one."""
    if not BEFORE:
        return [tool]
    return [tool, Tool(f"{tool.name} before", [BEFORE, *tool.command[1:]], tool.screen,
                       warm_s=tool.warm_s)]


SIX = ["--config", "/dev/null", "-S", "none", "-m", "cpu_percent", "-e", EVENTS, "-s",
       "cpu_percent"]
# If pmctop has a budget, it is compared without, and also as it is started by default.
UNBOUNDED = ["--budget", "0"] if has_budget() else []
FLOOR = Tool("floor", [bench("floor"), EVENTS], prints_ready=True, warm_s=0.2)
PMCTOP_TOOL = Tool("pmctop", [PMCTOP, *SIX, *UNBOUNDED, "1"], screen=True)
DEFAULT_TOOL = Tool("pmctop", [PMCTOP, "--config", "/dev/null", "1"], screen=True)
BUDGETED = Tool("pmctop, default budget", [PMCTOP, *SIX, "1"], screen=True)
PER_THREAD = Tool("per-thread counters", [bench("per_thread"), EVENTS], prints_ready=True)
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
OURS, PEERS = with_before(PMCTOP_TOOL), [TOP, HTOP, BTOP, ATOP]
SHOWING = [*OURS, *PEERS]


@contextlib.contextmanager
def home(interval_s=1):
    """A home directory without configuration, except btop's interval, which has no option."""
    with tempfile.TemporaryDirectory() as directory:
        os.makedirs(os.path.join(directory, ".config", "btop"))
        with open(os.path.join(directory, ".config", "btop", "btop.conf"), "w",
                  encoding="ascii") as config:
            config.write(f"update_ms = {1000 * interval_s}\n")
        yield directory


def check_tool(tool):
    if not shutil.which(tool.command[0]):
        raise Absent("missing: not installed (make bench-deps)")


class Screen(OnPty):
    """A tool on a pseudo terminal. A thread reads its output."""

    def __init__(self, command, width, height):
        self.home = home()
        # Without process accounting, which atop would switch on.
        super().__init__(command, width, height, HOME=self.home.__enter__(), ATOPACCT="")
        self.ends = False
        self.reader = threading.Thread(target=self.read_until_end)

    def read_until_end(self):
        while not self.ends:
            self.read(0.1)

    def close(self):
        self.ends = True
        if self.reader.is_alive():
            self.reader.join()
        super().close()
        self.home.__exit__(None, None, None)


def last_line(text):
    """The last line of a text, without escape sequences."""
    text = re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])", "", text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it ends by itself"


@contextlib.contextmanager
def running(tool, size=(80, 24)):
    """The tool's process when it has begun. Its attribute first_line is its first output."""
    if tool is None:
        yield None
        return
    check_tool(tool)
    if tool.screen:
        screen = Screen(tool.command, *size)
        screen.reader.start()
        try:
            time.sleep(tool.warm_s)
            if screen.process.poll() is not None:
                output = screen.process.stderr.read() or screen.output
                raise Absent("refused: " + last_line(output.decode("utf-8", "replace")))
            yield screen.process
        finally:
            screen.close()
        return
    process = subprocess.Popen(tool.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    try:
        if tool.prints_ready:
            process.first_line = process.stdout.readline()
        time.sleep(tool.warm_s)
        if process.poll() is not None:
            raise Absent("refused: " + last_line(process.stderr.read()))
        yield process
    finally:
        process.terminate()
        process.communicate()


def in_turns(tools, rounds, measure, size=(80, 24)):
    """Runs measure(pid, name) beside each tool in turns: A B C, C B A, ... Returns {name: [value of
    each round]}, with "bare" for no tool, and {name: reason} of the tools that cannot be
    measured."""
    measured, absent = {"bare": []}, {}
    for i in range(rounds):
        order = [None, *tools]
        for tool in reversed(order) if i % 2 else order:
            name = tool.name if tool else "bare"
            if name in absent:
                continue
            try:
                with running(tool, size) as process:
                    pid = process.pid if process else None
                    measured.setdefault(name, []).append(undisturbed(lambda: measure(pid, name))[0])
            except Absent as why:
                absent[name] = str(why)
    return {name: values for name, values in measured.items() if name not in absent}, absent


def ratios(values, others):
    """The ratios, round by round."""
    return [a / b for a, b in zip(values, others)]


def add_to_before(report, part, what, measured, **more):
    """Adds the ratio of pmctop to pmctop before. `measured`: {name: [value of each round]}"""
    before = measured.get("pmctop before")
    note = "" if before else f"refused: {BEFORE}" if BEFORE else NO_BEFORE
    report.add(part, f"{what}: pmctop / before",
               ratios(measured["pmctop"], before) if before else None, "x",
               **{"note": note, **more})
