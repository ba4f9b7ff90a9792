#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, it uses all CPUs.
"""The sick and healthy processes of illnesses.py: what the kernel counts for each is what its name
says, and nothing of it is left. pmctop names each illness within two refreshes, in JSON and on the
screen, and names no healthy process, nor its children.

Prints TAP. BUILD is the build directory. Needs root for the cgroups. An argument: only these
illnesses.
"""
import json
import os
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, check_unless, finish, skip, skip_all  # noqa: E402
from illnesses import HEALTHY, ILLNESSES, CannotBeMade, Seen, cgroup_of, started  # noqa: E402
from pmctop import ENVIRONMENT, listed  # noqa: E402
from programs import LOAD, PMCTOP, alive  # noqa: E402
from terminals import Failure, Terminal, missing  # noqa: E402

REFRESHES = 2
PATIENCE_S = 15
WAIT_LEAST = 0.25  # the limit of pmctop's rules of waits
# In a mount namespace of its own pmctop has tracefs, whether it is mounted here or not.
TRACED = ["unshare", "--mount", "sh", "-c",
          "mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; exec \"$@\"", "sh"]
LABELS = {rest.split(None, 2)[2].split(":")[0]: label for label, rest in listed("verdicts")}
NO_LOSS = {None, "fine", "cpu", "idle"}


def refreshes(*options):
    """What pmctop prints in REFRESHES refreshes of a second."""
    done = subprocess.run([*TRACED, PMCTOP, "-b", "-d", "1", "-n", str(REFRESHES), "--format",
                           "json", *options], check=True, capture_output=True, text=True,
                          env=ENVIRONMENT)
    return [json.loads(line) for line in done.stdout.splitlines()]


def by(sick):
    return "process" if sick.pid == sick.tid else "thread"


def verdicts_of(sick):
    """The verdicts of the row to look at, and the figures of that row, as a detail."""
    rows = [row for refresh in refreshes("--by", by(sick)) for row in refresh["tasks"]
            if row["tid"] == sick.tid]
    return [row["verdict"] for row in rows], [row["metrics"] for row in rows]


def losses_of_machine():
    return {refresh["totals"]["verdict"] for refresh in refreshes()} - NO_LOSS


def losses_of(sick):
    """(name, verdict, figures) of each row with a loss among this process and its children, and of
    their sum."""
    seen = refreshes("-p", str(sick.pid))
    rows = [row for refresh in seen for row in refresh["tasks"]]
    rows += [{"comm": "the sum", **refresh["totals"]} for refresh in seen]
    return [(row["comm"], row["verdict"], row["metrics"]) for row in rows
            if row["verdict"] not in NO_LOSS]


def see_on_screen(sick, label):
    """Failure if the label does not appear in the row."""
    terminal = Terminal(150, 30)
    try:
        terminal.start(f"--by {by(sick)} -i --filter {sick.tid}", shlex.join(TRACED) + " ")
        terminal.wait_for(rf"^ +{sick.pid} .*[ ~?]{label} ", PATIENCE_S)
        terminal.keys("q")
    finally:
        terminal.close()


def why_runq(illness, sick, words):
    """Why the kernel's own figures confirm the verdict runq; None: they do not. Rules with
    precedence over runq need time in state D, or have no reason to miss."""
    seen = Seen(sick)
    if "runq" not in words or seen.own_share("runq_s") < WAIT_LEAST:
        return None
    why = f"the machine is busy: it waits {seen.own_share('runq_s'):.0%} of the time for a CPU"
    if illness.verdict == "memory-pressure" and seen.state("D") < WAIT_LEAST:
        return f"{why}, and {seen.state('D'):.0%} in state D"
    return why if illness.verdict not in ("throttled", "memory-pressure", "forks") else None


def examine_sick(name, illness, sick):
    words, figures = verdicts_of(sick)
    good = illness.verdict in words
    why = None if good else why_runq(illness, sick, words)
    check_unless(why, f"{name}: {illness.verdict} within {REFRESHES} refreshes", good,
                 (words, figures))
    if why:
        skip(f"{name}: {LABELS[illness.verdict]} on the screen", why)
        return
    try:
        see_on_screen(sick, LABELS[illness.verdict])
        failure = None
    except Failure as reason:
        failure = reason
    check(f"{name}: {LABELS[illness.verdict]} on the screen", not failure, failure)


def examine_healthy(name, illness, sick):
    """Its own verdict is no illness: a stopped process may be wanted so."""
    named = [loss for loss in losses_of(sick) if loss[1] != illness.verdict]
    check(f"{name}: no illness is named", not named, named)
    machine = losses_of_machine()
    check_unless(SICK_ANYWAY, f"{name}: nor of the machine", not machine, machine)


def examine(name, illness):
    with started(name) as sick:
        seen = Seen(sick)
        print(f"# {name}: {seen}", flush=True)
        check(f"{name}: the witness agrees", illness.witness(seen), seen)
        if name in HEALTHY:
            examine_healthy(name, illness, sick)
        else:
            examine_sick(name, illness, sick)
    check(f"{name}: nothing is left", not any(map(alive, sick.pids)) and not cgroup_of(sick.pid),
          sick)
    if name == "idle":
        agree = [each for each, other in ILLNESSES.items() if other.witness(seen)]
        check("no witness takes a sleeping process for a sick one", not agree, agree)


if not os.path.exists(os.path.join(LOAD, "confine")):
    skip_all(f"no {LOAD}/confine: make loads")
why = skip_reason.mounts() or skip_reason.pid_namespace() or skip_reason.system_wide(PMCTOP)
if why or missing():
    skip_all(why or f"no {' '.join(missing())}")
machine_losses = losses_of_machine()
SICK_ANYWAY = f"without it the machine has {machine_losses}" if machine_losses else None
for each, what in {**ILLNESSES, **HEALTHY}.items():
    if len(sys.argv) > 1 and each not in sys.argv[1:]:
        continue
    try:
        examine(each, what)
    except CannotBeMade as reason:
        skip(each, reason)
finish()
