# SPDX-License-Identifier: MIT
"""The cost of knowing in which functions tasks spend their time, beside perf: the time until names
are on the screen, memory, CPU time, and what remains when the page is closed."""
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time

from code_program import HOT, can_make, write_program
from machine import (PMCTOP, bench, busy_machine, cpu_s, descriptors, events, field_mib, load,
                     proportional_mib, text_of, undisturbed)
from ptys import OnPty
from tools import BEFORE, add_to_before, home

PROCESSES, WAKING = 20000, 300
FUNCTIONS, APART = 1000000, 1080  # a file of more than 1 GB
SIZE = 200, 50
NAMES = 10  # on the screen at once
KEY_MS, MORE_MIB, MORE_CPU_PERCENT, BEFORE_MOST = 300, 16, 0.1, 1.1
HZ = "199"
SETTLE_S, PATIENCE_S = 3, 30
DOWN, ESCAPE = b"\x1b[B", b"\x1b"
SCREEN = ["--config", "/dev/null", "-s", "cpu_percent", "--frequency", HZ, "1"]
BATCH = ["--config", "/dev/null", "--format", "json", "-d", "1", "--frequency", HZ]
NO_PERF = "missing: perf (make bench-deps)"
PROGRAMS = {"pmctop": PMCTOP, **({"pmctop before": BEFORE} if BEFORE else {})}


@contextlib.contextmanager
def running(command, **options):
    """A process that prints nothing here and ends with the block."""
    process = subprocess.Popen(command, **{"stdin": subprocess.DEVNULL,
                                           "stdout": subprocess.DEVNULL,
                                           "stderr": subprocess.DEVNULL, **options})
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def on_screen(command):
    with home() as directory:
        tty = OnPty(command, *SIZE, HOME=directory)
        try:
            yield tty
        finally:
            tty.close()


