# SPDX-License-Identifier: MIT
"""Servers that nobody here has, simulated: the fake kernel with 20,000 switches a second and
CPU."""
import os

from part_path import tell

TASKS, SWITCHES = 100000, 20000
# CPUs, and how long refreshes are simulated: the more CPUs the shorter, to be done within a minute.
MACHINES = (256, 200), (1024, 60)
SHOWN = (("drain", "counting, CPU time a second", "ms"), ("record", "a record", "ns"),
         ("worst snapshot", "making a picture", "ms"), ("worst screen", "drawing it", "ms"),
         ("descriptors", "descriptors", ""), ("rings", "rings", "MiB"), ("heap", "heap", "MiB"))


def run(report, _rounds):
    for cpus, refresh_ms in MACHINES:
        told = tell("bench_scale", str(cpus), str(TASKS), str(TASKS // cpus), str(SWITCHES), "1",
                    str(refresh_ms))
        what = f"{cpus} CPUs, {TASKS:,} tasks that all run"
        threads = told["drain"] / 1000
        report.add("scale", f"{what}: threads that must count", threads, "",
                   told=f"{told['records'] / 1e6:.1f} million switches/s")
        for key, name, unit in SHOWN:
            report.add("scale", f"{what}: {name}", told[key], unit)


def past_mib(processes):
    """What ten minutes add to what there is after some seconds; and what the heap has then."""
    told = tell("bench_scale", str(os.cpu_count()), str(processes), "50", "100", "660", "1000")
    return told["past"]
