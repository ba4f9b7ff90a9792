# SPDX-License-Identifier: MIT
"""The cost of recording, and the speed of replays."""
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time

from machine import PMCTOP, load, tids, undisturbed
from part_path import run_bench
from tools import SAMPLED, SIX, UNBOUNDED, ratios

WARM = 1  # refreshes


@contextlib.contextmanager
def pairs():
    """A pair of tasks on each CPU that do nothing but switch."""
    running = [subprocess.Popen([load("pingpong"), "-c", str(cpu), "1000000000"],
                                stdout=subprocess.DEVNULL) for cpu in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def memory():
    """A temporary directory in memory, because the disk's speed must not count."""
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(dir=shm)


def cpu_ns(pid):
    """{tid: CPU time in ns}"""
    spent = {}
    for tid in tids(pid):
        with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as stat:
            spent[tid] = int(stat.read().split()[0])
    return spent


def counting_ns(options, seconds=2):
    """(ns of a switch, of the thread that counts; lost records)"""
    pmctop = subprocess.Popen([PMCTOP, "--format", "json", *SIX, *UNBOUNDED, "-d", "1", *options],
                              stdout=subprocess.PIPE)
    for _ in range(WARM):
        pmctop.stdout.readline()
    before = cpu_ns(pmctop.pid)
    frames = [json.loads(pmctop.stdout.readline()) for _ in range(seconds)]
    after = cpu_ns(pmctop.pid)
    # The thread that counts is the busiest. Others draw, write and watch.
    spent_ns = max(after[tid] - before.get(tid, 0) for tid in after)
    pmctop.terminate()
    pmctop.communicate()
    switches = sum(frame["totals"]["events"]["context-switches"] for frame in frames)
    return spent_ns / switches, sum(frame["lost_records"] for frame in frames)


def costs(report, rounds):
    measured = {False: [], True: []}
    with pairs():
        for _ in range(rounds):
            for recorded in measured:
                with memory() as directory:
                    options = ["--record", os.path.join(directory, "perf.data")] if recorded else []
                    measured[recorded].append(
                        undisturbed(lambda words=options: counting_ns(words))[0])
    plain, recorded = ([ns for ns, _ in measured[key]] for key in measured)
    report.add("record", "CPU time of a switch: recorded / not recorded", ratios(recorded, plain),
               "x")
    report.add("record", "CPU time of a switch, of the thread that counts", plain, "ns")
    report.add("record", "records lost while recording", sum(lost for _, lost in measured[True]))


def replays(report, seconds=2):
    with memory() as directory:
        files = {"of pmctop": os.path.join(directory, "pmctop.data")}
        with pairs():
            subprocess.run([PMCTOP, "-b", *SIX, *UNBOUNDED, "-d", "0.5", "-n", str(2 * seconds),
                            "--record", files["of pmctop"]], stdout=subprocess.DEVNULL, check=True)
            if shutil.which("perf"):
                files["of perf"] = os.path.join(directory, "stock.data")
                subprocess.run(["perf", "record", "-q", "-a", "-m", "1024", "-e", SAMPLED, "-c",
                                "1", "-o", files["of perf"], "sleep", str(seconds)],
                               stdout=subprocess.DEVNULL, check=True)
        time.sleep(0.2)
        for name, path in files.items():
            for what, value in run_bench("bench_replay", path).items():
                report.add("record", f"replay {name}, {what.rsplit(' ', 1)[1]}", value,
                           "million records/s")
        if len(files) > 1:
            before = os.times().children_user
            subprocess.run(["perf", "script", "-i", files["of perf"], "-F", "tid,event"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            report.add("record", "perf script of the same", os.times().children_user - before, "s")
        else:
            report.add("record", "replay of perf", None, note="missing: perf (make bench-deps)")


def run(report, rounds):
    report.add("record", "folding in a record: recorded / not recorded",
               [run_bench("bench_recorder")["recorded / not recorded"]], "x")
    costs(report, (rounds + 1) // 2)
    replays(report)
