#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, perf is to read all that the machine did meanwhile.
"""A recording's life: killed at any moment, spread over files, on a disk that fills, with a second
recorder on its heels, and with readers that go.

Prints TAP. BUILD is the build directory. Needs perf, and the right to count system-wide; a disk
that fills needs the right to mount one.
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
import confined  # noqa: E402
from frames import check, finish, frames_of, skip, skip_all, wait_for_lines  # noqa: E402
from recorded import ROUND, SAMPLE, SWITCHES, TRACEPOINT  # noqa: E402
from recorded import live_total, perf, perf_sums  # noqa: E402
from recorded import wait_for_rounds, walk  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PMCTOP = os.path.join(BUILD, "pmctop")
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
    """A pair of tasks that do nothing but switch, so often there and back."""

    def __init__(self, times=1000000000):
        self.times = times

    def __enter__(self):
        self.ping = start(str(self.times), command=[os.path.join(BUILD, "load", "pingpong")],
                          stdout=subprocess.DEVNULL)

    def __exit__(self, *_):
        self.ping.kill()
        self.ping.wait()


def reads_back(path):
    """perf script's answer, and the samples that it printed."""
    script = perf("script", "-i", path, "-F", "tid,event")
    return script.returncode == 0, (script.stdout.count(f"{SWITCHES}:") +
                                    script.stdout.count(f"{TRACEPOINT}:"))


def killed(directory):
    chance = random.Random(6)
    told = []
    for i in range(KILLS):
        data = os.path.join(directory, f"killed{i}")
        with Storm():
            victim = start("-d", "0.1", "--record", data, stdout=subprocess.DEVNULL)
            came = wait_for_rounds(data, chance.randrange(1, 4))
            try:  # a moment of the machine's choice
                victim.wait(timeout=chance.random() * 0.1)
            except subprocess.TimeoutExpired:
                pass
            victim.send_signal(signal.SIGKILL)
            victim.wait()
        kinds, left = walk(data)
        good, samples = reads_back(data)
        # All but the ticks are switches.
        told.append((came and good, samples, kinds[SAMPLE], kinds[ROUND], left))
        os.unlink(data)
    check("what was written before a kill -9 reads back, at whatever moment it came",
          all(good and kinds >= samples > 0 and rounds for good, samples, kinds, rounds, _ in told),
          told)


def switched(directory):
    """By size and by time: each file stands for itself, and all together for what was shown. The
    last one has begun and nothing has happened since."""
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
        check(f"--switch-output {rule}: several files, each of which perf script reads",
              len(files) > 1 and silent and
              all(kinds[ROUND] for kinds, _ in rounds[:-1]) and
              not any(left for _, left in rounds),
              (files, rounds))
        check(f"--switch-output {rule}: and together they add up to what was shown",
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
    check("--switch-max-files keeps the newest, and what is not of this run",
          printed.returncode == 0 and len(files) == 4 and files[0] == data and files[1] == other and
          all(walk(path)[0][ROUND] for path in files[2:]), (files, printed.stderr))


def second_recorder(directory):
    """The first one's files are its own, the next ones too."""
    data = os.path.join(directory, "two")
    first = start("-d", "0.2", "--record", data, "--switch-output", "1B", stdout=subprocess.PIPE)
    refused = []
    for _ in range(4):
        first.stdout.readline()
        refused.append(run("-d", "0.1", "-n", "1", "--record", data))
    first.terminate()
    # Between two files the second one may be the first to come: then the first one says so.
    status = first.wait(timeout=30)
    check("a second recorder is refused, whichever file it is",
          all(second.returncode == 1 and "being recorded to" in second.stderr
              for second in refused) or status == 1, (refused, status))


def moved(directory):
    """Somebody tidies up: the rest goes on in a new file of the name."""
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
    check("a recording that is moved or removed goes on in its next file",
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
        said = pmctop.communicate(timeout=30)[1]
        check(f"a recording that another program {what} is told with one sentence, status 1",
              came and pmctop.returncode == 1 and said.count("\n") == 1 and
              f"another program {what} the recording" in said, (came, said, pmctop.returncode))
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
        said = pmctop.communicate(timeout=30)[1]
        check("a disk that fills ends the recording, not the counting",
              frames[-1]["totals"]["events"][EVENT] is not None and len(frames[-1]["tasks"]) > 0,
              frames[-1])
        check("and is said at the end too, with status 1",
              "No space left" in said and pmctop.returncode == 1, (said, pmctop.returncode))
        good, samples = reads_back(data)
        kinds, left = walk(data)
        check("what was written before reads back", good and samples > 0 and left == 0,
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
        while not any("its reader went away" in note for frame in frames
                      for note in frame["notes"]):
            wait_for_lines(printed, 1)
            frames = [json.loads(line) for line in
                      os.pread(printed.fileno(), 1 << 30, 0).splitlines(True)
                      if line.endswith(b"\n")]
        wait_for_lines(printed, 1)
    writer.terminate()
    check("a reader that goes away ends the recording alone, and that is said",
          writer.wait(timeout=30) == 0, writer.returncode)
    with open("/dev/full", "wb") as full:
        pmctop = start("-n", "3", "-d", "0.1", "--record", "-", command=COMMAND, stdout=full,
                       stderr=subprocess.PIPE, text=True)
        said = pmctop.communicate(timeout=30)[1]
    check("what takes nothing is told: standard output", pmctop.returncode == 1 and
          "No space left" in said, (said, pmctop.returncode))


def refused(directory):
    link = os.path.join(directory, "link")
    os.symlink(os.path.join(directory, "target"), link)
    places = {"/dev/full": "is no file", "/sys/recording": "cannot be recorded to", directory:
              "is a directory", link: "is a symbolic link", os.path.join(directory, "x" * 256):
              "File name too long", os.path.join(directory, "no", "where"): "No such file"}
    wrong = []
    for place, words in places.items():
        answer = run("-n", "1", "--record", place)
        if answer.returncode != 1 or words not in answer.stderr or \
                len(answer.stderr.splitlines()) != 1:
            wrong.append((place, answer.returncode, answer.stderr))
    check("what cannot be recorded to is refused with one sentence",
          not wrong and not os.path.exists(os.path.join(directory, "target")), wrong)


def main():
    if why := confined.perf(PMCTOP):
        skip_all(why)
    for part in (killed, switched, newest, second_recorder, moved, changed, full_disk, readers,
                 refused):
        with tempfile.TemporaryDirectory() as directory:
            part(directory)
    finish()


main()
