#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, it keeps the machine busy.
"""pmctop for a while on a very busy machine: a fork storm, and tasks that do nothing but switch.

One pmctop is on a terminal with random keys, one serves and records into several files, one prints
JSON. Memory, descriptors and mappings must not grow: they are compared after a while and at the
end. Each frame must conserve, and lost records must be reported.

    machine_test.py [MINUTES]      without MINUTES: some seconds

Prints TAP. BUILD is the build directory. Needs the right to count system-wide.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import broken_sums, check, finish, skip  # noqa: E402
from programs import BUILD, PMCTOP  # noqa: E402
from ptys import OnPty  # noqa: E402
from served import OPENMETRICS, Served  # noqa: E402

SHORT_S = 6
LOST = "Records were lost"
# The history grows in its first eleven minutes (core/snapshot/history.h).
HISTORY_BYTES_S = 24 << 10
SLACK_BYTES = 8 << 20  # the storm's size varies

# Keys that do not quit, open a prompt for a file, or send a signal.
KEYS = ["<", ">", "R", "H", "t", "g", "i", "c", "?", "/", "\\", "n", "F", "m", "B", "z", "L", " ",
        "Z", "\t", "u", "T", "\x1b", "\r", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~",
        "\x1b[6~", "1", "2", "x", "e"]


class Level:
    """A process's memory, descriptors, mappings and threads at a moment."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            fields = dict(line.split(":", 1) for line in status)
        self.rss = int(fields["VmRSS"].split()[0]) << 10
        self.threads = int(fields["Threads"])
        self.fds = len(os.listdir(f"/proc/{pid}/fd"))
        with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as maps:
            self.maps = sum(1 for _ in maps)

    def __str__(self):
        return (f"RSS {self.rss / 1048576:.1f} MiB, {self.fds} descriptors, {self.maps} mappings, "
                f"{self.threads} threads")


class Load:
    """On each CPU a pair that switches, and many children that live less than a millisecond."""

    def __init__(self):
        load = os.path.join(BUILD, "load")
        self.commands = [[os.path.join(load, "pingpong"), "-c", str(cpu), "1000000000"]
                         for cpu in os.sched_getaffinity(0)]
        self.commands.append(["nice", "-n", "5", os.path.join(load, "swarm"), "1000000000", "0"])

    def __enter__(self):
        # The loads end with this script.
        self.running = [subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
                        for command in self.commands]
        return self

    def __exit__(self, *_):
        for process in self.running:
            process.kill()
            process.wait()


