#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks pmctop's output from the emulated machine while it changed (hotplug_guest.sh).

    hotplug_check.py SHIFT OUTPUT        prints TAP

At shift S instructions per cycle are exactly 1 / 2^S.
"""
import json
import os
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402
from frames import check, named, near  # noqa: E402

IPC = 1 / 2 ** int(sys.argv[1])
WENT = "Offline, or without counters: CPU 1."
CAME = "Online, and counted from now on: CPU 1."
# A moment is unattributed if a turn ends while its CPU goes offline: less than this share.
UNATTRIBUTED = 0.1

OUTPUT = frames.unpacked(sys.argv[2])
parts = frames.sections(OUTPUT)
pictures = {name: [line for line in lines if "schema" in line] for name, lines in parts.items()}

broken = [(name, text) for name, seen in pictures.items() for frame in seen
          for text in frames.broken_sums(frame)]
check("conservation holds exactly, whatever changes", not broken, broken[:3])
lost = sum(frame["lost_records"] for seen in pictures.values() for frame in seen)
check("no record is lost", lost == 0, lost)


def counted(tasks):
    """[instructions, cycles] as counted: unscaled, both of a task read together."""
    known = [task["events"] for task in tasks if task["events"].get("cycles") is not None]
    return [sum(events[name] for events in known) for name in ("instructions", "cycles")]


def off_ipcs(seen):
    """Tasks (in all intervals) and intervals with a wrong IPC."""
    tasks = {}
    for frame in seen:
        for task in frame["tasks"]:
            tasks.setdefault((task["comm"], task["tid"]), []).append(task)
    sums = [{key: counted(rows) for key, rows in tasks.items()},
            {number: counted(frame["tasks"]) for number, frame in enumerate(seen)}]
    return [off for each in sums for off in frames.off_ipcs(each, IPC)]


for name, times in (("together", 10), ("turns", 2), ("user", 2)):
    seen = pictures[name]
    counts = [len(frame["cpus"]) for frame in seen]
    went = sum(WENT in frame["notes"] for frame in seen)
    came = sum(CAME in frame["notes"] for frame in seen)
    check(f"{name}: rows of CPUs come and go, both CPUs are there at the end",
          1 in counts and counts[-1] == 2, counts)
    check(f"{name}: notes report both", went and came, (went, came))
    check(f"{name}: IPC is the machine's in each interval",
          not off_ipcs(seen), off_ipcs(seen)[:3])
    over = [(task["comm"], task["metrics"]["cpu_percent"]) for frame in seen
            for task in frame["tasks"]
            if name == "together" and task["metrics"]["cpu_percent"] > 101]
    check(f"{name}: no task has more than a CPU", not over, over[:3])
    if name != "user":
        wrong = [(part["unattributed"]["events"], part["events"]["cycles"])
                 for part in (frame["totals"] for frame in seen)
                 if (part["unattributed"]["events"]["cycles"] or 0)
                 > UNATTRIBUTED * (part["events"]["cycles"] or 0)]
        check(f"{name}: almost nothing is unattributed", not wrong, wrong[:2])
        check(f"{name}: and almost no time", "task-clock" not in frames.unattributed_events(seen),
              frames.unattributed_events(seen))
    held = parts[name][-1]
    # Tasks with counters of their own have some each.
    check(f"{name}: no descriptor is left open",
          held["after"] <= held["before"] + 8 if name == "user"
          else held["before"] == held["after"] > 3, held)
    # /proc counts in ticks. On a busy machine pmctop may have to wait between reading a count and
    # the time, most of all at the end.
    back = len(counts) - counts[::-1].index(1)
    last = seen[back + 1 if name == "user" else -3:-1]
    clocks = [sum(frame["cpus"][cpu]["events"]["task-clock"] for frame in last) for cpu in (0, 1)]
    check(f"{name}: both CPUs are counted for the length of the intervals",
          last and all(near(ns, sum(frame["interval_s"] for frame in last) * 1e9, 0.2)
                       for ns in clocks), (clocks, last))
    print(f"# {name}: {len(seen)} intervals, {counts.count(1)} of them with one CPU")

again = pictures["again"]
for frame in again:
    frame.pop("replay", None)
    frame.pop("offset_s", None)
for frame in pictures["together"]:
    frame.pop("pmctop", None)  # pmctop's own cost is not recorded
check("the recording's replay has the same figures",
      again == pictures["together"],
      frames.differs(*([json.dumps(frame) for frame in seen]
                       for seen in (pictures["together"], again))))

swarm = parts["wrap"][0]
kids = named(pictures["wrap"], "swarm-kid")
cpu_ns = sum(task["events"]["task-clock"] for task in kids)
check("pids were reused soon",
      len({task["pid"] for task in kids}) < swarm["children"] / 2, len(kids))
check("their CPU time is the kernel's, within 2 %",
      near(cpu_ns, swarm["cpu_ns"], 0.02), (cpu_ns, swarm["cpu_ns"]))
check("nearly each of them has a row", len(kids) > 0.95 * swarm["children"],
      (len(kids), swarm))
unattributed = frames.unattributed_events(pictures["wrap"])
check("almost nothing is unattributed", not unattributed, unattributed)


TAKEN = "Not counted: counters taken (NMI watchdog or another profiler)."
PROFILER = "another profiler"


def check_taken(name, lines, stat):
    held = [line for line in stat if "counter-value" in line]
    check(f"{name}: perf stat had all counters, all the time",
          len(held) == 7 and all(line["counter-value"][0].isdigit() and
                                 line["pcnt-running"] == 100 for line in held), stat)
    marks = [i for i, line in enumerate(lines) if name in line]
    taken, given = (0, *marks)[-2:]
    seen = [line for line in lines if "schema" in line]
    during = [line for line in lines[taken:given] if "schema" in line]
    last = lines[-1]
    broken = [text for frame in seen for text in frames.broken_sums(frame)]
    check(f"{name}: conservation holds exactly", not broken, broken[:3])
    # In the first interval it may not be known yet.
    first = next((i for i, frame in enumerate(during)
                  if any(PROFILER in note for note in frame["notes"])), len(during))
    reported = [i for i, frame in enumerate(during) if any(TAKEN in note for note in frame["notes"])]
    check(f"{name}: pmctop reports it", len(reported) > 2,
          [frame["notes"] for frame in during])
    print(f"# {name}: {len(seen)} intervals, {len(during)} of them with perf; another profiler reported "
          f"after {first}, taken counters after {reported[:1]}, all well "
          f"{len(lines) - 1 - given} after perf's end")
    clocks = [frame["totals"]["events"]["task-clock"] / frame["interval_s"] / 1e9
              for frame in seen]
    # The ends of an interval on two CPUs are ticks. One may be late: the next interval has that
    # time.
    check(f"{name}: no time is missing", all(near(cpus, 2, 0.5) for cpus in clocks) and
          near(statistics.mean(clocks), 2, 0.03), clocks)
    silent = [frame for frame in seen if not any(PROFILER in note for note in frame["notes"])
              and frame["totals"]["unattributed"]["events"]["task-clock"]
              > 0.1 * frame["totals"]["events"]["task-clock"]]
    check(f"{name}: unattributed time is reported", not silent, silent[:1])
    spins = named(seen, "spin")
    # In an interval of 0.2 s it may not run at all, because perf does.
    wrong = [task for task in spins if not near(task["metrics"]["ipc"], IPC, 0.02) and
             (task["metrics"]["ipc"] is not None or (task["events"]["task-clock"] != 0 and
                                                     task["states"]["ipc"] != "not_counted"))]
    check(f"{name}: ipc is exact or not counted, never 0",
          len(spins) > len(seen) - 3 and not wrong, (len(spins), len(seen), wrong[:2]))
    while_taken = [named([during[i]], "spin")[0] for i in reported[1:]]
    # In an interval of 0.2 s it may not switch, or perf may use its CPU.
    percents = [task["metrics"]["cpu_percent"] for task in while_taken]
    switches = [task["events"]["context-switches"] for task in while_taken]
    check(f"{name}: CPU time and switches are counted, cycles are not",
          while_taken and 50 < statistics.median(percents) and max(percents) < 130 and
          None not in switches and sum(switches) > 0 and
          while_taken[0]["events"]["cycles"] is None, (percents, switches, while_taken[0]))
    spin = named([last], "spin")[0]
    check(f"{name}: after perf's end all is exact again, without a note",
          near(spin["metrics"]["ipc"], IPC, 0.02) and "ipc" not in spin["states"] and
          not any(PROFILER in note for note in last["notes"]), (spin, last["notes"]))


for part in ("meanwhile", "before"):
    check_taken(part, parts[part], parts[f"stat, {part}"])

frames.finish()
