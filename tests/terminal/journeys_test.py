#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whole tasks of a user, from the first key to the last, on this machine and on an emulated one
with counters, where a busy loop's IPC is exactly 0.5.

Prints TAP (tests/terminals.py). Without the packages of the emulated machine its journeys are
skipped. The journeys of a machine follow each other on one terminal. Each step waits for what it
needs to see, on a machine of any speed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import skip_reason  # noqa: E402
from terminals import (  # noqa: E402
    BUILD, PMCTOP, SPIN, Failure, Terminal, busy, clock, missing, run_all, wait_until)

ROOT = os.path.join(HERE, "..", "..")
TASKS = r"^ +PID .*COMMAND"


class Machine:
    """A shell in a terminal, and a busy loop with a known pid."""

    pmctop = PMCTOP
    data = ""  # a recording; "": it has no right to make one

    def see(self, pattern):
        return self.terminal.wait_for(pattern)

    def see_no(self, pattern):
        self.terminal.wait_for_no(pattern)

    def keys(self, *keys):
        self.terminal.keys(*keys)

    def shell(self, command, pattern):
        """Runs a command and waits for its output."""
        self.terminal.line(f"clear; {command}")
        return self.see(pattern)

    def start(self):
        self.shell(f"{self.pmctop} 0.5; echo rc=$?", TASKS)

    def quit(self):
        self.keys("q")
        self.see("^rc=0$")

    def pick(self, key, title, typed):
        """Opens a picker and types."""
        self.keys(key)
        self.see(title)
        self.terminal.text(typed)
        self.see(f"> {re.escape(typed)}")

    def wait_for_refresh(self):
        """Waits for a refresh. What was drawn before it is then on the terminal too."""
        shown = clock(self.terminal.screen())
        wait_until("a refresh", lambda: clock(self.terminal.screen()) not in (None, shown))

    def colors(self):
        """The colours of the list's header on the terminal."""
        self.wait_for_refresh()
        screen = self.terminal.tmux("capture-pane", "-p", "-e", "-t", "t")
        line = next((line for line in screen.splitlines() if "VERDICT" in line), "")
        return set(re.findall(r"[34]8;[25];[\d;]*\d", line))


class Here(Machine):
    title = "this machine"
    verdict = r"^(No verdict|(cpu|fine|runq|stalled|memory|core|branch|frontend|backend)\b).*"
    column = "faults"
    events = (("page-faults", "needs no counter"),)

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory()
        if not skip_reason.system_wide(PMCTOP):
            self.data = os.path.join(self.directory.name, "run.data")
        self.spin = busy(SPIN)
        self.pid = self.spin.pid
        with open(f"/proc/{self.pid}/cgroup", encoding="utf-8") as file:
            self.cgroup = file.read().strip().rsplit("/", 1)[1][:8]
        self.terminal = Terminal(150, 30, XDG_CONFIG_HOME=self.directory.name)

    def close(self):
        self.terminal.close()
        self.spin.kill()
        self.spin.wait()
        self.directory.cleanup()


class Guest(Machine):
    title = "the emulated machine"
    pmctop = "pmctop"
    verdict = r"^stalled: IPC 0\.50 < 1"
    column = "stall"
    events = (("armv8_pmuv3/stall/", r"fits: \d of 7 counters"),
              ("{r08,r08:u,r08:k,r11,r11:u,r11:k}", r"takes turns: one of 2 then, counted for 50%"))
    data = "/tmp/run.data"
    cgroup = "busy"

    def __init__(self):
        self.terminal = Terminal(150, 30)
        try:
            self.terminal.line(
                f"clear; {ROOT}/tests/guest/boot.sh --image {BUILD}/guest --interactive "
                f"--pmctop {BUILD}/arm64/pmctop --load {BUILD}/arm64/load")
            self.see("^root@guest")
            self.pid = int(self.shell(
                "mkdir /sys/fs/cgroup/busy; spin & echo $! >/sys/fs/cgroup/busy/cgroup.procs; "
                "clear; echo pid=$!", r"^pid=(\d+)").group(1))
        except Failure:
            self.close()
            raise

    def close(self):
        self.keys("C-a", "x")  # QEMU's keys to end it
        self.terminal.close()


def find_busy_process(machine):
    """the busy process is found, with its verdict, the rule and the figures"""
    machine.start()
    machine.see(rf"^ +{machine.pid} .* spin$")
    machine.keys("/")
    machine.terminal.text(str(machine.pid))
    machine.keys("Enter", "Enter")
    machine.see(rf"process {machine.pid} spin")
    machine.see(machine.verdict)
    machine.keys("NPage")
    machine.see(r"\bCounts +in this interval")
    machine.keys("Escape")
    machine.see(TASKS)


