#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks pmctop's output from the emulated machine (groups_guest.sh).

    groups_check.py SHIFT OUTPUT        prints TAP

At shift S one instruction takes 2^S ns and the clock is 1 GHz: a busy loop has one cycle per
nanosecond of its CPU time, and one instruction per 2^S ns. Interrupts use some of that time, which
is counted too (r11:k, cycles.k10).
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402
from frames import check, near  # noqa: E402

KERNEL_MOST = 0.05  # share of a busy loop's time
shift = int(sys.argv[1])
parts = frames.sections(sys.argv[2])


def mode(event):
    """The mode of an event: "u", "k", or "" for both."""
    found = re.search(r"(?:[:/]|\.(?=.\d))([uk])\d*$", event)
    return found[1] if found else ""


def truth(event, clock_ns, kernel_ns):
    name = event.lower()
    instructions = "inst" in name or name.startswith("r8") or "event=0x8" in name
    ns = {"": clock_ns, "u": clock_ns - kernel_ns, "k": kernel_ns}[mode(event)]
    return ns / 2**shift if instructions else ns


every_frame = [frame for lines in parts.values() for frame in lines if "schema" in frame]
broken = [text for frame in every_frame for text in frames.broken_sums(frame)]
check("conservation holds exactly, in turns too", not broken, broken[:3])
lost = sum(frame["lost_records"] for frame in every_frame)
check("no record is lost", lost == 0, lost)
unattributed = frames.unattributed_events(every_frame)
check("almost nothing is unattributed", not unattributed, unattributed)

for part, n_events, turns, kernel in (("fourteen", 14, 2, "r11:k"), ("forty", 40, 6, "cycles.k10")):
    busy = parts[part]
    spins = frames.named(busy, "spin")
    check(f"{part}: the busy loop is in each refresh", len(spins) == len(busy) == 4,
          len(spins))
    wrong, shares = [], []
    for task in spins:
        clock_ns = task["events"]["task-clock"]
        check(f"{part}: all events are columns",
              len(task["metrics"]) == n_events, task["metrics"].keys())
        kernel_ns = task["metrics"][kernel]
        if not 0 < kernel_ns < KERNEL_MOST * clock_ns:
            wrong.append((kernel, kernel_ns, clock_ns))
        for event, value in task["metrics"].items():
            right = truth(event, clock_ns, kernel_ns)
            if mode(event) != "k" and not near(value, right, 0.02):
                wrong.append((event, value, right))
            word, _, share = task["states"].get(event, "").partition(":")
            if word != "scaled":
                wrong.append((event, task["states"].get(event)))
            else:
                shares.append(float(share))
    check(f"{part}: each count is within 2 % of its true value, and marked as scaled",
          not wrong, wrong[:5])
    print(f"# {part}: shares {min(shares):.3f} to {max(shares):.3f}")
    check(f"{part}: each group has its turn", min(shares) > 0.5 / turns, min(shares))
    check(f"{part}: {turns} groups take turns", all(f["turns"] == turns for f in busy),
          [f["turns"] for f in busy])

header = frames.text(sys.argv[2], "text")
check("the header has the number of turns", any(
    "counters: 14 events in 2 turns" in h for h in header), header[:3])

vendor = [task["metrics"] for task in frames.named(parts["vendor"], "spin")]
check("the vendor's ipc is that of the busy loop", vendor and all(
    near(metrics["vendor_ipc"], 1 / 2**shift, 0.02) for metrics in vendor), vendor)

busy = parts["overview with fourteen"][-1]
spin = frames.named([busy], "spin")[0]
check("a ratio's inputs are counted together: ipc is exact in turns too",
      near(spin["metrics"]["ipc"], 1 / 2**shift, 0.001), spin["metrics"])

swarm = parts["short"][0]
kids = [task for frame in parts["short"][1:] for task in frame["tasks"]
        if task["comm"] == "swarm-kid"]
check("short: each process of a millisecond is counted",
      len({task["pid"] for task in kids}) == swarm["children"], len(kids))
once, zeros = 0, []
for task in kids:
    missing = [event for event, value in task["metrics"].items() if value is None]
    if missing and all(task["states"][event] == "not_counted" for event in missing):
        once += 1
    zeros += [event for event, value in task["metrics"].items()
              if value == 0 and not event.endswith(("u", "u/"))]
check("short: a process that ran only in another group's turn is not counted", once > len(kids) / 2,
      (once, len(kids)))
check("short: and its count is never 0", not zeros, zeros[:5])

frames.finish()
