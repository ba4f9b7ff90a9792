#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bytes that pmctop, top, btop and htop send to a terminal, all in the same run.

    bytes.py [SECONDS=16]

A refresh a second, at 80x24 and 200x50; the median of the seconds. BUILD is the build directory.
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
SIZES = (80, 24), (200, 50)
TOOLS = {
    "pmctop": [os.path.join(BUILD, "pmctop"), "1"],
    "top": ["top", "-d", "1"],
    "btop": ["btop", "--utf-force"],
    "htop": ["htop", "-d", "10"],
}
WARM_S = 4


def home_of(directory):
    """One where btop refreshes once a second."""
    os.makedirs(os.path.join(directory, ".config", "btop"))
    with open(os.path.join(directory, ".config", "btop", "btop.conf"), "w",
              encoding="ascii") as config:
        config.write('update_ms = 1000\n')
    return directory


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    loads = [subprocess.Popen([os.path.join(BUILD, "load", "spin")]),
             subprocess.Popen([os.path.join(BUILD, "load", "crowd"), "-s", "50", "-b", "2"],
                              stdout=subprocess.DEVNULL)]
    with tempfile.TemporaryDirectory() as directory:
        home = home_of(directory)
        ttys = {(name, size): OnPty(command, *size, HOME=home)
                for name, command in TOOLS.items() if shutil.which(command[0]) for size in SIZES}
        sent = {key: [] for key in ttys}
        began, window = time.monotonic(), 0
        while window < WARM_S + seconds:
            until = began + window + 1
            got = dict.fromkeys(ttys, 0)
            while time.monotonic() < until:
                for key, tty in ttys.items():
                    got[key] += len(tty.read(0))
                time.sleep(0.01)
            if window >= WARM_S:
                for key in ttys:
                    sent[key].append(got[key])
            window += 1
        alive = {key: tty.process.poll() is None for key, tty in ttys.items()}
        for tty in ttys.values():
            tty.close()
    for load in loads:
        load.kill()
        load.wait()
    for name, command in TOOLS.items():
        if not shutil.which(command[0]):
            print(f"bytes per refresh: {name} is not installed here (make bench-deps)")
    for size in SIZES:
        print(f"bytes per refresh at {size[0]}x{size[1]}, median of {seconds}:", ", ".join(
            f"{name} {statistics.median(sent[name, size]):.0f}" if alive[name, size]
            else f"{name} ended" for name in TOOLS if (name, size) in sent))


main()
