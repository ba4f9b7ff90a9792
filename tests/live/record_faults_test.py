#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, perf reads all that the machine does meanwhile.
"""Recordings that end badly or change: killed at any moment, split into files, on a full disk, with
a second recorder on the same file, with a reader that goes away.

Prints TAP. BUILD is the build directory. Needs perf, and the right to count system-wide. The full
disk needs the right to mount one.
"""
import contextlib
import glob
import json
import os
import random
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, finish, frames_of, skip, skip_all, wait_for_lines  # noqa: E402
from programs import BUILD, PMCTOP  # noqa: E402
from recording import ROUND, SAMPLE, SWITCHES, TRACEPOINT  # noqa: E402
from recording import live_total, perf, perf_sums  # noqa: E402
from recording import wait_for_rounds, walk  # noqa: E402

COMMAND = [PMCTOP, "--budget", "0", "-S", "none", "-e", "page-faults"]
JSON = [*COMMAND, "--format", "json", "-H"]
EVENT = "page-faults"
KILLS = 4


def run(*arguments, **options):
    return subprocess.run([*JSON, *arguments], capture_output=True, text=True, timeout=180,
                          stdin=subprocess.DEVNULL, **options)


def start(*arguments, command=None, **options):
    return subprocess.Popen([*(command or JSON), *arguments], stdin=subprocess.DEVNULL, **options)


class Storm:
    """A pair of tasks that switch `times` times forth and back."""

    def __init__(self, times=1000000000):
        self.times = times

    def __enter__(self):
        self.ping = start(str(self.times), command=[os.path.join(BUILD, "load", "pingpong")],
                          stdout=subprocess.DEVNULL)

    def __exit__(self, *_):
        self.ping.kill()
        self.ping.wait()


def reads_back(path):
    """(whether perf script reads it, number of samples that it printed)"""
    script = perf("script", "-i", path, "-F", "tid,event")
    return script.returncode == 0, (script.stdout.count(f"{SWITCHES}:") +
                                    script.stdout.count(f"{TRACEPOINT}:"))


def killed(directory):
    chance = random.Random(6)
    results = []
    for i in range(KILLS):
        data = os.path.join(directory, f"killed{i}")
        with Storm():
            victim = start("-d", "0.1", "--record", data, stdout=subprocess.DEVNULL)
            came = wait_for_rounds(data, chance.randrange(1, 4))
            try:  # a random moment
                victim.wait(timeout=chance.random() * 0.1)
            except subprocess.TimeoutExpired:
                pass
            victim.send_signal(signal.SIGKILL)
            victim.wait()
        kinds, left = walk(data)
        good, samples = reads_back(data)
        # All samples but the ticks are switches.
        results.append((came and good, samples, kinds[SAMPLE], kinds[ROUND], left))
        os.unlink(data)
    check("what was written before a kill -9 is readable, at any moment",
          all(good and kinds >= samples > 0 and rounds for good, samples, kinds, rounds, _ in results),
          results)


def switched(directory):
    """Files by size and by time: each is a whole recording, and their sum is what was shown. The
    last file has only just begun."""
    for rule, delay, load in ("1M", "0.1", Storm(100000)), ("1s", "0.4", contextlib.nullcontext()):
        data = os.path.join(directory, rule)
        with load:
            printed = run("-d", delay, "-n", "6", "--record", data, "--switch-output", rule)
        frames = frames_of(printed.stdout)
        files = sorted(glob.glob(data + ".*")) + [data]
        sums, silent = 0, True
        rounds = [walk(path) for path in files]
        for path in files:
            counts, script = perf_sums(path)
            sums += sum(counts[EVENT].values())
            silent &= script.returncode == 0
        check(f"--switch-output {rule}: several files, and perf script reads each",
              len(files) > 1 and silent and
              all(kinds[ROUND] for kinds, _ in rounds[:-1]) and
              not any(left for _, left in rounds),
              (files, rounds))
        check(f"--switch-output {rule}: their sum is what was shown",
              sums == live_total(frames, EVENT) > 0 and
              sum(kinds[ROUND] for kinds, _ in rounds) == len(frames),
              (sums, live_total(frames, EVENT), rounds))


def newest(directory):
    data = os.path.join(directory, "newest")
    other = data + ".2020010100000000"  # of another run
    with open(other, "wb") as file:
        file.write(b"PERFILE2")
    printed = run("-d", "0.1", "-n", "8", "--record", data, "--switch-output", "1B",
                  "--switch-max-files", "3")
    files = sorted(glob.glob(data + "*"))
    check("--switch-max-files keeps the newest, and files of other runs",
          printed.returncode == 0 and len(files) == 4 and files[0] == data and files[1] == other and
          all(walk(path)[0][ROUND] for path in files[2:]), (files, printed.stderr))


def second_recorder(directory):
    """No second recorder writes to the first one's files, nor to its next ones."""
    data = os.path.join(directory, "two")
    first = start("-d", "0.2", "--record", data, "--switch-output", "1B", stdout=subprocess.PIPE)
    refused = []
    for _ in range(4):
        first.stdout.readline()
        refused.append(run("-d", "0.1", "-n", "1", "--record", data))
    first.terminate()
    # Between two files the second one can come first. Then the first one ends with that message.
    status = first.wait(timeout=30)
    check("a second recorder is refused, at any of the files",
          all(second.returncode == 1 and "in use by another recording" in second.stderr
              for second in refused) or status == 1, (refused, status))


