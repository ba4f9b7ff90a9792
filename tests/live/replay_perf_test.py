#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, perf is to read all that the machine did meanwhile.
"""Recordings that stock perf makes here, replayed: each task's sums are those that perf script's
text adds up to, to the last count.

Prints TAP. BUILD is the build directory. Needs perf, and the right to count system-wide.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import confined  # noqa: E402
import perfscript  # noqa: E402
from frames import check, check_unless, finish, frames_of, skip, skip_all  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PMCTOP = os.path.join(BUILD, "pmctop")
LOAD = os.path.join(BUILD, "load")
REMEDY = "perf record -a -e '{context-switches,"
# Other recordings on this machine, which begin and end meanwhile, confuse perf script.
ATTEMPTS = 8


PINGPONG = (os.path.join(LOAD, "pingpong"), "20000")
FAMILY = ("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do (echo $i | cat) >/dev/null; true; done; "
          "exec " + " ".join(PINGPONG))


def perf_record(path, events, *options, command=PINGPONG):
    """What perf says; the recording is of whatever runs while the command does."""
    with open(path, "wb") as to:
        return subprocess.run(
            ["perf", "record", "-a", "-e", events, "-c", "1", *options,
             "-o", "-" if path.endswith(".pipe") else path, "--", *command],
            stdin=subprocess.DEVNULL, stdout=to, stderr=subprocess.PIPE, timeout=180, check=False)


def replay(path, *options, stdin=None):
    return subprocess.run([PMCTOP, "--replay", path, "--format", "json", "-H", *options],
                          stdin=stdin, capture_output=True, text=True, timeout=180, check=False)


def record_and_compare(path, name, events, *options, command=PINGPONG):
    """Recorded anew where samples are lost, out of order (as perf -z writes some in a storm, which
    pmctop says) or perf script cannot read them: None where that never ends, or where perf cannot
    record."""
    for _ in range(ATTEMPTS):
        said = perf_record(path, events, *options, command=command)
        if said.returncode != 0:
            check(f"{name}: perf records it", False, (said.returncode, said.stderr))
            return None
        if b"LOST" in said.stderr:
            why = "this machine is too busy: perf always loses samples"
            continue
        try:
            script = perfscript.sums(path)
        except subprocess.CalledProcessError:
            why = "perf script reads no recording: someone else samples switches all the time"
            continue
        if "are out of order" in replay(path).stdout:
            why = "perf always writes records out of order, and each may guess what was between"
            continue
        break
    else:
        skip(name, why)
        return None
    # Refreshes cut through slices; whether or not, and wherever: sums are the same.
    for interval in ("0.1", "5"):
        printed = replay(path, "-d", interval)
        frames = frames_of(printed.stdout)
        check(f"{name}: it replays, with refreshes every {interval} s",
              printed.returncode == 0 and frames, (printed.stderr, len(frames)))
        mine = perfscript.shown(frames)
        check(f"{name}: every task's sums are perf script's, to the last count",
              script.samples > 1000 and not perfscript.differences(mine, script),
              (script.samples, perfscript.differences(mine, script)))
    return frames


def names(frames):
    return {task["comm"] for frame in frames for task in frame["tasks"]}


def files(work):
    data = os.path.join(work, "perf.data")
    group = "{context-switches,page-faults,task-clock,cpu-migrations}:S"
    frames = record_and_compare(data, "a group in a file", group)
    if frames:
        check("tasks have their names", {"pingpong", "pong"} <= names(frames), names(frames))
        check("when it was is not told, and not made up", frames[0]["time"] is None, frames[0])
        check("and the machine's is told", frames[0]["host"] == os.uname().nodename, frames[0])
        check("counts that no metric is made of are columns",
              "cpu-migrations" in frames[0]["totals"]["metrics"] or
              "migrations_per_s" in frames[0]["totals"]["metrics"], frames[0]["totals"])
        asked = frames_of(replay(data, "-S", "none", "-e", "page-faults").stdout)
        check("the columns are those that are asked for",
              list(asked[0]["totals"]["metrics"]) == ["page-faults"], asked[0]["totals"])
        missing = replay(data, "-e", "cache-misses")
        check("an event that was not recorded is told", missing.returncode != 0 and
              "cache-misses" in missing.stderr, missing)
    record_and_compare(data, "tasks that come and go", group, command=FAMILY)
    record_and_compare(os.path.join(work, "perf.pipe"), "a stream", group)
    record_and_compare(data, "switches alone", "context-switches")
    frames = record_and_compare(data, "with cgroups", "{context-switches,page-faults}:S",
                                "--all-cgroups")
    if frames:
        nobody = replay(data, "-u", "root")
        check("users are not recorded by perf, which is told", nobody.returncode != 0 and
              "perf recorded no users" in nobody.stderr, nobody)
        root = replay(data, "-G", "/")
        check("a cgroup can be asked for where they were recorded",
              root.returncode == 0 and '"target"' in root.stdout, root)
        with open("/proc/self/cgroup", encoding="utf-8") as lines:
            own = next((line.rstrip("\n")[3:] for line in lines if line.startswith("0::")), None)
        seen = {task["cgroup"] for frame in frames for task in frame["tasks"]
                if task["comm"] == "pingpong"}
        check_unless(confined.cgroup2(), "cgroups are told where they were recorded",
                     own is None or seen == {own}, (seen, own))


def times(work):
    """With a clock that perf knows the time of day by."""
    before = time.time()
    frames = record_and_compare(os.path.join(work, "perf.data"), "with a clock",
                                "{context-switches,page-faults}:S", "-k", "CLOCK_MONOTONIC")
    if frames:
        check("the time is that at which it was recorded",
              before - 1 < frames[-1]["time"] < time.time() + 1, (before, frames[-1]["time"]))


def pipe(work):
    """perf's own pipe, read while it is written."""
    data = os.path.join(work, "perf.pipe")
    frames = record_and_compare(data, "a stream for pmctop", "{context-switches,page-faults}:S")
    if not frames:
        return
    with open(data, "rb") as stream:
        cat = subprocess.Popen(["cat"], stdin=stream, stdout=subprocess.PIPE)
        piped = replay("-", "-d", "5", stdin=cat.stdout)
        cat.stdout.close()
        cat.wait()
    check("through a pipe it is the same",
          perfscript.shown(frames_of(piped.stdout)).tasks == perfscript.shown(frames).tasks, piped.stderr)


