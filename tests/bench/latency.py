#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From a key to the last byte that it sends to the terminal, while 20,000 processes are shown.

    latency.py [PROCESSES=20000]

pmctop, htop and top one after the other in the same run, at 200x50: the median of some presses.
BUILD is the build directory.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from ptys import OnPty  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PRESSES = 8
QUIET_S = 0.15  # after which no more is to be expected
SETTLE_S = 15  # until each knows all of them, and has its next refresh behind it
DOWN, UP = b"\x1b[B", b"\x1b[A"
PAGE_DOWN, PAGE_UP = b"\x1b[6~", b"\x1b[5~"
ESCAPE, BACKSPACE = b"\x1b", b"\x7f"
EVERYWHERE = {"Down": (b"", DOWN, UP), "PgDn": (b"", PAGE_DOWN, PAGE_UP),
              "threads": (b"", b"H", b"H")}

# Each with all processes in its list and seconds between its own refreshes; what is pressed first,
# and the key there and back.
TOOLS = {
    "pmctop": ([os.path.join(BUILD, "pmctop"), "-i", "10"],
               {**EVERYWHERE, "sort": (b"", b">", b"<"), "tree": (b"", b"t", b"t"),
                "filter letter": (b"\\", b"s", BACKSPACE),
                "event picker letter": (b"e", b"c", BACKSPACE),
                "process picker letter": (b"a", b"s", BACKSPACE)}),
    "htop": (["htop", "-d", "100"],
             {**EVERYWHERE, "sort": (b"", b"M", b"P"), "tree": (b"", b"t", b"t"),
              "filter letter": (b"\\", b"s", BACKSPACE)}),
    "top": (["top", "-d", "10"],
            {**EVERYWHERE, "sort": (b"", b"M", b"P")}),
}


def press(tty, key):
    """Seconds to the last byte; None where none came."""
    while tty.read(QUIET_S):
        pass
    began, last = time.monotonic(), None
    os.write(tty.master, key)
    while tty.read(QUIET_S if last else 3):
        last = time.monotonic()
    return last - began if last else None


def measure(name, home):
    """By key: the median in ms; None where nothing was to be seen of it."""
    command, keys = TOOLS[name]
    tty = OnPty(command, 200, 50, HOME=home)
    tty.read_for(SETTLE_S)
    told = {}
    for what, (first, there, back) in keys.items():
        if first:
            tty.write(first)
            tty.read_for(2)
        times = [press(tty, (there, back)[i % 2]) for i in range(PRESSES)]
        times = [t for t in times if t is not None]
        told[what] = 1000 * statistics.median(times) if times else None
        if first:
            tty.write(ESCAPE)
            tty.read_for(1)
    tty.close()
    return told


def rows_listed():
    """How many lines pmctop has in its list, once it knows all processes."""
    batch = subprocess.run([os.path.join(BUILD, "pmctop"), "-b", "-i", "-n", "2", "-d", "5"],
                           capture_output=True, text=True)
    last = batch.stdout.rsplit("COMMAND\n", 1)[-1]
    return sum(line.split()[0].isdigit() for line in last.splitlines() if line.strip())


def main():
    processes = sys.argv[1] if len(sys.argv) > 1 else "20000"
    crowd = subprocess.Popen([os.path.join(BUILD, "load", "crowd"), "-p", processes, "-b", "0"],
                             stdout=subprocess.PIPE, text=True)
    if crowd.stdout.readline() != "ready\n":
        print(f"key to screen: {processes} processes cannot be had here")
        return
    listed = rows_listed()
    told = {}
    with tempfile.TemporaryDirectory() as home:
        for name, (command, _) in TOOLS.items():
            if shutil.which(command[0]):
                told[name] = measure(name, home)
    crowd.kill()
    crowd.wait()
    print(f"ms from key to screen, {listed} rows:      " +
          "".join(f"{name if name in told else name + ' -':>10}" for name in TOOLS))
    for what in TOOLS["pmctop"][1]:
        print(f"  {what:38}" + "".join(
            f"{told[name][what]:10.1f}" if told.get(name, {}).get(what) is not None else
            f"{'-':>10}" for name in TOOLS))
    if len(told) < len(TOOLS):
        print("  what is not installed is left out (make bench-deps)")


main()
