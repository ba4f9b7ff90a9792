#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The benchmark: pmctop beside its peers, on the same loads in the same run, in turns.

    bench.py [PART...]

PARTs: switches, crowd, ... (all of them). ROUNDS (5) is how often each is measured; BUILD the build
directory, where the report goes, too. What is compared are ratios and counts: times are of this
machine, and of this hour.
"""
import importlib
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from figures import Report  # noqa: E402
from machine import BUILD, PMCTOP, describe  # noqa: E402

PARTS = ["switches", "path", "crowd", "short", "idle", "record", "screen", "scale", "emulated"]


def main():
    rounds = int(os.environ.get("ROUNDS", 5))
    wanted = sys.argv[1:] or PARTS
    for part in wanted:
        if part not in PARTS:
            sys.exit(f"bench.py: no part is called {part}: there are {', '.join(PARTS)}")
    if not os.access(PMCTOP, os.X_OK):
        sys.exit(f"bench.py: {PMCTOP} is not built: begin with make bench")
    report = Report(describe(rounds), progress=sys.stderr)
    for part in wanted:
        print(f"{part} ...", file=sys.stderr, flush=True)
        importlib.import_module(f"part_{part}").run(report, rounds)
    report.write(BUILD)
    print(report.as_text())
    print(f"The same is in {os.path.relpath(BUILD)}: bench.txt, bench.json for programs, and "
          "bench.md of what has a goal")


main()
