#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks pmctop's output from the emulated machine (budget_guest.sh).

    budget_check.py SHIFT OUTPUT        prints TAP

At shift S one instruction takes 2^S ns and the clock is 1 GHz: IPC is exactly 1 / 2^S.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402
from frames import check, finish, named, near  # noqa: E402

truth = 1 / 2 ** int(sys.argv[1])
parts = frames.sections(sys.argv[2])

for part, how in (("access 1", "user"), ("access 0", "call")):
    frames_of_part = parts[part][1:]  # those of the first interval are unknown
    costs = [frame.get("pmctop") for frame in frames_of_part]
    # In user mode a count is used only if a call returned the same when the event was opened.
    check(f"{part}: its own cycles are read by {how}",
          costs and all(cost and cost["cycles"] and cost["cycles_read"] == how for cost in costs),
          costs)
    # 1 GHz: a cycle is a nanosecond. The cycles of other threads are not included.
    check(f"{part}: and are at most its CPU time",
          all(0 < cost["cycles"] <= 1.1e7 * cost["cpu_percent"] * frame["interval_s"]
              for cost, frame in zip(costs, frames_of_part)), costs)

    texts = [finding["text"] for page in parts["doctor" + part[6:]] for finding in page["findings"]
             if finding["name"] == "own cycles"]
    check(f"{part}: the doctor reports that", texts and f"read {'in' if how == 'user' else 'by'}"
          in texts[0], texts)

broken = [text for lines in parts.values() for frame in lines if "totals" in frame
          for text in frames.broken_sums(frame)]
check("conservation holds exactly", not broken, broken[:3])

whole, windows = (named(parts[part][2:], "pingpong") + named(parts[part][2:], "pong")
                  for part in ("budget 0", "budget 2"))
check("without a budget all slices are counted",
      len(whole) == 6 and not any("ipc" in task.get("states", {}) for task in whole), whole[:2])
shares = [task.get("states", {}).get("ipc", "") for task in windows]
check("with a budget counts are scaled",
      len(windows) == 6 and all(share.startswith("scaled:0.") for share in shares), shares)
for name, tasks in (("whole", whole), ("windows", windows)):
    ipcs = [task["metrics"]["ipc"] for task in tasks]
    check(f"{name}: ipc is {truth:.3f} to 1 %", all(near(ipc, truth, 0.01) for ipc in ipcs), ipcs)
    percents = [task["metrics"]["cpu_percent"] for task in tasks]
    check(f"{name}: the pair shares its CPU", all(35 < percent < 55 for percent in percents),
          percents)
rates = [sum(task["metrics"]["ghz"] for task in tasks) / max(1, len(tasks))
         for tasks in (whole, windows)]
check("the clock is 1 GHz in both", all(near(rate, 1, 0.02) for rate in rates), rates)
# Switches are counted in windows too; the rate there is the rate of a pair that makes records.
trips = [sorted(line["round_trips"] for line in parts[f"trips {budget}"])[-2] for budget in (0, 2)]
check("the pair gets more done with a budget", trips[1] > 1.02 * trips[0], trips)
finish()
