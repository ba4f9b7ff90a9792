#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the counts and functions of code_rows and hotspots in the emulated machine
(code_guest.sh).

    code_check.py SHIFT OUTPUT        prints TAP

With two CPUs the emulator's counters go on while it emulates the other CPU, so a loop of known
length has a known count with one CPU only.
"""
import math
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402

shift = int(sys.argv[1])
truth = 1 / 2**shift
sections = frames.sections(sys.argv[2])
machine = sections["machine"][0] | sections["end"][0]

MODES = ("split", "recursive", "library", "kernel", "jit")
UNKNOWN_MOST = 0.02
# In user mode, beside the loop.
AROUND_MOST = 5000
# Of arm64: what core/code/symbol_sandbox.c allows.
ALLOWED = {57: "close", 62: "lseek", 67: "pread64", 93: "exit", 94: "exit_group", 98: "futex",
           110: "timer_settime", 128: "restart_syscall", 135: "rt_sigprocmask",
           139: "rt_sigreturn", 211: "sendmsg", 212: "recvmsg", 214: "brk", 215: "munmap",
           216: "mremap", 233: "madvise", 278: "getrandom"}


def check(name, good, detail=""):
    frames.check(f"shift {shift}, {machine['cpus']} CPUs: {name}", good, detail)


def check_life(sampling, row):
    counts = row["counts"]
    ipc = counts["instructions:u"] / counts["cycles:u"]
    check(f"{sampling}: instructions:cycles is exact", abs(ipc / truth - 1) < 1e-5, ipc)
    check(f"{sampling}: instructions in user mode are those that the process counts itself",
          counts["instructions:u"] == row["witness"] > 0, row)
    if machine["cpus"] == 1:
        # Not one instruction more or less while it is sampled. A step has a few instructions.
        around = counts["instructions:u"] % row["steps"]
        check(f"{sampling}: they are those of a loop of known length",
              counts["instructions:u"] == rows["off"]["counts"]["instructions:u"] and
              around < AROUND_MOST, (counts, around))


def check_rows():
    check("four processes were counted", sorted(rows) == ["first", "off", "on", "turns"], rows)
    check("nothing is sampled while it is not requested", not rows["off"]["sampled"], rows["off"])
    for sampling, row in sorted(rows.items()):
        check_life(sampling, row)
    for event in rows["on"]["sampled"]:
        name, n = event["event"], event["seventy"] + event["thirty"]
        if name == "page-faults":
            continue
        check(f"{name} has samples with names", n > 30, event)
        share, error = event["seventy"] / max(n, 1), math.sqrt(0.7 * 0.3 / max(n, 1))
        check(f"{name}: the share of a function is that of its steps",
              abs(share - 0.7) < 3 * error, (share, error))
    sampled = {event["event"] for event in rows["on"]["sampled"]}
    check("cycles and instructions are sampled, no clock",
          {"cycles", "instructions"} <= sampled and "cpu-clock" not in sampled, sampled)


def check_open():
    opened = {line.pop("when"): line for line in sections["rows"] if "when" in line}
    before, during = opened["before"], opened["sampling"]
    check("while it samples there are more descriptors, a ring and a child",
          all(during[what] > before[what] for what in before), opened)
    check("then no descriptor, ring or child is left", opened["after"] == before, opened)


def check_sandbox():
    calls, = sections["sandbox"]
    check("the child that parses files has a filter of system calls", calls["filtered"], calls)
    check("it may make those of the table alone", set(calls["allowed"]) == set(ALLOWED),
          {ALLOWED.get(call, call) for call in set(calls["allowed"]) ^ set(ALLOWED)})
    rights = dict(line.split() for line in frames.text(sys.argv[2], "sandbox") if ":\t" in line)
    check("it has no capability and gets none",
          rights.pop("NoNewPrivs:") == "1" and len(rights) == 5 and
          not any(int(mask, 16) for mask in rights.values()), rights)


def of_event(function, event):
    """(share, its error) of a function among the samples of an event."""
    share = function["events"][event]
    return share["share"] or 0, share["error"] or 1


def check_self(mode, part, function, kernel):
    """kernel: {event: share}. The clock of the thread has interrupts too, which are functions of
    the kernel."""
    relative = []
    for event in ("cycles", "instructions"):
        share, error = of_event(function, event)
        relative.append(error / max(share, 1e-9))
        check(f"{mode}: {part['name']}: its share of {event}",
              part["share"] - kernel[event] - 3 * error <= share <= part["share"] + 3 * error,
              (share, error, part, kernel))
    ipc, error = function["metrics"]["ipc"], truth * math.hypot(*relative)
    check(f"{mode}: {part['name']}: its IPC is that of the machine",
          ipc and abs(ipc - truth) <= 3 * error, (ipc, error))
    print(f"# {mode}: {part['name']}: truth {part['share']:.4f}, of cycles "
          f"{of_event(function, 'cycles')[0]:.4f} +- {of_event(function, 'cycles')[1]:.4f}, of "
          f"instructions {of_event(function, 'instructions')[0]:.4f} +- "
          f"{of_event(function, 'instructions')[1]:.4f}, IPC {ipc:.4f} +- {error:.4f}")


def check_under(mode, part, lines, samples):
    stacks = [(stack.split(";"), int(weight))
              for stack, _, weight in (line.rstrip("\n").rpartition(" ") for line in lines)]
    whole = sum(weight for _, weight in stacks) or 1
    share = sum(weight for stack, weight in stacks if part["name"] in stack) / whole
    error = math.sqrt(share * (1 - share) / samples)
    check(f"{mode}: {part['name']}: the share of its stacks",
          stacks and abs(share - part["share"]) <= 3 * error, (share, error, part))
    print(f"# {mode}: {part['name']}: truth {part['share']:.4f}, of stacks {share:.4f} +- "
          f"{error:.4f}")


def check_mode(mode):
    lines = sections[mode]
    parts, = [line["parts"] for line in lines if "parts" in line]
    frame = [line for line in lines if "target" in line][-1]
    functions = frame["target"]["functions"]
    kinds = {kind: {event: sum(of_event(f, event)[0] for f in functions if f["kind"] == kind)
                    for event in ("cycles", "instructions")} for kind in ("kernel", "unnamed")}
    # Of about as many as there are in the interval of the stacks, whose weights are cycles.
    samples = sum(f["events"]["cycles"]["samples"] for f in functions) or 1
    for part in parts:
        if part["of"] == "self":
            found = [f for f in functions if f["name"] == part["name"]]
            check(f"{mode}: {part['name']} is one function", len(found) == 1, functions[:3])
            for function in found:
                check_self(mode, part, function, kinds["kernel"])
        check_under(mode, part, frames.text(sys.argv[2], f"{mode}, stacks"), samples)
    if mode == "kernel":
        check("kernel: its functions are most of what the reading function takes",
              kinds["kernel"]["cycles"] > 0.8 * parts[0]["share"], (kinds, parts))
    check(f"{mode}: less than 2 % without a name",
          all(share < UNKNOWN_MOST for share in kinds["unnamed"].values()), kinds)
    states = frame["target"]["states"].values()
    check(f"{mode}: nothing was lost or throttled",
          "lost" not in states and frame["lost_records"] == 0 and frame["code"]["lost"] == 0,
          (states, frame["lost_records"], frame["code"], frame["notes"]))


rows = {row["sampling"]: row for row in sections["rows"] if "sampling" in row}
check_rows()
check_open()
check_sandbox()
for each in MODES if machine["cpus"] == 1 else ():
    check_mode(each)
check("the kernel has not lowered the rate of samples",
      machine["rate before"] == machine["rate after"], machine)
frames.finish()
