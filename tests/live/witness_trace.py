# SPDX-License-Identifier: MIT
"""The recorder of the witness: an ftrace instance of its own, on CLOCK_MONOTONIC.

It has the switches, wake-ups, forks, exits and renames of all CPUs, and the two moments between
which pmctop cuts an interval: uprobes on two of its functions. /proc is read 20 times a second, for
the states of tasks. Nothing here is pmctop's code. Needs root.
"""
import collections
import contextlib
import glob
import os
import re
import struct
import subprocess
import tempfile
import threading
import time

SWITCH, WAKING, WAKEUP, WAKEUP_NEW, NEW_TASK, EXIT, RENAME, CUT, COUNTED, SAMPLE = range(10)
# The fields of an event that a tuple of Recording.events() has behind (time_ns, kind, CPU).
EVENTS = {
    "sched/sched_switch": (SWITCH, ("prev_pid", "prev_state", "next_pid")),
    "sched/sched_waking": (WAKING, ("pid",)),
    "sched/sched_wakeup": (WAKEUP, ("pid",)),
    "sched/sched_wakeup_new": (WAKEUP_NEW, ("pid",)),
    "task/task_newtask": (NEW_TASK, ("common_pid", "pid", "comm", "clone_flags")),
    "sched/sched_process_exit": (EXIT, ("pid",)),
    "task/task_rename": (RENAME, ("pid", "newcomm")),
}
# A cut begins in the first function and is over, before any file is read, in one of the others.
PROBES = {"engine_snapshot": CUT, "interval_sum_cpus": COUNTED, "interval_sum_parts": COUNTED}
FORMATS = {(1, False): "B", (2, False): "H", (4, False): "I", (8, False): "Q",
           (2, True): "h", (4, True): "i", (8, True): "q"}
BUFFER_KB, PAGE_KB = 65536, 64
SAMPLE_S, SCAN_S = 0.05, 1.0
PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31
MISSED = 1 << 31

Sample = collections.namedtuple("Sample", "state parent ran_ns delay_ns after_ns")


class Refused(Exception):
    """This machine or user has no such recorder; the text is the reason."""


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def append(path, text):
    """Mode "a" of open() seeks, which uprobe_events refuses; "w" removes the probes of others."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(file, text.encode("ascii"))
    finally:
        os.close(file)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _unpacker(text, fields):
    """A function (bytes, offset) -> values, from the event's format file."""
    places = {}
    for name, _, offset, size, signed in re.findall(
            r"field:[^;]*?(\w+)(\[\d+\])?;\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);", text):
        places[name] = int(offset), int(size), signed == "1"
    parts = sorted((places[name], name) for name in fields)
    form, at = "<", 0
    for (offset, size, signed), _ in parts:
        form += f"{offset - at}x" + FORMATS.get((size, signed), f"{size}s")
        at = offset + size
    assert [name for _, name in parts] == list(fields), (parts, fields)
    return struct.Struct(form).unpack_from


