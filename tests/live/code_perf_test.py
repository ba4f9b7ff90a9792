#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, three profilers sample the same program.
"""pmctop -b --code beside perf report and perf top, on the same programs in the same seconds.

A function that both name must have equal shares, within three standard errors of both. What perf
names must have that name in pmctop too, but for the rows of PERF_NAMES_MORE.

Prints TAP, and a table that is also written to BUILD/code_matrix.txt. BUILD is the build directory,
PMCTOP another program, CODE_CASES a pattern of the rows.
"""
import contextlib
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from code_loads import (  # noqa: E402
    BUILD, CASES, HOTSPOTS, PATIENCE_S, PMCTOP, Skip, functions_of, running, start)
from code_odd_loads import ODD_CASES  # noqa: E402
from frames import check, finish, skip, skip_all  # noqa: E402
from peaks import Peak, children_of  # noqa: E402

SECONDS = float(os.environ.get("CODE_SECONDS", 2))
MODES = ("split", "recursive", "library", "kernel", "jit", "faults")
SHARE_LEAST = 0.04
HERTZ = "199"
REPORT_S = 30
REPORT_BYTES = 8 << 30
NO_NAME = "(no name)"
# Names that pmctop leaves out.
PERF_NAMES_MORE = {
    "a perf map of 1 GiB, names behind a hole": "perf reads more than the first 64 MiB",
    "a perf map of another user": "perf believes any user's map",
}
# Names that no mapped file has.
WRONG = re.compile(r"wrong_name|other_\w+")


def plain(name):
    """A name without parameters of C++, and without the hash of Rust."""
    return re.sub(r"(::h[0-9a-f]{16}|\(.*\))$", "", name.strip())


def add(shares, name, share):
    shares[name] = shares.get(name, 0) + share


class Profile:
    """Shares by name, from that many samples."""

    def __init__(self, shares, samples, note=""):
        self.shares, self.samples, self.note = shares, samples, note

    def error(self, name):
        """With two samples more of each kind, because 0 of 600 is not exactly nothing."""
        share = (self.shares.get(name, 0) * self.samples + 2) / (self.samples + 4)
        return (share * (1 - share) / (self.samples + 4)) ** 0.5

    def text(self, name):
        if not self.samples:
            return self.note or "no samples"
        return f"{100 * self.shares.get(name, 0):.1f} ± {100 * self.error(name):.1f}"


def of_pmctop(text):
    shares, samples = {}, 0
    for f in functions_of(text):
        add(shares, NO_NAME if f["kind"] == "unnamed" else plain(f["name"]), f["share"] or 0)
        samples += f["samples"]
    return Profile(shares, samples)


def of_lines(lines, note=""):
    """(samples or share, symbol) of each line of perf."""
    shares = {}
    for weight, symbol in lines:
        name = re.sub(r"^\[.\] ", "", symbol.strip())
        add(shares, NO_NAME if re.fullmatch(r"0x[0-9a-f]+|0|\[unknown\]|", name) else plain(name),
            weight)
    whole = sum(shares.values())
    return Profile({name: share / whole for name, share in shares.items()} if whole else {}, whole,
                   note)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (REPORT_BYTES, REPORT_BYTES))


def of_report(folder, data):
    """perf report, without names from an earlier run."""
    command = ["perf", "--buildid-dir", os.path.join(folder, "cache"), "report", "-i", data,
               "--stdio", "-q", "-t", "|", "-F", "sample,sym"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, errors="replace",
                          preexec_fn=limit_memory) as report:
        peak = Peak(report.pid)
        began = time.monotonic()
        try:
            text, _ = report.communicate(timeout=REPORT_S)
        except subprocess.TimeoutExpired:
            report.kill()
            text = ""
        seconds, kib = time.monotonic() - began, peak.stop()
    cost = f"{kib >> 10 or '?'} MiB, {seconds:.1f} s"
    if seconds >= REPORT_S:
        return Profile({}, 0, f"not after {REPORT_S} s, {kib >> 10} MiB"), cost
    rows = [line.partition("|") for line in text.splitlines() if "|" in line]
    return of_lines([(int(samples), symbol) for samples, _, symbol in rows]), cost


