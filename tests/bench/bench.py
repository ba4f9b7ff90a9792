#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The benchmark: pmctop and its peers on the same loads, in turns, in one run.

    bench.py [PART...]

PARTs: switches, crowd, ... (default: all). ROUNDS (5): how often each is measured. BUILD: the build
directory, into which the report is written. Ratios and counts are compared, because times depend on
the machine and its load.
"""
import importlib
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from figures import Report  # noqa: E402
from machine import BUILD, PMCTOP, describe  # noqa: E402

PARTS = ["switches", "path", "crowd", "waits", "code", "profile", "short", "idle", "bytes", "keys",
         "link", "record", "screen", "scale", "tables", "emulated"]


def main():
    rounds = int(os.environ.get("ROUNDS", 5))
    wanted = sys.argv[1:] or PARTS
    for part in wanted:
        if part not in PARTS:
            sys.exit(f"bench.py: unknown part {part}: write {', '.join(PARTS)}")
    if not os.access(PMCTOP, os.X_OK):
        sys.exit(f"bench.py: {PMCTOP} is not built: run make bench")
    report = Report(describe(rounds), progress=sys.stderr)
    for part in wanted:
        print(f"{part} ...", file=sys.stderr, flush=True)
        importlib.import_module(f"part_{part}").run(report, rounds)
    report.write(BUILD)
    print(report.as_text())
    print(f"Also written to {os.path.relpath(BUILD)}: bench.txt, bench.json, and bench.md with the "
          "figures that have a goal")


main()
