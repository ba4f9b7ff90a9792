#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges what pmctop printed while the emulated machine changed (hotplug_guest.sh).

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
# A moment is nobody's where a turn ends as its CPU goes away: less than that of an interval.
NOBODYS = 0.1

OUTPUT = frames.unpacked(sys.argv[2])
parts = frames.sections(OUTPUT)
pictures = {name: [line for line in lines if "schema" in line] for name, lines in parts.items()}

broken = [(name, text) for name, seen in pictures.items() for frame in seen
          for text in frames.broken_sums(frame)]
check("conservation holds to the last count, whatever comes and goes", not broken, broken[:3])
lost = sum(frame["lost_records"] for seen in pictures.values() for frame in seen)
check("no record is lost", lost == 0, lost)


def counted(tasks):
    """Instructions and cycles, as they were counted: no scaling, each pair read together."""
    known = [task["events"] for task in tasks if task["events"].get("cycles") is not None]
    return [sum(events[name] for events in known) for name in ("instructions", "cycles")]


def off_ipcs(seen):
    """Whose ratio is not the machine's: each task over all intervals, and each interval."""
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
    check(f"{name}: rows of CPUs come and go, both are there at the end",
          1 in counts and counts[-1] == 2, counts)
    check(f"{name}: who went and who came is said", went and came, (went, came))
    check(f"{name}: instructions per cycle are the machine's in every interval",
          not off_ipcs(seen), off_ipcs(seen)[:3])
    over = [(task["comm"], task["metrics"]["cpu_percent"]) for frame in seen
            for task in frame["tasks"]
            if name == "together" and task["metrics"]["cpu_percent"] > 101]
    check(f"{name}: nobody has more than a CPU", not over, over[:3])
    if name != "user":
        nobodys = [(part["unattributed"]["events"], part["events"]["cycles"])
                   for part in (frame["totals"] for frame in seen)
                   if (part["unattributed"]["events"]["cycles"] or 0)
                   > NOBODYS * (part["events"]["cycles"] or 0)]
        check(f"{name}: nothing to speak of is unattributed", not nobodys, nobodys[:2])
        check(f"{name}: and next to no time", "task-clock" not in frames.nobodys(seen),
              frames.nobodys(seen))
    held = parts[name][-1]
    # Tasks that are counted one by one have some each.
    check(f"{name}: no descriptor is left behind",
          held["after"] <= held["before"] + 8 if name == "user"
          else held["before"] == held["after"] > 3, held)
    # /proc counts in ticks; and where all is busy pmctop may have to wait between a look and the
    # time of it, before the last one most of all.
    back = len(counts) - counts[::-1].index(1)
    last = seen[back + 1 if name == "user" else -3:-1]
    clocks = [sum(frame["cpus"][cpu]["events"]["task-clock"] for frame in last) for cpu in (0, 1)]
    check(f"{name}: both CPUs are counted for as long as the intervals were",
          last and all(near(ns, sum(frame["interval_s"] for frame in last) * 1e9, 0.2)
                       for ns in clocks), (clocks, last))
    print(f"# {name}: {len(seen)} intervals, {counts.count(1)} of them with one CPU")

again = pictures["again"]
for frame in again:
    frame.pop("replay", None)
    frame.pop("offset_s", None)
for frame in pictures["together"]:
    frame.pop("pmctop", None)  # what it took itself is not recorded
check("what was recorded meanwhile replays to the same figures",
      again == pictures["together"],
      frames.differs(*([json.dumps(frame) for frame in seen]
                       for seen in (pictures["together"], again))))

swarm = parts["wrap"][0]
kids = named(pictures["wrap"], "swarm-kid")
cpu_ns = sum(task["events"]["task-clock"] for task in kids)
check("few numbers, soon taken again: they were",
      len({task["pid"] for task in kids}) < swarm["children"] / 2, len(kids))