def add_events(machine):
    """an event is added; before that the picker shows if it fits the counters"""
    for event, fit in machine.events:
        machine.pick("e", "Add an event or a metric", event)
        machine.see(fit)
        machine.keys("Enter")
        machine.see(TASKS)
    machine.see(rf"^ +PID .* {machine.column} .*COMMAND")
    machine.see(rf"^ +{machine.pid} .* spin$")


def attach(machine):
    """a process is attached to by its pid, and detached"""
    machine.pick("a", "Attach to a process", str(machine.pid))
    machine.keys("Enter")
    machine.see(r"target +[\d.]+%")
    machine.see(rf"^ +{machine.pid} .* spin$")
    rows = re.findall(r"^ +\d+ (?!\[)", machine.terminal.screen(), re.M)
    if len(rows) != 1:
        raise Failure(f"rows other than the target:\n{machine.terminal.screen()}")
    machine.keys("D")
    machine.see_no("target +[0-9]")


def roll_up(machine):
    """processes are summed up by user, cgroup and command"""
    machine.keys("g")
    machine.see(r"^USER +NPROC")
    machine.keys("g")
    machine.see(r"^NPROC .*CGROUP")
    machine.see(rf"^ +\d+ .*{re.escape(machine.cgroup)}")
    machine.keys("g")
    machine.see(r"^NPROC .*COMMAND")
    machine.see(r"^ +\d+ .* spin$")


def record(machine):
    """a recording begins and ends, or a sentence has the reason why there is none"""
    machine.keys("o")
    if not machine.data:
        machine.see("^No recording: whole CPUs are not counted")
        return
    machine.see("Record to file: pmctop-")
    machine.keys("C-u")
    machine.terminal.line(machine.data)
    machine.see(r"REC [0-9.]+[KM]")
    machine.keys("o")
    machine.see("The recording has ended. To see it: pmctop --replay")
    machine.see_no(r" REC ")


def save(machine):
    """theme, roll-up and added events are saved, and are there at the next start"""
    before = machine.colors()
    machine.keys("F2")
    machine.see("^Options:")
    machine.keys("Home", "Down")
    machine.pick("Enter", "Theme ─", "dracula")
    machine.keys("Enter")
    machine.terminal.leave_page("^Options:")
    colors = machine.colors()
    if not colors or colors == before:
        raise Failure(f"the header has the colours {before}, then {colors}")
    machine.keys("W")
    machine.see(r"^Saved in .*pmctop\.conf")
    machine.quit()
    if machine.data:
        machine.shell(f"head -c 8 {machine.data}; echo", "^PERFILE2")
    machine.shell(f"{machine.pmctop}; echo rc=$?", r"every 0\.5s")
    machine.see(r"^NPROC .*COMMAND")
    machine.keys("g")
    machine.see(rf"^ +PID .* {machine.column} .*COMMAND")
    wait_until("the theme's colours", lambda: machine.colors() == colors)
    machine.quit()


JOURNEYS = (find_busy_process, add_events, attach, roll_up, record, save)


def guest_is_missing():
    """Builds the emulated machine if needed. Returns the reason why there is none, or None."""
    for tool in "aarch64-linux-gnu-gcc", "qemu-system-aarch64", "cpio":
        if not shutil.which(tool):
            return f"no {tool}"
    # With the path that make has for its files: else it does not notice changed headers.
    build = os.path.relpath(BUILD, ROOT)
    made = subprocess.run(["make", "-s", "guest", f"BUILD={build}"], cwd=ROOT, check=False,
                          capture_output=True, text=True)
    return made.stderr.strip().rsplit("\n", 1)[-1] if made.returncode else None


def travel(kind):
    """All journeys on a machine. Each continues where the one before it ended."""
    machine = kind()
    try:
        for journey in JOURNEYS:
            try:
                journey(machine)
            except Failure as failure:
                raise Failure(f"{journey.__doc__}: {failure}") from None
            print(f"# {kind.title}: {journey.__doc__}\n", end="", flush=True)
    finally:
        machine.close()


def main():
    if absent := missing(SPIN):
        print(f"1..0 # skip {', '.join(absent)} missing")
        return 77
    kinds = [kind for kind in (Here, Guest) if not sys.argv[1:] or kind.__name__ in sys.argv[1:]]
    if Guest in kinds and (why := guest_is_missing()):
        print(f"# {Guest.title} is skipped: {why}")
        kinds.remove(Guest)
    return run_all([(f"the journeys on {kind.title}", lambda kind=kind: travel(kind))
                    for kind in kinds])


if __name__ == "__main__":
    sys.exit(main())
