#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, it uses all CPUs.
"""pmctop's findings are true while sick and healthy loads come and go: a witness that reads /proc
by itself (findings_witness.py) confirms them. It denies the same findings about a task that sleeps.
In the second half of the time pmctop has no tracefs.

    findings_test.py [MINUTES=2] [SEED]     loads and times are random, by the seed

Prints TAP, below a table of the kinds: how many were said, how many of them with a mark ("~", "?",
"at least"), confirmed, confirmed with less than half of the stated figure, false and unjudged.
BUILD is the build directory. Needs root.
"""
import collections
import contextlib
import json
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
import witness_loads  # noqa: E402
from findings_witness import MARGIN_S, Witness, busiest_cpu, judge  # noqa: E402
from frames import check, finish, skip_all  # noqa: E402
from illnesses import (HEALTHY, ILLNESSES, CannotBeMade, compile_commands, program,  # noqa: E402
                       started)
from pmctop import ENVIRONMENT  # noqa: E402
from programs import BUILD, LOAD, PMCTOP  # noqa: E402
from witness_scenes import TRACED  # noqa: E402

LOOK_S = 0.04, 0.06
LATE_S = 0.3  # a finding is judged so long after the witness has what it needs
BUSY = 0.9
PERIOD_S, IDLE_S = 45, 7  # the machine is idle at the end of each period
STORM_S, STORM_AT = 12, 1  # of which period; a loop after it, in which sleepers sleep
CONFIRMED_LEAST, KINDS_LEAST = 60, 6  # in two minutes
MARKS = re.compile(r"~|at least|\?")

DATABASE = """
import sqlite3
db = sqlite3.connect("{place}/db")
db.execute("create table t (k integer primary key, v text)")
for n in range(10**9):
    with db:
        db.executemany("insert or replace into t values (?, ?)",
                       [(k % 5000, "x" * 100) for k in range(n * 20, n * 20 + 20)])
    db.execute("select count(*), max(v) from t where k > ?", (n % 5000,)).fetchone()
"""
FLOOD = """
import os, socket
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", 0))
if os.fork():
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while True:
        sender.sendto(b"x" * 64, receiver.getsockname())
while True:
    receiver.recv(100)
"""
ZOMBIES = """
import os, time
while True:
    for _ in range(5):
        if not os.fork():
            os._exit(0)
    time.sleep(4)
    for _ in range(5):
        os.wait()
    time.sleep(2)
"""
BURSTS = """
import time
while True:
    end = time.time() + 0.3
    while time.time() < end:
        pass
    time.sleep(0.7)
"""
LOOP = "while True: sum(range(1000))"


def python(text):
    return [sys.executable, "-c", text]


# Beside those of illnesses.py: the commands, given a directory.
OTHERS = {
    "database": lambda place: [python(DATABASE.format(place=place))],
    "flood": lambda _: [python(FLOOD)],
    "zombies": lambda _: [python(ZOMBIES)],
    "bursts": lambda _: [python(BURSTS)],
    "loop": lambda _: [python(LOOP)],
    "storm": lambda _: [program("pingpong", "1000000000")] * 2,
    "storm and flood": lambda _: [program("pingpong", "1000000000")] * 2 + [python(FLOOD)],
    "pipeline": lambda _: [["sh", "-c", "while :; do head -c 3000000 /dev/urandom | gzip | "
                            "sha256sum; done"]],
    "copies": lambda place: [["sh", "-c", "while :; do dd if=/dev/zero of=$0/copy bs=1M count=200 "
                              "conv=fsync; done", place]],
    "make -j4": lambda place: [[word.replace("-j2", "-j4") for word in compile_commands(place)[0]]],
    "pool": lambda _: [witness_loads.small("pool")],
    "nappers": lambda _: [witness_loads.small("nappers")],
    "enders": lambda _: [witness_loads.small("enders")],
    "short": lambda _: [witness_loads.small("short")],
}
# All the time. The first sleeps, and no finding is about it.
SLEEPERS = [["sleep", "1000000"], ["bash", "-c", "while :; do sleep 3; done"],
            *[["bash", "-c", "exec 9<> <(:); while ! read -t $0 -u 9; do :; done", seconds]
              for seconds in ("0.1", "0.7", "5", "19")],
            program("crowd", "-p", "2", "-w", "2", "-s", "4", "-b", "0")]
LOADS = [*ILLNESSES, *HEALTHY, *OTHERS]
PREFIX = ("setpriv", "--pdeathsig", "KILL")