@contextlib.contextmanager
def crowd(processes, waking):
    """Yields whether there are as many processes."""
    with running([load("crowd"), "-p", str(processes), "-w", str(waking), "-b", "0"],
                 stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline() == "ready\n"


def names_in(output):
    return sum(name.encode() in output for name in HOT)


def wait_for_names(tty, least=NAMES):
    """Seconds until the terminal has got that many names of hot functions, or None."""
    began = time.monotonic()
    seen = tty.read_until(lambda: names_in(tty.output) >= least, PATIENCE_S)
    return time.monotonic() - began if seen else None


@contextlib.contextmanager
def pmctop_on(path, pmctop=PMCTOP):
    """pmctop on a screen, with a program whose row is the only one and selected."""
    name = os.path.basename(path).encode()
    with running([path]) as program, on_screen([pmctop, *SCREEN]) as tty:
        tty.read_until(lambda: name in tty.output, PATIENCE_S)
        tty.write(b"\\" + name + b"\r")
        tty.read_for(SETTLE_S)
        tty.write(DOWN)
        tty.read_for(0.5)
        yield tty, program


def open_page(tty):
    """Seconds from the key to ten names, or None."""
    tty.output = b""
    os.write(tty.master, b"w")
    return wait_for_names(tty)


def close_page(tty, seconds=2.5):
    tty.write(ESCAPE)
    tty.read_for(seconds)


def key_to_names(pmctop, path, rounds):
    """({page: [ms]}, why the page of the row was not measured)"""
    took = {"a row": [], "the whole machine": []}
    with pmctop_on(path, pmctop) as (tty, program):
        for i in range(rounds):
            tty.read_for(0.1 + i * 0.37 % 1)  # at any moment of a refresh
            took["a row"].append(open_page(tty))
            if f"process {program.pid} ".encode() not in tty.output:
                return {}, f"not measured: the page is not that of {os.path.basename(path)}"
            close_page(tty)
    with running([path]), on_screen([pmctop, *SCREEN]) as tty:
        tty.read_until(lambda: os.path.basename(path).encode() in tty.output, PATIENCE_S)
        tty.read_for(SETTLE_S)
        for i in range(rounds):
            tty.read_for(0.1 + i * 0.37 % 1)
            took["the whole machine"].append(open_page(tty))
            close_page(tty)
    return {page: [1000 * s for s in times if s is not None] for page, times in took.items()}, ""


def perf_top(arguments, rounds):
    """[ms until it shows ten names]"""
    took = []
    for _ in range(rounds):
        with on_screen(["perf", "top", *arguments, "--stdio", "-d", "1"]) as tty:
            took.append(wait_for_names(tty))
    return [1000 * seconds for seconds in took if seconds is not None]


def latency(report, rounds, directory, processes, waking):
    path = os.path.join(directory, "hot_small")
    write_program(path, 64, 64)
    with crowd(processes, waking) as there:
        if not there:
            report.add("code", f"{processes} processes", None,
                       note="refused: too many processes for this machine")
            return
        noisy = busy_machine()
        ours = {name: key_to_names(pmctop, path, rounds) for name, pmctop in PROGRAMS.items()}
        with running([path]) as program:
            peers = {"a row": ("perf top -p", ["-p", str(program.pid)]),
                     "the whole machine": ("perf top -a", ["-a"])}
            for page, (peer, arguments) in peers.items():
                theirs = perf_top(arguments, rounds) if shutil.which("perf") else []
                for name, (took, why) in ours.items():
                    report.add("code", f"key to ten names, {page}: {name}", took.get(page), "ms",
                               noisy=noisy, note=why,
                               **({"most": KEY_MS} if name == "pmctop" else {}))
                add_to_before(report, "code", f"key to ten names, {page}",
                              {name: took.get(page, []) for name, (took, _) in ours.items()},
                              most=BEFORE_MOST)
                report.add("code", f"start to ten names: {peer}", theirs, "ms",
                           note="" if theirs else
                           "not measured: it shows no names" if shutil.which("perf") else NO_PERF)


def family(pid):
    """The pids of a process and its children."""
    pids = [pid]
    for tid in os.listdir(f"/proc/{pid}/task"):
        pids += [int(child) for child in text_of(f"/proc/{pid}/task/{tid}/children").split()]
    return pids


def memory_mib(pids):
    """{kind: MiB of all}. In both kinds, pages of files that they share count once."""
    status = [f"/proc/{pid}/status" for pid in pids]
    shared = sum(field_mib(path, "RssFile") for path in status[1:])
    return {"Pss": sum(proportional_mib(pid) for pid in pids),
            "peak of RSS": sum(field_mib(path, "VmHWM") for path in status) - shared}


def memory_of_page(pmctop, path):
    """(without the page, with it) of pmctop, or None without names."""
    with pmctop_on(path, pmctop) as (tty, _program):
        without = memory_mib(family(tty.process.pid))
        if open_page(tty) is None:
            return None
        tty.read_for(SETTLE_S)
        return without, memory_mib(family(tty.process.pid))


def peak_mib(command):
    """The peak of a command's resident memory."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.DEVNULL)
        usage = os.wait4(process.pid, 0)[2]
        process.returncode = 0
        output.seek(0)
        return usage.ru_maxrss / 1024 if names_in(output.read()) >= NAMES else None


def perf_memory(path, directory):
    """{tool: MiB}"""
    data = os.path.join(directory, "big.data")
    with running([path]) as program:
        subprocess.run(["perf", "record", "-q", "-N", "-g", "-F", HZ, "-o", data, "-p",
                        str(program.pid), "sleep", "1"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        with on_screen(["perf", "top", "-p", str(program.pid), "--stdio", "-d", "1"]) as tty:
            seen = wait_for_names(tty)
            top = field_mib(f"/proc/{tty.process.pid}/status", "VmHWM") if seen else None
    report = peak_mib(["perf", "report", "-i", data, "--stdio"])
    return {"perf top -p": top, "perf report": report}


def memory(report, rounds, directory, functions):
    path = os.path.join(directory, "hot_big")
    write_program(path, functions, APART)
    mib = os.stat(path).st_size / 2**20
    note = f"a program of {mib:,.0f} MiB with {functions:,} functions"
    for name, pmctop in PROGRAMS.items():
        measured = [memory_of_page(pmctop, path) for _ in range(rounds)]
        found = [pair for pair in measured if pair]
        why = note if found else "not measured: it shows no names"
        goal = {"most": MORE_MIB} if name == "pmctop" else {}
        for kind in "Pss", "peak of RSS":
            report.add("code", f"memory of all its processes, {kind}: {name}, page - no page",
                       [after[kind] - before[kind] for before, after in found], "MiB", note=why,
                       **goal)
            report.add("code", f"memory, {kind}: {name}, no page",
                       [before[kind] for before, _ in found], "MiB", note=why)
    theirs = [perf_memory(path, directory) for _ in range(rounds)] if shutil.which("perf") else []
    for tool in "perf top -p", "perf report":
        values = [each[tool] for each in theirs if each[tool] is not None]
        report.add("code", f"memory, peak of RSS: {tool}", values, "MiB",
                   note=note if values else NO_PERF if not theirs else
                   "not measured: it shows no names")


class Loop:
    """A busy loop on each CPU."""

    def __init__(self):
        self.process = subprocess.Popen([bench("busy_loop")], stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=self.read_lines)
        self.reader.start()

    def read_lines(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def run(self, seconds):
        """(steps a second of CPU time, % of the CPU time that were interrupts), from now on. Time
        in which other programs run does not count."""
        first = len(self.lines) + 1
        time.sleep(seconds)
        ran = [json.loads(line) for line in self.lines[first:]]
        steps, cpu, interrupts = (sum(line[key] for line in ran) for key in
                                  ("steps", "cpu_seconds", "interrupt_seconds"))
        return steps / cpu, 100 * interrupts / cpu

    def close(self):
        self.process.kill()
        self.reader.join()
        self.process.stdout.close()
        self.process.wait()


def cost_beside(loop, command, seconds, warm_s=2.2):
    """(CPU of a command and its children in %, steps of the loop a second of CPU time, interrupts of
    the loop in %)"""
    if not command:
        return 0, *loop.run(seconds)
    with running(command) as process:
        time.sleep(warm_s)
        pids = family(process.pid)
        began, spent = time.monotonic(), sum(cpu_s(pid) for pid in pids)
        ran = loop.run(seconds)
        spent = sum(cpu_s(pid) for pid in pids) - spent
        return 100 * spent / (time.monotonic() - began), *ran


def cost(report, rounds, directory, seconds):
    noisy, loop = busy_machine(), Loop()
    own_only = ["-p", str(loop.process.pid)]
    commands = {"bare": None}
    for name, pmctop in PROGRAMS.items():
        commands |= {name: [pmctop, *BATCH], f"{name} --code": [pmctop, *BATCH, "--code"],
                     f"{name} -p": [pmctop, *BATCH, *own_only],
                     f"{name} -p --code": [pmctop, *BATCH, *own_only, "--code"]}
    if shutil.which("perf"):
        commands["perf record -a -g"] = ["perf", "record", "-q", "-N", "-a", "-g", "-F", HZ, "-o",
                                         os.path.join(directory, "cost.data")]
    measured = {name: [] for name in commands}
    try:
        for i in range(rounds):
            for name in list(commands)[::-1 if i % 2 else 1]:
                measured[name].append(undisturbed(
                    lambda run=commands[name]: cost_beside(loop, run, seconds))[0])
    finally:
        loop.close()
    own, steps, interrupts = ({name: [value[i] for value in values]
                               for name, values in measured.items()} for i in range(3))
    del commands["bare"]
    for name in "pmctop", "pmctop -p":  # -p: without the functions of programs that are not ours
        code = f"{name} --code"
        report.add("code", f"CPU, all CPUs busy: {code} - {name}",
                   [a - b for a, b in zip(own[code], own[name])], "% of a CPU",
                   most=MORE_CPU_PERCENT, noisy=noisy, note=f"{HZ} samples a second and CPU")
    for name in commands:
        report.add("code", f"CPU, all CPUs busy: {name}", own[name], "% of a CPU")
    for name in commands:
        report.add("code", f"the kernel's cost on a busy CPU: {name}",
                   [a - b for a, b in zip(interrupts[name], interrupts["bare"])], "%",
                   note="more interrupts")
        report.add("code", f"slow-down of a busy loop: {name}",
                   [100 * (1 - a / b) for a, b in zip(steps[name], steps["bare"])], "%",
                   note="fewer steps in a second of CPU time")


def ring_mappings(pid):
    return text_of(f"/proc/{pid}/maps").count("anon_inode:[perf_event]")


def held(pid):
    return {"descriptors of perf events": events(pid), "descriptors": descriptors(pid),
            "mappings of rings": ring_mappings(pid), "child processes": len(family(pid)) - 1}


def closed(report, directory):
    """What pmctop has more after the page than before, and while it is open."""
    path = os.path.join(directory, "hot_small")
    write_program(path, 64, 64)
    with pmctop_on(path) as (tty, _program):
        before = held(tty.process.pid)
        seen = open_page(tty)
        opened = held(tty.process.pid)
        close_page(tty)
        after = held(tty.process.pid)
    for what, count in before.items():
        report.add("code", f"left by a closed page: {what}",
                   after[what] - count if seen is not None else None, most=0,
                   note=f"{opened[what] - count} more while it is open" if seen is not None else
                   "not measured: the page has no names")


def run(report, rounds, processes=PROCESSES, functions=FUNCTIONS, seconds=3):
    if not can_make():
        report.add("code", "all", None, note="not measured: the programs are of x86-64")
        return
    rounds = min(rounds, 3)
    with tempfile.TemporaryDirectory() as directory:
        closed(report, directory)
        latency(report, rounds, directory, processes, min(processes, WAKING))
        cost(report, rounds, directory, seconds)
        memory(report, rounds, directory, functions)