class Keyboard:
    """A pmctop on a terminal, with random keys."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.keys = 0
        self.terminal = OnPty([PMCTOP, "--readonly", "0.5"], 120, 40)
        self.process = self.terminal.process
        self.name = "on a terminal"

    def step(self):
        self.terminal.read_for(0.2)
        self.terminal.output = self.terminal.output[-4096:]
        for key in self.chance.choices(KEYS, k=2):
            self.terminal.write(key.encode())
            self.keys += 1
        if self.chance.random() < 0.02:
            self.terminal.resize(*self.chance.choice([(80, 24), (200, 50), (40, 12), (120, 40)]))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.terminal.wait()


class Server:
    """A pmctop that serves and records, and its scraper."""

    def __init__(self, directory):
        path = os.path.join(directory, "soak.data")
        self.served = Served(PMCTOP, "-b", "--record", path, "--switch-output", "16M",
                             "--switch-max-files", "2", "1", stdout=subprocess.DEVNULL)
        self.directory = directory
        self.process = self.served.process
        self.name = "that serves and records"
        self.scrapes = 0

    def step(self):
        status, _, text = self.served.get(accept=OPENMETRICS)
        self.scrapes += status == 200 and text.endswith("# EOF\n")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=90)


class Reader:
    """A pmctop that prints JSON. The sums of each frame are checked."""

    def __init__(self):
        self.process = subprocess.Popen([PMCTOP, "--format", "json", "-H", "-d", "1"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.name = "that prints JSON"
        self.frames = self.rows = self.lost = 0
        self.switches, self.seconds = 0, 0.0
        self.broken, self.unreported = [], []
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        for line in self.process.stdout:
            frame = json.loads(line)
            self.frames += 1
            self.rows += len(frame["tasks"])
            self.lost += frame["lost_records"]
            self.broken += broken_sums(frame)
            if frame["lost_records"] and not any(LOST in note for note in frame["notes"]):
                self.unreported.append(frame["time"])
            self.switches += frame["totals"]["events"].get("context-switches") or 0
            self.seconds += frame["interval_s"]

    def step(self):
        pass

    def end(self):
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(timeout=90)
        self.thread.join(timeout=90)
        return status


def watch(parties, seconds, progress):
    """{party: [(seconds, Level)]}, sampled until the time is over. Prints progress each minute."""
    levels = {party: [] for party in parties}
    began = time.monotonic()
    next_print = 0
    while (passed := time.monotonic() - began) < seconds:
        for party in parties:
            if party.process.poll() is not None:
                return levels
            party.step()
            levels[party].append((passed, Level(party.process.pid)))
        if progress and passed >= next_print:
            next_print += 60
            for party in parties:
                print(f"# {passed:4.0f} s, one {party.name}: {levels[party][-1][1]}", flush=True)
    return levels


def is_flat(levels, history):
    """Whether the maximum of the last fifth of the time is not above the maximum of the second fifth."""
    end = levels[-1][0]
    parts = [[level for passed, level in levels if k * end <= 5 * passed <= (k + 1) * end]
             for k in range(5)]
    before, after = parts[1], parts[4]
    grown = max(level.rss for level in after) - max(level.rss for level in before)
    allowed = SLACK_BYTES + (HISTORY_BYTES_S * 3 * end / 5 if history else 0)
    # A scrape or a picker may have a file open at that moment.
    same = (min(level.fds for level in after) <= min(level.fds for level in before)
            and min(level.maps for level in after) <= min(level.maps for level in before) + 8)
    return grown <= allowed and same, f"{grown / 1024:+.0f} KiB; {before[-1]}; then {after[-1]}"


def soak(seconds, progress):
    with tempfile.TemporaryDirectory() as directory, Load():
        keyboard, server, reader = Keyboard(7), Server(directory), Reader()
        parties = [keyboard, server, reader]
        levels = watch(parties, seconds, progress)
        for party in parties:
            alive = party.process.poll() is None
            status = party.end() if alive else party.process.poll()
            check(f"the one {party.name} runs to the end, and ends well",
                  alive and status in (0, 143, 130), status)
            flat, how = is_flat(levels[party], party is keyboard) if alive else (False, "")
            # In some seconds it is still starting.
            check(f"it does not grow{f': {how}' if progress else ''}", flat or not progress, how)
        files = os.listdir(directory)
        check("two of its recordings are kept", len(files) <= 3, files)
        check("it was scraped", server.scrapes > 0)
    check("each frame conserves", reader.frames > 1 and not reader.broken, reader.broken[:5])
    check("lost records are reported", not reader.unreported, reader.unreported[:5])
    if progress:
        print(f"# {reader.frames} frames of {reader.rows} rows, {reader.lost} records lost, "
              f"{reader.switches / max(reader.seconds, 1):.0f} switches a second; "
              f"{keyboard.keys} keys, {server.scrapes} scrapes")


def main():
    probe = subprocess.run([PMCTOP, "--format", "json", "-n", "1", "-d", "0.1"],
                           capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    if '"mode":"system"' not in probe.stdout:
        skip("a very busy machine", "whole CPUs cannot be counted")
    elif len(sys.argv) > 1:
        soak(float(sys.argv[1]) * 60, True)
    else:
        soak(SHORT_S, False)
    finish()


main()