check("and what the kernel charged them is counted as theirs, to 2 %",
      near(cpu_ns, swarm["cpu_ns"], 0.02), (cpu_ns, swarm["cpu_ns"]))
check("nearly every one of them has a row of its own", len(kids) > 0.95 * swarm["children"],
      (len(kids), swarm))
nobodys = frames.nobodys(pictures["wrap"])
check("and nothing to speak of is nobody's", not nobodys, nobodys)


TAKEN = "Not counted: counters taken (NMI watchdog or another profiler)."
PROFILER = "another profiler"


def judge_taken(name, lines, stat):
    held = [line for line in stat if "counter-value" in line]
    check(f"{name}: perf stat held every counter, all the time",
          len(held) == 7 and all(line["counter-value"][0].isdigit() and
                                 line["pcnt-running"] == 100 for line in held), stat)
    marks = [i for i, line in enumerate(lines) if name in line]
    taken, given = (0, *marks)[-2:]
    seen = [line for line in lines if "schema" in line]
    during = [line for line in lines[taken:given] if "schema" in line]
    last = lines[-1]
    broken = [text for frame in seen for text in frames.broken_sums(frame)]
    check(f"{name}: conservation holds to the last count", not broken, broken[:3])
    # It is one interval at most that cannot be told yet.
    first = next((i for i, frame in enumerate(during)
                  if any(PROFILER in note for note in frame["notes"])), len(during))
    said = [i for i, frame in enumerate(during) if any(TAKEN in note for note in frame["notes"])]
    check(f"{name}: pmctop says so", len(said) > 2,
          [frame["notes"] for frame in during])
    print(f"# {name}: {len(seen)} intervals, {len(during)} of them with perf; told of another "
          f"profiler after {first}, that the counters are taken after {said[:1]}, all well "
          f"{len(lines) - 1 - given} after perf's end")
    clocks = [frame["totals"]["events"]["task-clock"] / frame["interval_s"] / 1e9
              for frame in seen]
    # An interval's ends on two CPUs are ticks, of which one may come late: the next one has it.
    check(f"{name}: no time is missing", all(near(cpus, 2, 0.5) for cpus in clocks) and
          near(statistics.mean(clocks), 2, 0.03), clocks)
    untold = [frame for frame in seen if not any(PROFILER in note for note in frame["notes"])
              and frame["totals"]["unattributed"]["events"]["task-clock"]
              > 0.1 * frame["totals"]["events"]["task-clock"]]
    check(f"{name}: what is nobody's is told", not untold, untold[:1])
    spins = named(seen, "spin")
    wrong = [task for task in spins if not near(task["metrics"]["ipc"], IPC, 0.02) and
             (task["metrics"]["ipc"] is not None or task["states"]["ipc"] != "not_counted")]
    check(f"{name}: ipc is not counted, or exact, and never 0",
          len(spins) > len(seen) - 3 and not wrong, (len(spins), len(seen), wrong[:2]))
    while_taken = [named([during[i]], "spin")[0] for i in said[1:]]
    # In one interval of 0.2 s it may not switch, or give its CPU to perf.
    percents = [task["metrics"]["cpu_percent"] for task in while_taken]
    switches = [task["events"]["context-switches"] for task in while_taken]
    check(f"{name}: CPU time and switches are counted as ever, cycles are not",
          while_taken and 50 < statistics.median(percents) and max(percents) < 130 and
          None not in switches and sum(switches) > 0 and
          while_taken[0]["events"]["cycles"] is None, (percents, switches, while_taken[0]))
    spin = named([last], "spin")[0]
    check(f"{name}: when perf has ended all is exact again, without a word",
          near(spin["metrics"]["ipc"], IPC, 0.02) and "ipc" not in spin["states"] and
          not any(PROFILER in note for note in last["notes"]), (spin, last["notes"]))


for part in ("meanwhile", "before"):
    judge_taken(part, parts[part], parts[f"stat, {part}"])

frames.finish()
