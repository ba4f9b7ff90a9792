# SPDX-License-Identifier: MIT
"""Figures of this machine and its processes."""
import contextlib
import os
import re
import subprocess
import time

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PMCTOP = os.path.join(BUILD, "pmctop")
TICKS_S = os.sysconf("SC_CLK_TCK")
STOLEN_MUCH = 0.05  # share of all CPUs' time in a measurement
TRIES = 3  # of a measurement while much time is stolen


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def load(name):
    return os.path.join(BUILD, "load", name)


def bench(name):
    return os.path.join(BUILD, "bench", name)


def describe(rounds):
    cpuinfo = text_of("/proc/cpuinfo")
    model = re.search(r"^model name\s*: (.*)$", cpuinfo, re.M)
    virtual = "hypervisor" in cpuinfo
    memory = re.search(r"^MemTotal:\s+(\d+)", text_of("/proc/meminfo"), re.M)
    version = subprocess.run([PMCTOP, "--version"], capture_output=True, text=True, check=True)
    return {
        "version": version.stdout.split("\n")[0].split()[-1],
        "CPU": f"{os.cpu_count()} x {model.group(1) if model else os.uname().machine}"
               + (", virtual" if virtual else ""),
        "memory": f"{int(memory.group(1)) / 2**20:.0f} GiB" if memory else "?",
        "kernel": f"{os.uname().sysname} {os.uname().release} {os.uname().machine}",
        "rounds": rounds,
    }



def tids(pid):
    return [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]


def cpu_s(pid):
    """CPU time of a process. All threads, also ended ones, in nanoseconds (clock_getcpuclockid(3));
    ended children in ticks."""
    fields = text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return time.clock_gettime(~pid << 3 | 2) + (int(fields[13]) + int(fields[14])) / TICKS_S


def field_mib(path, name):
    """A field in kB of a file in /proc, in MiB."""
    found = re.search(rf"^{name}:\s+(\d+)", text_of(path), re.M)
    return int(found.group(1)) / 1024 if found else 0


def resident_mib(pid):
    return field_mib(f"/proc/{pid}/status", "VmRSS")


def proportional_mib(pid):
    """Its resident memory. Pages that it shares count in part."""
    return field_mib(f"/proc/{pid}/smaps_rollup", "Pss")


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def events(pid):
    """The number of its open perf events."""
    held = 0
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            held += "perf_event" in os.readlink(f"/proc/{pid}/fd/{fd}")
    return held


def wakes(pid):
    """How often its threads went to sleep."""
    return sum(int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)",
                             text_of(f"/proc/{pid}/task/{tid}/status"), re.M).group(1))
               for tid in tids(pid))


OTHERS_MUCH = 25  # percent of all CPUs


def busy_s():
    """CPU time of all tasks since boot."""
    fields = text_of("/proc/stat").split("\n", 1)[0].split()[1:]
    return sum(int(field) for i, field in enumerate(fields[:8]) if i not in (3, 4, 7)) / TICKS_S


def busy_machine():
    """The reason why a figure that depends on CPU time means nothing now, or None."""
    busy, began = busy_s(), time.monotonic()
    time.sleep(0.5)
    share = 100 * (busy_s() - busy) / (time.monotonic() - began) / os.cpu_count()
    return f"other programs use {share:.0f} % of the CPUs" if share > OTHERS_MUCH else None


def stolen_s():
    return int(text_of("/proc/stat").split("\n", 1)[0].split()[8]) / TICKS_S


def undisturbed(measure):
    """(measure(), stolen share) of the try during which least CPU time was stolen."""
    best, least = None, None
    for _ in range(TRIES):
        stolen, began = stolen_s(), time.monotonic()
        value = measure()
        share = (stolen_s() - stolen) / (time.monotonic() - began) / os.cpu_count()
        if least is None or share < least:
            best, least = value, share
        if share <= STOLEN_MUCH:
            break
    return best, least
