#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks pmctop's output from the emulated machine (pmctop_guest.sh).

    pmctop_check.py SHIFT OUTPUT        prints TAP

At shift S one instruction takes 2^S ns and the clock is 1 GHz: IPC is exactly 1 / 2^S.
"""
import os
import re
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402
from frames import named, near  # noqa: E402

shift = int(sys.argv[1])
truth = 1 / 2**shift


def check(name, good, detail=""):
    frames.check(f"shift {shift}: {name}", good, detail)


def grown(witness, time, event):
    """The witness's count at a time, interpolated between two lines."""
    total = 0
    for before, after in zip(witness, witness[1:]):
        if after["time"] <= time:
            total += after[event]
        elif before["time"] < time:
            total += after[event] * (time - before["time"]) / (after["time"] - before["time"])
    return total


parts = frames.sections(sys.argv[2])
every_frame = [f for lines in parts.values() for f in lines if "schema" in f]
check("there are frames", len(every_frame) > 20, len(every_frame))

broken = [text for frame in every_frame for text in frames.broken_sums(frame)]
check("conservation holds exactly", not broken, broken[:3])
lost = sum(frame["lost_records"] for frame in every_frame)
check("no record is lost", lost == 0, lost)
unattributed = frames.unattributed_events(
    frame for part, lines in parts.items() for frame in lines
    if part not in ("taken", "shared") and frame.get("mode") == "system")
check("almost nothing is unattributed while pmctop has the counters",
      not unattributed, unattributed)

busy = parts["busy"]
spins = named(busy, "spin")
check("two busy loops are in each refresh", len(spins) == 2 * len(busy), len(spins))
ipcs = [task["metrics"]["ipc"] for task in spins]
check(f"a busy loop's ipc is {truth:.2f}, within 2 %",
      all(near(i, truth, 0.02) for i in ipcs), ipcs)
check("and has no mark", not any("ipc" in task.get("states", {}) for task in spins))
# The emulated CPUs run in turn, so time passes between the readings of two events at an interval's
# end. The next interval has the opposite error.
cycles, clock = (sum(task["events"][event] for task in spins) for event in ("cycles", "task-clock"))
ghz = [task["metrics"]["ghz"] for task in spins]
check("the clock is 1 GHz", near(cycles, clock, 0.02) and near(statistics.median(ghz), 1, 0.02), ghz)
# A CPU's interval ends at its last record, and the two emulated CPUs share a host thread. pmctop
# and the witness use a few hundredths of a CPU if an instruction takes 4 or 8 ns.
clocks = [sum(t["events"]["task-clock"] for t in spins if t["pid"] == pid) / 1e9
          for pid in {task["pid"] for task in spins}]
wall = sum(frame["interval_s"] for frame in busy)
check("each of them had a CPU", all(c > 0.75 * wall for c in clocks), clocks)
states = busy[-1]["tasks"][0]["states"]
check("an event that this CPU does not have is unsupported, never 0",
      states["cache_mpki"] == "unsupported"
      and busy[-1]["tasks"][0]["metrics"]["cache_mpki"] is None
      and busy[-1]["totals"]["events"]["cache-misses"] is None, states)
check("and a note reports it", any("cache-misses is not supported" in n for n in busy[-1]["notes"]))

# While pmctop starts, the witness may wait between reading a count and the time.
witness = parts["witness"]
for event in ("cycles", "instructions"):
    seen = sum(frame["totals"]["events"][event] for frame in busy[2:])
    counted = grown(witness, busy[-1]["time"], event) - grown(witness, busy[1]["time"], event)
    check(f"total {event} agree with the witness, within 3 %", near(seen, counted, 0.03),
          f"{seen} {counted} {seen / counted:.4f}")

idle = parts["idle"][-1]
totals = idle["totals"]
share = totals["idle"]["events"]["task-clock"] / totals["events"]["task-clock"]
check("an idle machine is idle", share > 0.95, share)

pairs = [named(parts["pingpong"], name) for name in ("pingpong", "pong")]
for tasks in pairs:
    switches = sum(task["events"]["context-switches"] for task in tasks)
    check(f"{tasks[0]['comm']} switched at each of 3000 turns", near(switches, 3000, 0.01),
          switches)
    counted = {(t["tid"], i): (t["events"]["instructions"], t["events"]["cycles"])
               for i, t in enumerate(tasks)}
    check("and its ipc is exact, in slices of microseconds",
          max(cycles for _, cycles in counted.values()) > 10**7
          and not frames.off_ipcs(counted, truth), counted)