class Top(threading.Thread):
    """perf top, which ends with its input."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.process = subprocess.Popen(
            ["perf", "top", "--stdio", "-p", str(pid), "-e", "cpu-clock", "-F", HERTZ,
             "-d", str(int(SECONDS)), "-E", "40"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, errors="replace")
        self.text = ""
        self.start()

    def run(self):
        self.text = self.process.stdout.read()

    def stop(self):
        self.process.terminate()
        self.join()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        screens = re.split(r"PerfTop:", self.text)
        found = [re.findall(r"^\s*(\d+\.\d+)%\s+\S.*?\s+\[[.k]\] (.+?)\s*$", screen, re.M)
                 for screen in screens]
        last = next((lines for lines in reversed(found) if lines), [])
        profile = of_lines([(float(percent), symbol) for percent, symbol in last])
        profile.samples = int(SECONDS * int(HERTZ)) if last else 0
        return profile


def profiles(pid, folder, with_top):
    """Profiles of pmctop, perf report and perf top of the same seconds, and the cost of report."""
    data = os.path.join(folder, "perf.data")
    top = Top(pid) if with_top else None
    # pmctop -p has all children, and perf the children of later.
    pids = ",".join(map(str, [pid, *children_of(pid)]))
    record = ["perf", "record", "-N", "-q", "-e", "cpu-clock", "-F", HERTZ, "-o", data, "-p",
              pids, "--", "sleep", str(SECONDS)]
    with subprocess.Popen(record, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace") as perf:
        done = subprocess.run([PMCTOP, "-d", str(SECONDS), "-n", "1", "--code", "--format", "json",
                               "-p", str(pid)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", check=False, timeout=PATIENCE_S)
        message = perf.communicate(timeout=PATIENCE_S)[1]
    seen = top.stop() if top else None
    if perf.returncode or not os.path.exists(data):
        why = message.strip().splitlines()[-1:] or [f"status {perf.returncode}"]
        return of_pmctop(done.stdout), Profile({}, 0, f"perf record: {why[0]}"), seen, ""
    report, cost = of_report(folder, data)
    return of_pmctop(done.stdout), report, seen, cost


def agree(ours, theirs, name):
    three = 3 * (ours.error(name) ** 2 + theirs.error(name) ** 2) ** 0.5
    return abs(ours.shares.get(name, 0) - theirs.shares.get(name, 0)) <= three


def verdict(row, ours, theirs):
    """(whether it is right, in words)"""
    if not theirs.samples:
        return True, theirs.note or "perf has no samples"
    names = {name for each in (ours, theirs) for name, share in each.shares.items()
             if share >= SHARE_LEAST}
    differ = sorted(name for name in names if not agree(ours, theirs, name))
    if not differ:
        return True, "equal"
    for left, right, lacking in ((ours, theirs, "perf"), (theirs, ours, "pmctop")):
        if lacks_names(left, right, differ):
            return lacking == "perf" or row in PERF_NAMES_MORE, (
                PERF_NAMES_MORE.get(row) or f"{lacking} has no name for {right.text(NO_NAME)} %")
    wrong = [name for name in differ if WRONG.search(name)]
    both = [name for name in differ if name not in wrong and name != NO_NAME
            and ours.shares.get(name) and theirs.shares.get(name)]
    more = [name for name in differ if name not in wrong + both + [NO_NAME]
            and theirs.shares.get(name, 0) > ours.shares.get(name, 0)]
    less = [name for name in differ if name not in wrong + both + [NO_NAME] + more]
    words = []
    if wrong:
        words.append(f"perf has a wrong name: {wrong[0]}")
    if both:
        words.append(f"shares differ: {both[0]}")
    if more:
        words.append(PERF_NAMES_MORE.get(row, f"perf alone names {more[0]}"))
    if less:
        words.append("perf has no name")
    right = not [name for name in both + more if row not in PERF_NAMES_MORE]
    return right, "; ".join(words) or "no name: shares differ"


def lacks_names(named, unnamed, differ):
    """Whether the differences are parts without a name, which the other profile names."""
    left = sum(named.shares.get(name, 0) - unnamed.shares.get(name, 0)
               for name in differ if name != NO_NAME)
    return (NO_NAME in differ and not any(WRONG.search(name) for name in differ)
            and left > 0 and abs(left - unnamed.shares.get(NO_NAME, 0)
                                 + named.shares.get(NO_NAME, 0))
            <= 3 * (named.error(NO_NAME) + unnamed.error(NO_NAME)))


def main_name(profile):
    """The function with the most samples."""
    return max(profile.shares, key=profile.shares.get, default="")


class Table:
    def __init__(self):
        self.rows = [("case", "pmctop's first", "pmctop %", "perf report %", "perf top %",
                      "perf's first", "result", "perf report's cost")]

    def add(self, row, ours, report, top, words, cost):
        name = main_name(ours)
        self.rows.append((row, name, ours.text(name), report.text(name),
                          top.text(name) if top else "", main_name(report), words, cost))

    def text(self):
        widths = [max(len(row[i]) for row in self.rows) for i in range(len(self.rows[0]))]
        return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths))
                         + " |" for row in self.rows) + "\n"


def compare(table, row, begin, with_top):
    try:
        with running(begin) as load, tempfile.TemporaryDirectory(prefix="perf-") as folder:
            ours, report, top, cost = profiles(load.pid, folder, with_top)
    except Skip as why:
        skip(row, why)
        return
    right, words = verdict(row, ours, report)
    check(f"{row}: perf report", right and ours.samples,
          (words, sorted(ours.shares.items(), key=lambda item: -item[1])[:4],
           sorted(report.shares.items(), key=lambda item: -item[1])[:4]))
    if top:
        right, of_top = verdict(row, ours, top)
        check(f"{row}: perf top", right, (of_top, top.shares, ours.shares))
        words = words if of_top == words else f"{words}; perf top: {of_top}"
    table.add(row, ours, report, top, words, cost)


def main():
    why = skip_reason.perf(PMCTOP)
    if why:
        skip_all(why)
    wanted = re.compile(os.environ.get("CODE_CASES", ""))
    rows = [(f"hotspots {mode}", lambda _, mode=mode: start(HOTSPOTS, mode), True)
            for mode in MODES if os.path.exists(HOTSPOTS)]
    rows += [(case[0], case[1], False) for case in (*CASES, *ODD_CASES)]
    table = Table()
    for row in rows:
        if wanted.search(row[0]):
            compare(table, *row)
    print("".join(f"# {line}\n" for line in table.text().splitlines()), end="", flush=True)
    with contextlib.suppress(OSError), open(os.path.join(BUILD, "code_matrix.txt"), "w",
                                            encoding="utf-8") as file:
        file.write(table.text())
    finish()


if __name__ == "__main__":
    main()