def compressed(work):
    said = subprocess.run(["perf", "version", "--build-options"], capture_output=True, text=True,
                          check=False).stdout
    if "zstd: [ on" not in " ".join(said.split()):
        skip("a compressed recording", "this perf knows no zstd")
        return
    record_and_compare(os.path.join(work, "perf.data"), "a compressed recording",
                       "{context-switches,page-faults}:S", "-z")


def refused(work):
    """What cannot be shown is told in one sentence, with what to record instead."""
    data = os.path.join(work, "other.data")
    group = "{context-switches,page-faults}:S"
    load = os.path.join(LOAD, "pingpong")
    for name, arguments, words in (
            ("a profile", ["-a", "-e", "cpu-clock", "-F", "99"], "no context switches"),
            ("a sample of the switches", ["-a", "-e", "context-switches", "-c", "5"],
             "Not every context switch"),
            ("some tasks", ["-e", group, "-c", "1"], "Only some tasks"),
            ("some tasks, listed behind their samples",
             ["--tail-synthesize", "--sample-cpu", "-e", group, "-c", "1"], "Only some tasks"),
            ("what was overwritten", ["--overwrite", "-a", "-e", group, "-c", "1"], "--overwrite"),
            ("a profile with switches", ["--switch-events", "-a", "-e", "cpu-clock"],
             "--switch-events")):
        subprocess.run(["perf", "record", *arguments, "-o", data, "--", load, "100"],
                       capture_output=True, stdin=subprocess.DEVNULL, timeout=180, check=False)
        said = replay(data)
        check(f"{name} is refused, with what to record instead",
              said.returncode != 0 and words in said.stderr and REMEDY in said.stderr
              and said.stderr.count("\n") == 1, said)


def main():
    if why := confined.perf(PMCTOP):
        skip_all(why)
    work = tempfile.mkdtemp()
    try:
        files(work)
        times(work)
        pipe(work)
        compressed(work)
        refused(work)
    finally:
        shutil.rmtree(work)
    finish()


main()