def _offset_of(program, name):
    """The place of a function in the program's file."""
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    found = re.search(rf"^([0-9a-f]+) [Tt] {name}$", symbols, re.M)
    if not found:
        raise Refused(f"{program} has no symbol {name}")
    address = int(found[1], 16)
    segments = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True,
                              check=True).stdout
    for offset, begin, size in re.findall(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", segments):
        if 0 <= address - int(begin, 16) < int(size, 16):
            return address - int(begin, 16) + int(offset, 16)
    raise Refused(f"{name} is in no segment")


def read_sample(tid):
    """Its Sample, or None. `after_ns` is a time before the reading."""
    before = time.monotonic_ns()
    try:
        words = read(f"/proc/{tid}/stat").rsplit(")", 1)[1].split()
        ran, delay, _ = read(f"/proc/{tid}/schedstat").split()
    except (OSError, ValueError, IndexError):
        return None
    return Sample(words[0], int(words[1]), int(ran), int(delay), before)


def all_threads():
    """{tid: (pid, name)} of the machine."""
    found = {}
    for path in glob.iglob("/proc/[0-9]*/task/[0-9]*/comm"):
        with contextlib.suppress(OSError):
            found[int(path.split("/")[4])] = int(path.split("/")[2]), read(path)[:-1]
    return found


class Recorder:
    """Records from start() to stop(). `watched` are the tids that are sampled 20 times a second."""

    def __init__(self, program):
        self._program, self._pages, self.watched = program, [], set()
        self.samples, self.threads, self.lost = [], {}, 0
        self._end = threading.Event()
        self._root = tempfile.mkdtemp(prefix="witness-tracefs-")
        self._name = f"witness_{os.getpid()}"
        self._instance = f"{self._root}/instances/{self._name}"
        if subprocess.run(["mount", "-t", "tracefs", "tracefs", self._root], check=False,
                          capture_output=True).returncode:
            os.rmdir(self._root)
            raise Refused("tracefs cannot be mounted")
        try:
            self._set_up()
        except (OSError, Refused) as why:
            self.close()
            raise Refused(f"no ftrace instance with uprobes: {why}") from why
        except BaseException:
            self.close()
            raise

    def _set_up(self):
        for name in PROBES:
            append(f"{self._root}/uprobe_events", f"p:{self._name}/{name} {self._program}:"
                   f"{_offset_of(self._program, name):#x}\n")
        os.mkdir(self._instance)
        with contextlib.suppress(OSError):
            write(f"{self._instance}/buffer_subbuf_size_kb", str(PAGE_KB))
        write(f"{self._instance}/buffer_size_kb", str(BUFFER_KB))
        write(f"{self._instance}/trace_clock", "mono")
        self._unpackers = {}
        for name, (kind, fields) in (EVENTS | {f"{self._name}/{name}": (kind, ("common_pid",))
                                               for name, kind in PROBES.items()}).items():
            directory = f"{self._instance}/events/{name}"
            self._unpackers[int(read(f"{directory}/id"))] = (
                kind, _unpacker(read(f"{directory}/format"), fields))
        self._files = [os.open(path, os.O_RDONLY | os.O_NONBLOCK) for path in
                       sorted(glob.glob(f"{self._instance}/per_cpu/cpu*/trace_pipe_raw"))]
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        for name in (*EVENTS, *(f"{self._name}/{name}" for name in PROBES)):
            write(f"{self._instance}/events/{name}/enable", "1")
        self._scan()
        self._thread.start()

    def stop(self):
        self._end.set()
        self._thread.join()
        write(f"{self._instance}/tracing_on", "0")
        self._scan()
        self._drain()
        for path in glob.glob(f"{self._instance}/per_cpu/cpu*/stats"):
            self.lost += sum(map(int, re.findall(r"(?:overrun|dropped events): (\d+)", read(path))))

    def close(self):
        for file in getattr(self, "_files", []):
            os.close(file)
        with contextlib.suppress(OSError):
            write(f"{self._instance}/events/enable", "0")
            os.rmdir(self._instance)
        for name in PROBES:
            with contextlib.suppress(OSError):
                append(f"{self._root}/uprobe_events", f"-:{self._name}/{name}\n")
        subprocess.run(["umount", self._root], check=False)
        os.rmdir(self._root)

    def _scan(self):
        found = all_threads()
        self.threads = found | self.threads  # the first name: later ones have records
        self._sample(found)

    def _sample(self, tids):
        for tid in tids:
            if sample := read_sample(tid):
                self.samples.append((sample.after_ns, SAMPLE, 0, tid, sample))

    def _drain(self):
        for cpu, file in enumerate(self._files):
            with contextlib.suppress(BlockingIOError):
                while page := os.read(file, PAGE_KB << 10):
                    self._pages.append((cpu, page))

    def _run(self):
        scan_due = time.monotonic() + SCAN_S
        while not self._end.wait(SAMPLE_S):
            self._drain()
            self._sample(list(self.watched))
            if time.monotonic() > scan_due:
                self._scan()
                scan_due = time.monotonic() + SCAN_S

    def events(self):
        """All tuples (time_ns, kind, CPU, values ...) in the order of their times."""
        found = list(self.samples)
        for cpu, page in self._pages:
            self._decode(cpu, page, found)
        found.sort(key=lambda event: event[0])
        self._pages.clear()
        return found

    def _decode(self, cpu, page, found):
        """The events of a sub-buffer, see lib/traceevent/kbuffer-parse.c."""
        now, commit = struct.unpack_from("<QQ", page)
        self.lost += bool(commit & MISSED)
        word, unpackers = struct.Struct("<I").unpack_from, self._unpackers
        at, end = 16, 16 + (commit & 0xfffffff)
        while at < end:
            head, = word(page, at)
            at += 4
            kind, delta = head & 31, head >> 5
            if kind == PADDING:
                if delta == 0:
                    break
                now += delta
                at += word(page, at)[0]
                continue
            if kind in (TIME_EXTEND, TIME_STAMP):
                delta += word(page, at)[0] << 27
                now = delta if kind == TIME_STAMP else now + delta
                at += 4
                continue
            now += delta
            if kind == 0:
                size = (word(page, at)[0] - 4 + 3) & ~3
                at += 4
            else:
                size = kind * 4
            event = unpackers.get(page[at] | page[at + 1] << 8)
            if event:
                found.append((now, event[0], cpu, *event[1](page, at)))
            at += size
