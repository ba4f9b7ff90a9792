# SPDX-License-Identifier: MIT
"""Servers larger than this machine: the fake kernel, with 20,000 switches a second and CPU."""
import os

from part_path import run_bench

TASKS, SWITCHES = 100000, 20000
# (CPUs, ms of a refresh). The more CPUs, the shorter, to end within a minute.
MACHINES = (256, 200), (1024, 60)
SHOWN = (("drain", "counting, CPU time a second", "ms"), ("record", "a record", "ns"),
         ("worst snapshot", "making a picture", "ms"), ("worst screen", "drawing it", "ms"),
         ("descriptors", "descriptors", ""), ("rings", "rings", "MiB"), ("heap", "heap", "MiB"))


def run(report, _rounds):
    for cpus, refresh_ms in MACHINES:
        figures = run_bench("bench_scale", str(cpus), str(TASKS), str(TASKS // cpus), str(SWITCHES),
                            "1", str(refresh_ms))
        what = f"{cpus} CPUs, {TASKS:,} tasks that all run"
        threads = figures["drain"] / 1000
        report.add("scale", f"{what}: threads that must count", threads, "",
                   note=f"{figures['records'] / 1e6:.1f} million switches/s")
        for key, name, unit in SHOWN:
            report.add("scale", f"{what}: {name}", figures[key], unit)


def past_mib(processes):
    """MiB that ten minutes of history add."""
    return run_bench("bench_scale", str(os.cpu_count()), str(processes), "50", "100", "660",
                     "1000")["past"]
