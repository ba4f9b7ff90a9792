#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The short benchmark: pmctop's cost must not grow unnoticed.

It measures no seconds, because the machine can be busy. callgrind counts the instructions of a
record, from the ring to its task's tally. The cost of a switch for a pair of tasks is compared with
that of the floor (tests/bench/floor.c), measured in turns.

tests/run: alone
"""
import os
import statistics
import sys

sys.dont_write_bytecode = True
TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(TESTS, "bench"), TESTS]
import part_path  # noqa: E402
import part_switches  # noqa: E402
from figures import NOISY, REACHED, Figure, Report  # noqa: E402
from tools import FLOOR, PMCTOP_TOOL, ratios  # noqa: E402

# Compilers and options differ by less. Extra work in the path of every record costs more.
INSTRUCTIONS_MOST = 1.25
# Times the floor. pmctop also reads, attributes and draws. Wide: half of it is noise.
FLOOR_MOST = 1.6
ROUNDS = 9


def instructions_of_a_record():
    """Checked on x86-64 with gcc's code. Only printed on other machines."""
    count = part_path.instructions(20000)
    if count is None:
        return "SKIP no valgrind"
    print(f"# {count:.0f} instructions a record, {part_path.INSTRUCTIONS} when the limit was set")
    if os.uname().machine != "x86_64":
        return "SKIP the limit is for x86-64"
    assert count <= part_path.INSTRUCTIONS * INSTRUCTIONS_MOST, count
    return None


def pair_beside_the_floor():
    pair = part_switches.Pair(0.1)
    try:
        took, absent, _ = part_switches.beside([FLOOR, PMCTOP_TOOL], ROUNDS,
                                               lambda: pair.round_trip_ns(3))
    finally:
        pair.close()
    if absent:
        return "SKIP " + ", ".join(f"{name} {why}" for name, why in absent.items())
    ratio = statistics.median(ratios(took[PMCTOP_TOOL.name], took[FLOOR.name]))
    print(f"# {ratio:.2f} x the floor, which is "
          f"{statistics.median(ratios(took[FLOOR.name], took['bare'])):.2f} x bare")
    assert ratio <= FLOOR_MOST, f"{ratio:.2f} x the floor"
    return None


def verdicts():
    """A figure is judged by its median. A figure that is missing or has no limit says that."""
    report = Report({"CPU": "some"})
    for values, more, verdict in (
            ([1, 1.05, 9], {"most": 1.05}, REACHED), ([1, 1.06, 9], {"most": 1.05}, "not reached"),
            ([100], {"least": 100}, REACHED), ([99], {"least": 100}, "not reached"),
            ([1], {"most": 1, "noisy": "storms"}, NOISY), ([1], {}, ""),
            (None, {"most": 1, "note": "missing: not installed"}, "missing"),
            (None, {"most": 1, "note": "refused: no"}, "refused"),
            (None, {"most": 1}, "not measured")):
        figure = report.add("some", f"{values} {more}", values, "x", **more)
        assert figure.verdict == verdict, (values, more, figure.verdict)
    text, known = report.as_text() + report.as_markdown(), report.as_json()
    for part in "storms", "missing: not installed", "2 reached", "1.06", "1 .. 9", "<= 1.05":
        assert part in text, (part, text)
    assert known["figures"][0]["verdict"] == REACHED and known["figures"][0]["median"] == 1.05
    assert known["figures"][6]["median"] is None
    assert isinstance(Figure("some", "none", []).as_json()["values"], list)


def main():
    failed = 0
    for number, test in enumerate((verdicts, instructions_of_a_record, pair_beside_the_floor), 1):
        try:
            skipped = test()
            print(f"ok {number} - {test.__name__}" + (f" # {skipped}" if skipped else ""))
        except AssertionError as wrong:
            failed += 1
            print(f"not ok {number} - {test.__name__}: {wrong}")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
