#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmctop -b --code: functions of programs with known shares, and of files in every condition.

MODES: tests/load/hotspots measures its own shares. pmctop's shares must be within three standard
errors. CASES: what is shown of a program that is stripped, deleted, replaced, in a namespace, of
another language ...

Prints TAP. BUILD is the build directory, PMCTOP another program. Cases skip without their tool or
right.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from code_loads import (  # noqa: E402
    CASES, HOTSPOTS, NOBODY, PATIENCE_S, PMCTOP, SECONDS, Skip, error_of, functions_of, kind_share,
    pmctop, running, self_share, shares_by_name, start, stop)
from frames import check, finish, skip, skip_all  # noqa: E402

UNKNOWN_MOST = 0.02

# A mode of hotspots, and a part of one of its stacks.
MODES = (
    ("split", r";run_turn;hot_burn( |;)"),
    ("recursive", r";run_turn;call_recurse;recurse;recurse;recurse( |;)"),
    ("library", r";run_turn;library_burn( |;)"),
    ("kernel", r";run_turn;read_zeros;.*_\[k\] "),
    ("jit", r";run_turn;jit_hot( |;)"),
    ("faults", r";run_turn;touch_pages;.*_\[k\] "),
)


def stacks_of(text):
    """(frames, weight) of each line, outermost first, without the command."""
    lines = [line.rpartition(" ") for line in text.splitlines()]
    return [(stack.split(";")[1:], int(weight)) for stack, _, weight in lines]


def check_parts(mode, truth, functions, stacks):
    samples = sum(f["samples"] for f in functions)
    kernel = kind_share(functions, "kernel")
    whole = sum(weight for _, weight in stacks) or 1
    for part in truth["parts"]:
        name, share = part["name"], part["share"]
        three = 3 * error_of(share, samples)
        if part["of"] == "self":
            got = self_share(functions, name)
            # The clock of the thread has interrupts too, which are functions of the kernel.
            check(f"{mode}: {name}: its share in json",
                  share - kernel - three <= got <= share + three,
                  f"{got} of {samples} samples, truth {share}, kernel {kernel}")
        under = sum(weight for stack, weight in stacks if name in stack) / whole
        check(f"{mode}: {name}: the share of its stacks in folded", abs(under - share) <= three,
              f"{under} of {samples} samples, truth {share}")


def check_page_faults(mode, truth, functions):
    for part in truth["parts"]:
        for function in functions:
            faults = function["events"].get("page-faults")
            if function["name"] == part["name"] and faults and faults["samples"]:
                got, samples = faults["share"], faults["samples"]
                check(f"{mode}: {part['name']}: its share of page faults",
                      abs(got - part["page_faults"]) <= 3 * error_of(got, samples) + 0.01,
                      f"{got}, truth {part['page_faults']}")


def check_other_formats(pid, functions):
    rows = list(csv.DictReader(io.StringIO(pmctop("--code", "--format", "csv", "-p", pid).stdout)))
    names = {row["function"] for row in rows if row["scope"] == "function"}
    check("csv has the functions of json", {"hot_burn", "cold_burn"} <= names, names)
    check("csv: all rows of functions have the pid",
          {row["pid"] for row in rows if row["scope"] == "function"} == {pid}, rows[-1:])
    text = pmctop("--code", "-b", "-p", pid).stdout
    check("text has the hottest function first",
          re.search(r"FUNCTION +MODULE\n.* hot_burn +hotspots\n", text), text[-600:])
    top = functions_of(pmctop("--code", "--format", "json", "--top", "1", "-p", pid).stdout)
    check("--top limits functions", [f["name"] for f in top] == ["hot_burn"], top)
    check("json is sorted by share",
          [f["name"] for f in functions[:2]] == ["hot_burn", "cold_burn"], functions[:2])
    done = pmctop("--code", "--format", "openmetrics", "-p", pid)
    check("openmetrics is refused", done.returncode == 2 and "functions" in done.stderr, done)


def check_mode(mode, stack):
    load = start(HOTSPOTS, mode)
    pid = str(load.pid)
    try:
        done = pmctop("--code", "--format", "json", "-p", pid)
        functions = functions_of(done.stdout)
        folded = pmctop("--format", "folded", "-p", pid)
        stacks = stacks_of(folded.stdout)
        if mode == "split":
            check_other_formats(pid, functions)
    finally:
        last = stop(load)
    truth = json.loads(last)
    check_parts(mode, truth, functions, stacks)
    if mode == "faults":
        check_page_faults(mode, truth, functions)
    unknown = kind_share(functions, "unnamed")
    check(f"{mode}: less than 2 % without a name", functions and unknown < UNKNOWN_MOST,
          [f for f in functions if f["kind"] == "unnamed"][:3])
    check(f"{mode}: the callers", re.search(stack, folded.stdout), folded.stdout[:600])
    shares = sum(f["share"] or 0 for f in functions)
    check(f"{mode}: shares add up to 1", abs(shares - 1) < 1e-6, shares)


def check_case(name, begin, function, module):
    try:
        with running(begin) as load:
            done = pmctop("--code", "--format", "json", "-p", str(load.pid))
    except Skip as why:
        skip(name, why)
        return
    functions = functions_of(done.stdout)
    by_name = shares_by_name(functions)
    user = [f for f in functions if f["kind"] != "kernel"]
    shown = sum(share for text, share in by_name.items() if re.fullmatch(function, text))
    wrong = [text for text in by_name if "wrong_name" in text]
    right = user and (module is None or user[0]["module"] == module)
    check(name, shown > 0.5 and right and not wrong and done.returncode == 0,
          (done.returncode, done.stderr[:200], by_name.most_common(4), user[:1]))


def check_ordinary_user():
    """As an ordinary user at perf_event_paranoid 2: own threads, in user mode."""
    name = "an ordinary user: the functions of an own process"
    why = skip_reason.other_users()
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        paranoid = int(file.read())
    if not why and not 1 <= paranoid <= 2:
        why = f"perf_event_paranoid is {paranoid}"
    if why:
        skip(name, why)
        return
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    load = start(HOTSPOTS, "split", **user)
    try:
        done = subprocess.run([PMCTOP, "-d", str(SECONDS), "-n", "1", "--code", "--format", "json",
                               "-p", str(load.pid)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=PATIENCE_S, **user)
    finally:
        truth = json.loads(stop(load))
    functions = functions_of(done.stdout) if done.stdout else []
    samples = sum(f["samples"] for f in functions)
    for part in truth["parts"]:
        share, got = part["share"], self_share(functions, part["name"])
        low = share - 3 * error_of(share, samples) - kind_share(functions, "kernel")
        check(f"{name}: {part['name']}", low <= got <= share + 3 * error_of(share, samples),
              f"{got} of {samples} samples, truth {share}, {done.stderr[:200]}")
    mode = ":u" if paranoid == 2 else ""
    check(f"{name}: the events",
          functions and list(functions[0]["events"]) == ["cpu-clock" + mode, "page-faults" + mode],
          functions[:1])


def main():
    if not os.path.exists(HOTSPOTS):
        skip_all("load/hotspots is missing")
    check_ordinary_user()
    why = skip_reason.system_wide(PMCTOP)
    if why:
        skip_all(why)
    for mode, stack in MODES:
        try:
            check_mode(mode, stack)
        except Skip as reason:
            skip(mode, reason)
    for case in CASES:
        check_case(*case)
    finish()


if __name__ == "__main__":
    main()