def moved(directory):
    """A recording that was renamed or removed continues in a new file of its name."""
    data = os.path.join(directory, "moved")
    pmctop = start("-d", "0.1", "--record", data, "--switch-output", "2s", stdout=subprocess.PIPE)
    for _ in range(3):
        pmctop.stdout.readline()
    os.rename(data, data + "-away")
    while not os.path.exists(data):
        pmctop.stdout.readline()
    os.unlink(data)
    while not os.path.exists(data):
        pmctop.stdout.readline()
    pmctop.terminate()
    check("a recording that is renamed or removed continues in its next file",
          pmctop.wait(timeout=30) == 0 and reads_back(data + "-away")[0], os.listdir(directory))


def changed(directory):
    """Another program changes the file while it is written."""
    data = os.path.join(directory, "changed")
    for what, change in (("truncated", lambda: os.truncate(data, 0)),
                         ("removed", lambda: os.unlink(data))):
        pmctop = start("-d", "0.1", "--record", data, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True)
        came = wait_for_rounds(data, 1)
        change()
        pmctop.terminate()
        stderr = pmctop.communicate(timeout=30)[1]
        check(f"a recording that another program {what}: one sentence, status 1",
              came and pmctop.returncode == 1 and stderr.count("\n") == 1 and
              f"another program {what} the recording" in stderr, (came, stderr, pmctop.returncode))
        if os.path.exists(data):
            os.unlink(data)


def full_disk(directory):
    disk = os.path.join(directory, "disk")
    os.mkdir(disk)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk],
                             capture_output=True, check=False)
    if mounted.returncode:
        skip("a disk that fills", "no right to mount one")
        return
    try:
        data = os.path.join(disk, "perf.data")
        with Storm():
            pmctop = start("-d", "0.2", "--record", data, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
            frames = [json.loads(pmctop.stdout.readline()) for _ in range(3)]
            while not any("No space left" in note for note in frames[-1]["notes"]):
                frames.append(json.loads(pmctop.stdout.readline()))
            frames.append(json.loads(pmctop.stdout.readline()))
        pmctop.terminate()
        stderr = pmctop.communicate(timeout=30)[1]
        check("a full disk ends the recording, not the counting",
              frames[-1]["totals"]["events"][EVENT] is not None and len(frames[-1]["tasks"]) > 0,
              frames[-1])
        check("a message at the end reports it, with status 1",
              "No space left" in stderr and pmctop.returncode == 1, (stderr, pmctop.returncode))
        good, samples = reads_back(data)
        kinds, left = walk(data)
        check("what was written before is readable", good and samples > 0 and left == 0,
              (good, samples, kinds, left))
    finally:
        subprocess.run(["umount", "-l", disk], check=False)


def readers(directory):
    output = os.path.join(directory, "readers.json")
    writer = start("-d", "0.1", "-o", output, "--record", "-", stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE)
    writer.stdout.read(1000)
    writer.stdout.close()
    with open(output, "a+b") as printed:
        frames = []
        while not any("its reader closed the pipe" in note for frame in frames
                      for note in frame["notes"]):
            wait_for_lines(printed, 1)
            frames = [json.loads(line) for line in
                      os.pread(printed.fileno(), 1 << 30, 0).splitlines(True)
                      if line.endswith(b"\n")]
        wait_for_lines(printed, 1)
    writer.terminate()
    check("a reader that goes away ends the recording alone, with a note",
          writer.wait(timeout=30) == 0, writer.returncode)
    with open("/dev/full", "wb") as full:
        pmctop = start("-n", "3", "-d", "0.1", "--record", "-", command=COMMAND, stdout=full,
                       stderr=subprocess.PIPE, text=True)
        stderr = pmctop.communicate(timeout=30)[1]
    check("a full standard output is reported", pmctop.returncode == 1 and
          "No space left" in stderr, (stderr, pmctop.returncode))


def refused(directory):
    link = os.path.join(directory, "link")
    os.symlink(os.path.join(directory, "target"), link)
    places = {"/dev/full": "is not a regular file", "/sys/recording": "Cannot record to", directory:
              "is a directory", link: "is a symbolic link", os.path.join(directory, "x" * 256):
              "File name too long", os.path.join(directory, "no", "where"): "No such file"}
    wrong = []
    for place, words in places.items():
        answer = run("-n", "1", "--record", place)
        if answer.returncode != 1 or words not in answer.stderr or \
                len(answer.stderr.splitlines()) != 1:
            wrong.append((place, answer.returncode, answer.stderr))
    check("an impossible place for a recording is refused in one sentence",
          not wrong and not os.path.exists(os.path.join(directory, "target")), wrong)


def main():
    if why := skip_reason.perf(PMCTOP):
        skip_all(why)
    for part in (killed, switched, newest, second_recorder, moved, changed, full_disk, readers,
                 refused):
        with tempfile.TemporaryDirectory() as directory:
            part(directory)
    finish()


main()
