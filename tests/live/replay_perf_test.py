#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, perf reads all that the machine does meanwhile.
"""Replays of perf's own recordings: each task's sums are exactly the sums of perf script's text.

Prints TAP. BUILD is the build directory. Needs perf, and the right to count system-wide.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
import perfscript  # noqa: E402
from frames import check, check_unless, finish, frames_of, skip, skip_all  # noqa: E402
from programs import LOAD, PMCTOP  # noqa: E402

REMEDY = "perf record -a -e '{context-switches,"
# Other recordings that begin or end meanwhile confuse perf script.
ATTEMPTS = 8


PINGPONG = (os.path.join(LOAD, "pingpong"), "20000")
FAMILY = ("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do (echo $i | cat) >/dev/null; true; done; "
          "exec " + " ".join(PINGPONG))


def perf_record(path, events, *options, command=PINGPONG):
    """Records everything that runs while the command does. Returns perf's result."""
    with open(path, "wb") as to:
        return subprocess.run(
            ["perf", "record", "-a", "-e", events, "-c", "1", *options,
             "-o", "-" if path.endswith(".pipe") else path, "--", *command],
            stdin=subprocess.DEVNULL, stdout=to, stderr=subprocess.PIPE, timeout=180, check=False)


def replay(path, *options, stdin=None):
    return subprocess.run([PMCTOP, "--replay", path, "--format", "json", "-H", *options],
                          stdin=stdin, capture_output=True, text=True, timeout=180, check=False)