hotplug = parts["hotplug"]
counts = [len(frame["cpus"]) for frame in hotplug]
check("a CPU goes offline and returns", counts[0] == 2 and 1 in counts and counts[-1] == 2, counts)
spins = named(hotplug, "spin")
check("and the busy loop is counted all the time", len(spins) == len(hotplug)
      and all(near(t["metrics"]["ipc"], truth, 0.02) for t in spins), len(spins))

for part, how in (("taken", "has all counters"), ("shared", "takes turns with the counters")):
    taken = parts[part][-1]
    # If a tick is late, the next interval has the rest.
    percents = [task["metrics"]["cpu_percent"] for task in named(parts[part][-3:], "spin")]
    check(f"another profiler {how}: CPU time is exact",
          len(percents) == 3 and near(statistics.median(percents), 100, 0.05), percents)
    spins = named([taken], "spin")
    ipc, state = spins[0]["metrics"]["ipc"], spins[0]["states"].get("ipc", "")
    check("the ratio is marked: scaled or not counted, never 0",
          (ipc is None and state == "not_counted")
          or (part == "shared" and near(ipc, truth, 0.02) and state.startswith("scaled:")),
          (ipc, state))
    check("a note has the reason", any("another profiler" in note for note in taken["notes"]),
          taken["notes"])

lists = parts["lists"][0]
listed = re.search(r"(\d+) counters$", lists["pmu"].strip("; "))
# With a mask of them since Linux 6.12: "7 (0,8000003f) counters available".
true = re.search(r"(\d+) (?:\([0-9a-f,]+\) )?counters available", lists["kernel"])
check("--list pmus has the kernel's number of counters", listed and true and listed[1] == true[1],
      lists)
states = {line.split()[0]: line.split()[1] for line in lists["events"].split(";") if line}
check("--list events has a state for each",
      states.get("cycles") == "ok" and states.get("cache-misses") == "n/a", states)
states = {line.split()[0]: line.split()[1] for line in lists["metrics"].split(";") if line}
check("and so has --list metrics", states.get("cpi") == "ok", states)

swarm, status = parts["swarm"][:2]
check("SIGTERM ends a batch run with status 0", status["status"] == 0, status)
kids = named(parts["swarm"][2:], "swarm-kid")
pids = {task["pid"] for task in kids}
check(f"{swarm['children']} processes of a millisecond are all counted",
      len(pids) == swarm["children"], len(pids))
cpu_ns = sum(task["events"]["task-clock"] for task in kids)
check("with the kernel's CPU time, within 2 %",
      near(cpu_ns, swarm["cpu_ns"], 0.02), f"{cpu_ns} {swarm['cpu_ns']}")
# One in a thousand has cycles of another task (frames.off_ipcs), or is cut by an interval's end.
pairs = [(t["events"]["instructions"], t["events"]["cycles"]) for t in kids]
ipcs = sorted(i / c for i, c in pairs if c > 100000)
good = sum(near(i, truth, 0.05) for i in ipcs)
check("nearly each has the machine's ipc, and so has their sum",
      good > 0.98 * swarm["children"] and near(sum(i for i, _ in pairs) / sum(c for _, c in pairs),
                                               truth, 0.01), (good, ipcs[:3], ipcs[-3:]))

for level, sentence, mode in (
    (2, "perf_event_paranoid=2 allows only your own tasks", "task"),
    (3, "perf_event_paranoid=3 denies all counters", "proc"),
    (0, "", "system"),
):
    frame = parts[f"user, paranoid {level}"][-1]
    check(f"an ordinary user at paranoid {level}: the mode, and a note with the remedy",
          frame["mode"] == mode and any(sentence in note for note in frame["notes"]),
          (frame["mode"], frame["notes"]))

for left in "none", "two":
    frame = parts[f"user, counters left: {left}"][-1]
    spin = named([frame], "spin")[0]
    reported = any("NMI watchdog or another profiler" in note for note in frame["notes"])
    ipc, state = spin["metrics"]["ipc"], spin["states"].get("ipc")
    check(f"an ordinary user, another profiler leaves {left} of six counters",
          frame["mode"] == "task" and (near(ipc, truth, 0.02) and not reported if left == "two" else
                                       ipc is None and state == "not_counted" and reported),
          (ipc, state, frame["notes"]))

frames.finish()
