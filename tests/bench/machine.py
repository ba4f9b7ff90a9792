# SPDX-License-Identifier: MIT
"""What is known of this machine, and of the processes that run on it."""
import contextlib
import os
import re
import subprocess
import time

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PMCTOP = os.path.join(BUILD, "pmctop")
TICKS_S = os.sysconf("SC_CLK_TCK")
STOLEN_MUCH = 0.05  # of all CPUs' time in a measurement
TRIES = 3  # of a measurement that much was stolen from


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


# ---- processes

def tids(pid):
    return [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]


def cpu_s(pid):
    """Of all its threads, also those that have ended, to the nanosecond (clock_getcpuclockid(3)),
    and of its children that have ended, to the tick."""
    fields = text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return time.clock_gettime(~pid << 3 | 2) + (int(fields[13]) + int(fields[14])) / TICKS_S


def resident_mib(pid):
    return int(re.search(r"^VmRSS:\s+(\d+)", text_of(f"/proc/{pid}/status"), re.M).group(1)) / 1024


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def events(pid):
    """How many counters of the kernel's it has open."""
    held = 0
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            held += "perf_event" in os.readlink(f"/proc/{pid}/fd/{fd}")
    return held


def wakes(pid):
    """How often its threads have gone to sleep."""
    return sum(int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)",
                             text_of(f"/proc/{pid}/task/{tid}/status"), re.M).group(1))
               for tid in tids(pid))


# ---- others

OTHERS_MUCH = 25  # percent of all CPUs


def busy_s():
    """Of all CPUs, whoever was."""
    fields = text_of("/proc/stat").split("\n", 1)[0].split()[1:]
    return sum(int(field) for i, field in enumerate(fields[:8]) if i not in (3, 4, 7)) / TICKS_S


def others():
    """Why what hangs on the CPUs says nothing now: somebody else has them; None: nobody has."""
    busy, began = busy_s(), time.monotonic()
    time.sleep(0.5)
    share = 100 * (busy_s() - busy) / (time.monotonic() - began) / os.cpu_count()
    return f"others take {share:.0f} % of the CPUs" if share > OTHERS_MUCH else None


# ---- time that a hypervisor takes

def stolen_s():
    return int(text_of("/proc/stat").split("\n", 1)[0].split()[8]) / TICKS_S


def undisturbed(measure):
    """What measure() returns, of the try from which least was stolen; and the share that was."""
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
