#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What pmctop itself costs, beside top, htop and btop: how soon it shows who runs, and the CPU time
and the memory that it takes.

    upkeep.py [SECONDS=6]

All of them refresh once a second at 200x50, one after the other on the same machine: while little
happens, and while two tasks wake each other as often as they can. BUILD is the build directory.
"""
import os
import re
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
PMCTOP = os.path.join(BUILD, "pmctop")
SIZE = 200, 50
STARTS, WARM_S = 10, 2
# What is pressed when it runs, too.
TOOLS = {
    "pmctop": ([PMCTOP, "1"], b""),
    "pmctop, all tasks, command lines": ([PMCTOP, "-i", "-c", "1"], b""),
    "pmctop, detail of a task": ([PMCTOP, "1"], b"\r"),
    "top": (["top", "-d", "1"], b""),
    "htop": (["htop", "-d", "10"], b""),
    "btop": (["btop", "--utf-force"], b""),
}


def home_of(directory):
    """One where btop refreshes once a second."""
    os.makedirs(os.path.join(directory, ".config", "btop"))
    with open(os.path.join(directory, ".config", "btop", "btop.conf"), "w",
              encoding="ascii") as config:
        config.write('update_ms = 1000\n')
    return directory


def start_ms(command, home):
    """Until a task that is always there to be seen is."""
    began = time.monotonic()
    tty = OnPty(command, *SIZE, HOME=home)
    seen = tty.read_until(lambda: b"spin" in tty.output, 10)
    took = 1000 * (time.monotonic() - began)
    tty.close()
    return took if seen else None


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        return int(re.search(r"^VmRSS:\s+(\d+)", status.read(), re.M).group(1)) / 1024


def switches():
    with open("/proc/stat", encoding="ascii") as stat:
        return int(re.search(r"^ctxt (\d+)", stat.read(), re.M).group(1))


def cost(command, keys, home, seconds):
    """Percent of a CPU, MiB, and switches of the machine in a second."""
    tty = OnPty(command, *SIZE, HOME=home)
    tty.read_for(WARM_S)
    tty.write(keys)
    tty.read_for(1)
    pid = tty.process.pid
    began, cpu, switched = time.monotonic(), cpu_s(pid), switches()
    tty.read_for(seconds)
    took = time.monotonic() - began
    told = (100 * (cpu_s(pid) - cpu) / took, memory_mib(pid), (switches() - switched) / took)
    tty.close()
    return told


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    there = {name: tool for name, tool in TOOLS.items() if shutil.which(tool[0][0])}
    spin = subprocess.Popen([os.path.join(BUILD, "load", "spin")])
    costs = {name: [] for name in there}
    with tempfile.TemporaryDirectory() as directory:
        home = home_of(directory)
        starts = {name: [start_ms(command, home) for _ in range(STARTS)]
                  for name, (command, keys) in there.items() if not keys}
        for load in [], [os.path.join(BUILD, "load", "pingpong"), "-c", "0", "1000000000"]:
            process = subprocess.Popen(load) if load else None
            for name, (command, keys) in there.items():
                costs[name].append(cost(command, keys, home, seconds))
            if process:
                process.kill()
                process.wait()
    spin.kill()
    spin.wait()
    rate = [statistics.median(told[i][2] for told in costs.values()) for i in range(2)]
    print(f"own costs, {seconds} s:{'':22}"
          f" {rate[0]:8.0f} switches/s {rate[1]:8.0f} switches/s   first rows")
    for name, told in costs.items():
        begun = [ms for ms in starts.get(name, []) if ms is not None]
        print(f"  {name:34} " + " ".join(f"{cpu:6.1f}% {memory:6.1f} MiB" for cpu, memory, _ in told)
              + (f" {statistics.median(begun):9.0f} ms" if begun else ""))
    for name in sorted({tool[0][0] for tool in TOOLS.values()} -
                       {tool[0][0] for tool in there.values()}):
        print(f"  {name} is not installed here (make bench-deps)")


main()