def record_and_compare(path, name, events, *options, command=PINGPONG):
    """Returns the frames of a replay, or None if there is no good recording. It is made again if
    perf loses samples, writes them out of order (perf -z may under load, and pmctop reports it), or
    perf script cannot read it."""
    for _ in range(ATTEMPTS):
        done = perf_record(path, events, *options, command=command)
        if done.returncode != 0:
            check(f"{name}: perf records it", False, (done.returncode, done.stderr))
            return None
        if b"LOST" in done.stderr:
            why = "the machine is too busy: perf always loses samples"
            continue
        try:
            script = perfscript.sums(path)
        except subprocess.CalledProcessError:
            why = "perf script reads no recording: another program samples switches"
            continue
        if "are out of order" in replay(path).stdout:
            why = "perf always writes records out of order"
            continue
        break
    else:
        skip(name, why)
        return None
    # The sums are the same for any interval.
    for interval in ("0.1", "5"):
        printed = replay(path, "-d", interval)
        frames = frames_of(printed.stdout)
        check(f"{name}: it replays, with refreshes every {interval} s",
              printed.returncode == 0 and frames, (printed.stderr, len(frames)))
        mine = perfscript.shown(frames)
        check(f"{name}: each task's sums are exactly perf script's",
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
        check("the unknown time is null", frames[0]["time"] is None, frames[0])
        check("the host is the recording's", frames[0]["host"] == os.uname().nodename, frames[0])
        check("counts without a metric are columns",
              "cpu-migrations" in frames[0]["totals"]["metrics"] or
              "migrations_per_s" in frames[0]["totals"]["metrics"], frames[0]["totals"])
        chosen = frames_of(replay(data, "-S", "none", "-e", "page-faults").stdout)
        check("-e selects the columns",
              list(chosen[0]["totals"]["metrics"]) == ["page-faults"], chosen[0]["totals"])
        missing = replay(data, "-e", "cache-misses")
        check("an event that was not recorded is reported", missing.returncode != 0 and
              "cache-misses" in missing.stderr, missing)
    record_and_compare(data, "tasks that come and go", group, command=FAMILY)
    record_and_compare(os.path.join(work, "perf.pipe"), "a stream", group)
    record_and_compare(data, "switches alone", "context-switches")
    frames = record_and_compare(data, "with cgroups", "{context-switches,page-faults}:S",
                                "--all-cgroups")
    if frames:
        users = replay(data, "-u", "root")
        check("a selection by user is refused: perf does not record users", users.returncode != 0 and
              "perf does not record users" in users.stderr, users)
        root = replay(data, "-G", "/")
        check("a cgroup can be selected if cgroups were recorded",
              root.returncode == 0 and '"target"' in root.stdout, root)
        with open("/proc/self/cgroup", encoding="utf-8") as lines:
            own = next((line.rstrip("\n")[3:] for line in lines if line.startswith("0::")), None)
        seen = {task["cgroup"] for frame in frames for task in frame["tasks"]
                if task["comm"] == "pingpong"}
        check_unless(skip_reason.cgroup2(), "tasks have their cgroups if they were recorded",
                     own is None or seen == {own}, (seen, own))


def times(work):
    """With a clock from which perf knows the time of day."""
    before = time.time()
    frames = record_and_compare(os.path.join(work, "perf.data"), "with a clock",
                                "{context-switches,page-faults}:S", "-k", "CLOCK_MONOTONIC")
    if frames:
        check("the time is that of the recording",
              before - 1 < frames[-1]["time"] < time.time() + 1, (before, frames[-1]["time"]))


def pipe(work):
    """perf's stream through a pipe."""
    data = os.path.join(work, "perf.pipe")
    frames = record_and_compare(data, "a stream for pmctop", "{context-switches,page-faults}:S")
    if not frames:
        return
    with open(data, "rb") as stream:
        cat = subprocess.Popen(["cat"], stdin=stream, stdout=subprocess.PIPE)
        piped = replay("-", "-d", "5", stdin=cat.stdout)
        cat.stdout.close()
        cat.wait()
    check("the sums through a pipe are the same",
          perfscript.shown(frames_of(piped.stdout)).tasks == perfscript.shown(frames).tasks, piped.stderr)


def several_files(work):
    """perf record --switch-output: the files of a directory have the sums of one recording."""
    name = "files of --switch-output"
    for _ in range(ATTEMPTS):
        directory = tempfile.mkdtemp(dir=work)
        done = perf_record(os.path.join(directory, "perf.data"), "{context-switches,page-faults}:S",
                           "--switch-output=1s", command=("sh", "-c", " ".join(PINGPONG) + "; sleep 2.2"))
        paths = sorted(os.path.join(directory, entry) for entry in os.listdir(directory))
        if done.returncode != 0 or len(paths) < 3:
            check(f"{name}: perf writes them", False, (done.returncode, paths, done.stderr))
            return
        printed = replay(directory, "-d", "0.5")
        try:
            script = perfscript.sums(*paths)
        except subprocess.CalledProcessError:  # perf cannot read one of its own files
            continue
        if b"LOST" not in done.stderr and "are out of order" not in printed.stdout:
            break
    else:
        skip(name, "perf always loses samples, or cannot read one of its own files")
        return
    mine = perfscript.shown(frames_of(printed.stdout))
    check(f"{name}: each task's sums are exactly perf script's",
          printed.returncode == 0 and script.samples > 1000 and not perfscript.differences(mine, script),
          (printed.stderr, script.samples, perfscript.differences(mine, script)))
    os.rename(paths[1], paths[1] + ".away")
    with open(paths[1], "w", encoding="utf-8") as file:
        file.write("no recording")
    printed = replay(directory, "-d", "0.5")
    notes = {note for frame in frames_of(printed.stdout) for note in frame["notes"]}
    check(f"{name}: one that is no recording is named and passed over", printed.returncode == 0
          and any(note.startswith(os.path.basename(paths[1]) + ": This is not a recording") for note in notes),
          (printed.stderr, notes))


def compressed(work):
    done = subprocess.run(["perf", "version", "--build-options"], capture_output=True, text=True,
                          check=False).stdout
    if "zstd: [ on" not in " ".join(done.split()):
        skip("a compressed recording", "this perf has no zstd")
        return
    record_and_compare(os.path.join(work, "perf.data"), "a compressed recording",
                       "{context-switches,page-faults}:S", "-z")


# In a mount namespace of its own perf has tracefs, whether it is mounted here or not.
TRACED = ["unshare", "--mount", "sh", "-c",
          "mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; exec \"$@\"", "sh"]
CROWD = ("sh", "-c", f"{os.path.join(LOAD, 'spin')} -n 4 3 & exec sleep 3")
TIMEHIST = re.compile(r"\s*([\d.]+) \[\d+\]\s+.*\[(\d+)(?:/\d+)?\]\s+([\d.]+)\s+([\d.]+)\s+"
                      r"[\d.]+\s+(\S+)\s*$")


def timehist(path):
    """The least and the most ms that each thread was in run queues, by perf: all of the wait after a
    preemption, else the delay after the wake-up. perf leaves out a wait that lasts at the end of the
    recording: it is in the most. perf 6.1 prints W for a preemption within the kernel."""
    done = subprocess.run(["perf", "sched", "timehist", "--state", "-i", path], capture_output=True,
                          text=True, timeout=180, check=True)
    waited, last = {}, {}
    for at, tid, wait, delay, state in filter(None, (
            found and found.groups() for found in map(TIMEHIST.match, done.stdout.splitlines()))):
        preempted = tid in last and last[tid][1] in "RW"
        waited[tid] = waited.get(tid, 0) + float(wait if preempted else delay)
        last[tid] = float(at) * 1e3, state[0]
    end = max(at for at, _ in last.values())
    return {int(tid): (ms, ms + end - last[tid][0]) for tid, ms in waited.items()}


def waits(work):
    """Times in run queues beside those of perf sched timehist."""
    data = os.path.join(work, "sched.data")
    done = subprocess.run([*TRACED, "perf", "sched", "record", "-o", data, "--", *CROWD],
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=180, check=False)
    if done.returncode != 0:
        skip("perf sched record", done.stderr.decode(errors="replace").strip()[-200:])
        return
    ours, bounds = {}, set()
    for frame in frames_of(replay(data, "-S", "none", "-e", "runq_time").stdout):
        for task in frame["tasks"]:
            if task["comm"] == "spin":
                if (task.get("states") or {}).get("runq_time") == "lost":
                    bounds.add(task["tid"])
                ours[task["tid"]] = (ours.get(task["tid"], 0)
                                     + (task["events"]["runq_time"] or 0) / 1e6)
    theirs = timehist(data)
    # Where the kernel hid switches, ours is a lower bound: without the gaps, which were 1 to 7 % of a
    # refresh in 4 recordings.
    beside = {tid: (ms, *theirs[tid]) for tid, ms in ours.items() if theirs[tid][0] > 500}
    check("threads wait for a CPU as long as in perf sched timehist (3 %)",
          beside and all(low * (0.85 if tid in bounds else 0.97) < ms < high * 1.03
                         for tid, (ms, low, high) in beside.items()), (beside, bounds))


def profiles(work):
    """Recordings without each context switch of the machine are profiles: run times are unknown."""
    data = os.path.join(work, "other.data")
    group = "{context-switches,page-faults}:S"
    load = os.path.join(LOAD, "pingpong")
    for name, arguments, words in (
            ("a profile", ["-a", "-e", "cpu-clock", "-F", "999"], "No context switches"),
            ("a sample of the switches", ["-a", "-e", "context-switches", "-c", "5"],
             "Not every context switch"),
            ("some tasks", ["-e", group, "-c", "1"], "Only some tasks"),
            ("some tasks, with their names after the samples",
             ["--tail-synthesize", "--sample-cpu", "-e", group, "-c", "1"], "Only some tasks"),
            ("a ring that was overwritten", ["--overwrite", "-a", "-e", group, "-c", "1"], "--overwrite"),
            ("a profile with switches", ["--switch-events", "-a", "-e", "cpu-clock"],
             "--switch-events")):
        subprocess.run(["perf", "record", *arguments, "-o", data, "--", load, "10000"],
                       capture_output=True, stdin=subprocess.DEVNULL, timeout=180, check=False)
        done = replay(data)
        check(f"{name} is shown as a profile, which says why",
              done.returncode == 0 and words in done.stdout and
              all(task["events"]["task-clock"] is None
                  for frame in frames_of(done.stdout) for task in frame["tasks"]), done)


def main():
    if why := skip_reason.perf(PMCTOP):
        skip_all(why)
    work = tempfile.mkdtemp()
    try:
        files(work)
        times(work)
        pipe(work)
        several_files(work)
        compressed(work)
        waits(work)
        profiles(work)
    finally:
        shutil.rmtree(work)
    finish()


main()
