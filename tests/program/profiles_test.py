#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays profiles of perf, and compares the shares with perf report's (fixtures/profiles).

Prints TAP. BUILD is the build directory.
"""
import gzip
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "../profiles")]
import compare  # noqa: E402
from frames import check, finish  # noqa: E402

PROFILES = os.path.join(HERE, "../fixtures/profiles")


def replay(path, symfs, how, stdin=None):
    return subprocess.run([compare.PMCTOP, "--config", "/dev/null", "--replay", path, "--symfs", symfs, "-b",
                           "-H", "--code", *how], stdin=stdin or subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", check=False)


def check_shares(name, truth, done):
    got = compare.pmctop_sums(done.stdout) if done.returncode == 0 else compare.Sums()
    verdict = compare.judge(truth, got, done.stderr if done.returncode else "")
    check(name, verdict[0] == "equal", verdict)


def folded_sums(text):
    """{(command, innermost function): weight}"""
    sums = {}
    for line in text.splitlines():
        stack, _, weight = line.rpartition(" ")
        parts = stack.split(";")
        key = parts[0], parts[-1]
        sums[key] = sums.get(key, 0) + int(weight)
    return sums


def check_profile(name, truth, symfs):
    path = os.path.join(PROFILES, name)
    for interval in ("0.1", "1", "3600"):
        check_shares(f"{name}: the shares of perf report, with refreshes every {interval} s", truth,
                     replay(path, symfs, ["--format", "json", "-d", interval]))
    with open(path, "rb") as stdin:
        check_shares(f"{name}: so from standard input", truth,
                     replay("-", symfs, ["--format", "json"], stdin))
    done = replay(path, symfs, ["--format", "folded"])
    folded = folded_sums(done.stdout)
    counts = next(iter(truth.values()))
    for (command, _, function), count in counts.items():
        if function != compare.UNNAMED:
            share = folded.get((command, function), 0) / (sum(folded.values()) or 1)
            check(f"{name}: {function} of {command} in folded",
                  abs(share - count / sum(counts.values())) <= compare.TOLERANCE,
                  (share, done.returncode, done.stderr))


def main():
    expected = compare.load(os.path.join(PROFILES, "expected.tsv"))
    with tempfile.TemporaryDirectory() as symfs:
        os.mkdir(os.path.join(symfs, "bin"))
        with gzip.open(os.path.join(PROFILES, "hotspots.gz")) as packed:
            with open(os.path.join(symfs, "bin/hotspots"), "wb") as file:
                file.write(packed.read())
        for name, truth in expected.items():
            check_profile(name, truth, symfs)
    finish()


if __name__ == "__main__":
    main()
