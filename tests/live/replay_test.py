#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays of pmctop's recordings: byte for byte what was shown live.

Prints TAP. BUILD is the build directory. Needs the right to count system-wide.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, differs, finish, frames_of, skip_all  # noqa: E402
from programs import LOAD, PMCTOP  # noqa: E402
from recording import ROUND, wait_for_rounds, walk  # noqa: E402

UNBOUNDED = ["--budget", "0"]  # a later --budget replaces it
# Children that start and end all the time.
FAMILY = "while :; do /bin/true; sh -c :; done"


def run(*arguments, **options):
    return subprocess.run([PMCTOP, *arguments], capture_output=True, text=True, timeout=180,
                          **{"stdin": subprocess.DEVNULL, **options})


def without_cost(text):
    """Removes pmctop's own cost, which is not recorded."""
    return re.sub('"pmctop":{[^}]*},', "", text)


def same(data, name, options, view=("--format", "json", "-H")):
    live = run(*view, "-d", "0.3", "-n", "4", *UNBOUNDED, *options, "--record", data)
    replayed = run(*view, "--replay", data)
    # A replay also has the recording's name and the position.
    name_of_it = os.path.basename(data)
    for words in (f'"replay":"{name_of_it}","offset_s":[0-9.]+,',
                  f"REPLAY of {name_of_it} at [0-9:.]+  "):
        replayed.stdout = re.sub(words, "", replayed.stdout)
    live.stdout = without_cost(live.stdout)
    check(f"{name}: the replay prints what was printed live",
          live.returncode == 0 and replayed.returncode == 0 and live.stdout and
          live.stdout == replayed.stdout,
          (live.stderr, replayed.stderr,
           differs(live.stdout.split("\n"), replayed.stdout.split("\n"))))


def check_views(data, loads):
    spin, ping, family = (str(load.pid) for load in loads)
    same(data, "all tasks", ())
    same(data, "as processes", (), ("--format", "json"))
    same(data, "as CPUs", (), ("--format", "json", "--by", "cpu"))
    same(data, "as a table", (), ("-b",))
    same(data, "idle tasks and command lines", ("-i", "-c"))
    same(data, "a process", ("-p", spin))
    same(data, "a family", ("-p", family, "-c"))
    same(data, "idle rows of processes", ("-p", f"{ping},{spin}", "-i"))
    same(data, "a user", ("-u", "root"))
    same(data, "a CPU", ("-C", "0"))
    same(data, "figures of /proc", ("-S", "software", "-e", "user_time,system_time"))
    same(data, "CPUs counted in windows", ("--budget", "0.1"))


def check_other_views(data):
    """A replay with other columns and options than live."""
    live = run("--format", "json", "-d", "0.3", "-n", "3", "-S", "none", "-e",
               "context-switches,page-faults", "--record", data)
    replayed = run("--format", "json", "--replay", data, "-m", "each='page-faults' / 2")
    frames = frames_of(replayed.stdout)
    faults = [frame["totals"]["events"]["page-faults"] for frame in frames]
    check("a new formula of recorded events",
          len(frames) == 3 and faults ==
          [frame["totals"]["events"]["page-faults"] for frame in frames_of(live.stdout)] and
          all("each" in frame["totals"]["metrics"] for frame in frames), replayed)
    missing = run("-b", "--replay", data, "-e", "minor-faults")
    check("an event that was not recorded is reported",
          missing.returncode != 0 and "'minor-faults' was not recorded" in missing.stderr, missing)
    paced = run("--format", "json", "--replay", data, "-d", "5")
    plain = run("--format", "json", "--replay", data)
    notes = [note for frame in frames_of(paced.stdout) for note in frame["notes"]
             if note.startswith("A recording of pmctop has fixed intervals. ")]
    check("intervals cannot be changed, with a note",
          len(notes) == len(frames) == len(frames_of(paced.stdout)) and
          "has fixed intervals" not in plain.stdout, paced)
    cpu = run("-b", "--replay", data, "-C", "0")
    check("CPUs cannot be selected",
          cpu.returncode == 2 and "a recording has fixed CPUs" in cpu.stderr and
          "command" not in cpu.stderr, cpu)