@contextlib.contextmanager
def other_started(name):
    with tempfile.TemporaryDirectory(prefix="findings-", dir=BUILD) as place:
        commands = dict(enumerate(OTHERS[name](place)))
        with witness_loads.running(commands, PREFIX) as pids:
            yield list(pids.values())


class Schedule:
    """Two lanes of loads, one after the other, each in random order. It is a process of its own:
    schedule SEED SECONDS BEGIN, where BEGIN is the time that the others count from."""

    def __init__(self, seed, seconds, begin):
        self.seed, self.begin, self.end = seed, begin, begin + seconds

    def _now(self):
        return time.time() - self.begin

    def _run(self, name, until):
        try:
            with (other_started if name in OTHERS else started)(name) as made:
                left_s = max(0, until - self._now())
                print(f"# {self._now():.1f} s: {name} {getattr(made, 'pids', made)}, for "
                      f"{left_s:.1f} s", flush=True)
                time.sleep(left_s)
        except CannotBeMade as reason:
            print(f"# no {name}: {reason}", flush=True)

    def _lane(self, number):
        rng, deck, seconds = random.Random(f"{self.seed} {number}"), [], self.end - self.begin
        stormed = set()
        while (now := self._now()) < seconds:
            period = int(now // PERIOD_S)
            busy_until = min((period + 1) * PERIOD_S - IDLE_S, seconds)
            if now >= busy_until - 2:
                time.sleep(max(0, min((period + 1) * PERIOD_S, seconds) - now))
            elif period % 5 == STORM_AT and period not in stormed:
                stormed.add(period)
                if number == 0:
                    self._run("storm and flood", now + STORM_S)
                    self._run("loop", busy_until)
                time.sleep(max(0, busy_until - self._now()))
            else:
                deck = deck or rng.sample(LOADS, len(LOADS))
                self._run(deck.pop(), min(now + rng.uniform(5, 12), busy_until))
                time.sleep(rng.choice((0, 0, 1, 3)))

    def run(self):
        lanes = [threading.Thread(target=self._lane, args=(number,)) for number in range(2)]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()


class Refreshes:
    """pmctop's refreshes, read without waiting."""

    def __init__(self, prefix):
        self.process = subprocess.Popen(
            [*prefix, PMCTOP, "-b", "-d", "1", "--format", "json"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, env=ENVIRONMENT,
            preexec_fn=lambda: os.setpriority(os.PRIO_PROCESS, 0, 0))
        os.set_blocking(self.process.stdout.fileno(), False)
        self.text = b""

    def read(self):
        self.text += self.process.stdout.read() or b""
        *lines, self.text = self.text.split(b"\n")
        return [json.loads(line) for line in lines]

    def close(self):
        self.process.terminate()
        self.process.stdout.close()
        self.process.wait()


class Tally:
    """What became of the findings."""

    def __init__(self, begin, sleeper):
        self.begin, self.sleeper = begin, sleeper
        self.kinds, self.wrong = collections.defaultdict(collections.Counter), []
        self.empty, self.busy, self.refreshes = [], 0, 0
        self.denied, self.believed = collections.Counter(), []

    def _line(self, finding, interval, measures):
        marks = "; ".join(f"{each.what} {each.seen:.3g}, limit {each.limit:.3g}" +
                          (f", stated {each.stated:.3g}" if each.stated else "")
                          for each in measures)
        return (f"{interval[0] - self.begin:.1f} to {interval[1] - self.begin:.1f} s: "
                f"\"{finding['sentence']}\" ({finding['kind']}, tid {finding.get('tid')}, "
                f"{finding['cpus']:.2f} CPUs): {marks}")

    def _try_wrong(self, witness, finding, interval):
        """The same said of a task that sleeps, or that a busy machine is idle, is false."""
        wrong = {**finding, "pid": self.sleeper, "tid": self.sleeper}
        outcome, measures = judge(witness, wrong, *interval)
        if outcome == "false":
            self.denied[finding["kind"]] += 1
        elif outcome != "unjudged":
            self.believed.append(f"{outcome}: {self._line(wrong, interval, measures)}")

    def _judge(self, witness, finding, interval):
        kind = finding["kind"]
        if kind == "machine":
            kind = "machine: " + next(
                word for word in ("ended child", "pressure", "nearly full", "steal", "softirqs",
                                  "interrupts", "") if word in finding["sentence"])
        outcome, measures = judge(witness, finding, *interval)
        self.kinds[kind].update(["said", outcome, *["marked"] * bool(
            MARKS.search(finding["sentence"]) or finding.get("state"))])
        if outcome in ("false", "less"):
            self.wrong.append(f"{outcome}: {self._line(finding, interval, measures)}")
        if outcome == "confirmed" and finding.get("pid"):
            self._try_wrong(witness, finding, interval)

    def add(self, witness, refresh):
        interval = refresh["time"] - refresh["interval_s"], refresh["time"]
        self.refreshes += 1
        for finding in refresh["findings"]:
            self._judge(witness, finding, interval)
        if busiest_cpu(witness, *interval) > BUSY:
            self.busy += 1
            if not refresh["findings"]:
                self.empty.append(f"{interval[0] - self.begin:.1f} to "
                                  f"{interval[1] - self.begin:.1f} s: {refresh['notes']}")
            self._try_wrong(witness, {"kind": "idle", "sentence": "idle", "cpus": 0}, interval)

    def table(self):
        columns = "said", "marked", "confirmed", "less", "false", "unjudged"
        total = sum(self.kinds.values(), collections.Counter())
        print(f"# {'kind':24}", *(f"{column:>9}" for column in columns))
        for kind, counts in [*sorted(self.kinds.items()), ("all", total)]:
            print(f"# {kind:24}", *(f"{counts[column]:9}" for column in columns),
                  f"{counts['unjudged'] / max(counts['said'], 1):9.0%}")
        return total


def watch(minutes, seed, sleeper):
    """The tally of findings, and when `time` was not the end of the interval."""
    begin, witness, waiting, shifted = time.time(), Witness(), [], []
    rng, tally = random.Random(seed), Tally(begin, sleeper)
    schedule = subprocess.Popen([*PREFIX, sys.executable, os.path.abspath(__file__), "schedule",
                                 str(seed), str(60 * minutes), str(begin)])
    os.setpriority(os.PRIO_PROCESS, 0, -20)
    for prefix in TRACED, []:
        refreshes, until, before = Refreshes(prefix), time.time() + 30 * minutes, None
        while time.time() < until or waiting:
            witness.look()
            for refresh in refreshes.read() if time.time() < until else []:
                waiting.append(refresh)
                shift = refresh["time"] - refresh["interval_s"] - before["time"] if before else 0
                before = refresh
                if abs(shift) > 0.05 or not 0 <= time.time() - refresh["time"] < 2:
                    shifted.append((refresh["time"] - begin, shift))
            while waiting and waiting[0]["time"] + MARGIN_S + LATE_S < time.time():
                tally.add(witness, waiting.pop(0))
            time.sleep(rng.uniform(*LOOK_S))
        refreshes.close()
    schedule.wait()
    seconds = time.time() - begin
    print(f"# {witness.turn} looks in {seconds:.0f} s, which took "
          f"{witness.look_s / seconds:.1%} of a CPU")
    return tally, shifted


def main(minutes=2.0, seed=None):
    seed = seed or random.randrange(10**6)
    print(f"# {minutes} minutes, seed {seed}", flush=True)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    with witness_loads.running(dict(enumerate(SLEEPERS)), PREFIX) as pids:
        tally, shifted = watch(minutes, seed, pids[0])
    total = tally.table()
    for line in tally.wrong:
        print(f"# {line}")
    check("time is the end of the interval, which begins with the end of the one before",
          len(shifted) <= tally.refreshes / 20, shifted)
    check(f"the witness denies {sum(tally.denied.values())} wrong findings of "
          f"{len(tally.denied)} kinds", len(tally.denied) >= KINDS_LEAST and not tally.believed,
          (tally.denied, tally.believed))
    check(f"no finding of {total['said']} is false", not total["false"],
          "they are below the table")
    check(f"each of {tally.busy} refreshes with a CPU above {BUSY:.0%} has a finding",
          tally.busy and not tally.empty, tally.empty)
    kinds = [kind for kind, counts in tally.kinds.items() if counts["confirmed"]]
    check(f"{total['confirmed']} findings of {len(kinds)} kinds are confirmed",
          total["confirmed"] >= CONFIRMED_LEAST * minutes / 2 and len(kinds) >= KINDS_LEAST, kinds)
    finish()


if __name__ == "__main__":
    if sys.argv[1:2] == ["schedule"]:
        Schedule(sys.argv[2], float(sys.argv[3]), float(sys.argv[4])).run()
        sys.exit()
    if not os.path.exists(os.path.join(LOAD, "confine")):
        skip_all(f"no {LOAD}/confine: make loads")
    missing = skip_reason.mounts() or skip_reason.pid_namespace() or skip_reason.system_wide(PMCTOP)
    if missing:
        skip_all(missing)
    main(*map(float, sys.argv[1:2]), *sys.argv[2:3])
