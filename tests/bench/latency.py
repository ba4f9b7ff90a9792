#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From a key to the last byte that it sends to the terminal, while 20,000 threads exist.

    latency.py [THREADS=20000]

pmctop, htop and top one after the other in the same run, at 200x50; the median of 20 presses each.
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
PRESSES = 20
QUIET_S = 0.15  # after which no more is to be expected
DOWN, UP = b"\x1b[B", b"\x1b[A"

# Each with all threads in its list and hours between its own refreshes, as far as that goes; and
# keys there and back.
TOOLS = {
    "pmctop": ([os.path.join(BUILD, "pmctop"), "-H", "-i", "3600"],
               {"down": (DOWN, UP), "sort": (b">", b"<"), "threads": (b"H", b"H")}),
    "htop": (["htop", "-d", "100"],
             {"down": (DOWN, UP), "sort": (b"M", b"P"), "threads": (b"H", b"H")}),
    "top": (["top", "-H", "-d", "3600"],
            {"down": (DOWN, UP), "sort": (b"M", b"P"), "threads": (b"H", b"H")}),
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
    command, keys = TOOLS[name]
    tty = OnPty(command, 200, 50, HOME=home)
    tty.read_for(6)
    told = []
    for what, pair in keys.items():
        times = [press(tty, pair[i % 2]) for i in range(PRESSES)]
        times = [t for t in times if t is not None]
        told.append(f"{what} {1000 * statistics.median(times):.1f} ms" if times
                    else f"{what} shows nothing")
    tty.close()
    return ", ".join(told)


def main():
    threads = sys.argv[1] if len(sys.argv) > 1 else "20000"
    crowd = subprocess.Popen([os.path.join(BUILD, "load", "crowd"), "-s", threads, "-b", "0"],
                             stdout=subprocess.PIPE, text=True)
    if crowd.stdout.readline() != "ready\n":
        print(f"key to screen: {threads} threads cannot be had here")
        return
    with tempfile.TemporaryDirectory() as home:
        for name, (command, _) in TOOLS.items():
            if not shutil.which(command[0]):
                print(f"key to screen: {name} is not installed here (make bench-deps)")
                continue
            print(f"key to screen, {threads} threads: {name}: {measure(name, home)}", flush=True)
    crowd.kill()
    crowd.wait()


main()