def overwritten(data):
    """The output does not overwrite the recording."""
    link = f"{data}.link"
    os.symlink(data, link)
    with open(data, "rb") as file:
        before = file.read()
    for output in (data, link):
        for form in ("text", "openmetrics"):
            for of_it in ("--replay", "--record"):
                refused = run(of_it, data, "-o", output, "--format", form, "-n", "1")
                with open(data, "rb") as file:
                    check(f"{of_it} FILE -o {os.path.basename(output)}, {form}: refused, "
                          "and no file is changed",
                          refused.returncode == 2 and "Give -o another file" in refused.stderr
                          and file.read() == before, refused)
    os.unlink(link)


def killed(data):
    victim = subprocess.Popen([PMCTOP, "--format", "json", "-H", "-d", "0.2", "--record", data],
                              stdout=subprocess.PIPE, text=True)
    live = [victim.stdout.readline() for _ in range(5)]
    came = wait_for_rounds(data, 3)  # the last refresh may be shown before it is written
    victim.send_signal(signal.SIGKILL)
    # A refresh is recorded before it is shown: the last line may be cut off, or missing.
    live = [without_cost(line) for line in live + victim.stdout.readlines()
            if line.endswith("\n")]
    victim.wait()
    replayed = run("--format", "json", "-H", "--replay", data)
    lines = re.sub('"replay":"live.data","offset_s":[0-9.]+,', "",
                   replayed.stdout).splitlines(keepends=True)
    check("a replay of a killed recording shows all complete intervals, and reports their number",
          came and len(lines) > 1 and lines[:len(live)] == live[:len(lines)]
          and len(live) > 1 and replayed.returncode == 1
          and f"is cut off after {len(lines)} complete intervals" in replayed.stderr,
          (came, len(live), len(lines), replayed.returncode, replayed.stderr,
           next((pair for pair in zip(live, lines) if pair[0] != pair[1]), None)))


def cut_off(data):
    """A finished recording that is cut anywhere shows its complete intervals, as a whole does."""
    run("--format", "json", "-d", "0.2", "-n", "12", "--record", data)
    frame = re.compile('"replay":"[^"]*",')
    whole = frame.sub("", run("--format", "json", "-H", "--replay", data).stdout).splitlines()
    size = os.path.getsize(data)
    seen = []
    for share in (99.9, 99, 95, 90, 75, 50, 33, 20, 10, 5):
        os.truncate(data, int(size * share / 100))
        replayed = run("--format", "json", "-H", "--replay", data)
        lines = frame.sub("", replayed.stdout).splitlines()
        complete = walk(data)[0][ROUND]
        seen.append((share, len(lines), complete, lines == whole[:complete], replayed.returncode,
                     f"is cut off after {complete} complete interval" in replayed.stderr))
    check("a finished recording that is cut off shows its complete intervals",
          len(whole) == 12 and seen[0][1] >= 10 and
          all(shown == complete and same and status == 1 and said
              for _, shown, complete, same, status, said in seen), seen)


def piped():
    writer = subprocess.Popen([PMCTOP, "-n", "3", "-d", "0.3", "--record", "-"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    replayed = run("--format", "json", "--replay", "-", stdin=writer.stdout)
    check("through a pipe", writer.wait() == 0 and replayed.returncode == 0 and
          [frame["schema"] for frame in frames_of(replayed.stdout)] ==
          ["pmctop/1"] * 3, replayed)


def main():
    if why := skip_reason.system_wide(PMCTOP):
        skip_all(why)
    with tempfile.TemporaryDirectory() as directory:
        data = os.path.join(directory, "live.data")
        loads = [subprocess.Popen(command, stdout=subprocess.DEVNULL)
                 for command in ([os.path.join(LOAD, "spin")],
                                 [os.path.join(LOAD, "pingpong"), "1000000000"],
                                 ["sh", "-c", FAMILY])]
        try:
            check_views(data, loads)
            check_other_views(data)
            overwritten(data)
            killed(data)
            cut_off(data)
        finally:
            for load in loads:
                load.kill()
                load.wait()
        piped()
    finish()


if __name__ == "__main__":
    main()
