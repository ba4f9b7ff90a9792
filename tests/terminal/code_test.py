#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of code on a terminal: rows of all kinds, callers, events, mouse, recordings. What its
shares are is tested by tests/live/code_test.py.

Prints TAP (tests/terminals.py).
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
import terminals  # noqa: E402
from terminals import BUILD, PMCTOP  # noqa: E402

HOTSPOTS = os.path.join(BUILD, "load", "hotspots")
LOADS = []
PAGE = r"SHARE%.*FUNCTION"
FIRST = r"(cpu-clock|cycles)(:u)?"  # without the right to sample the kernel: user mode alone
HOT = r"^ *\d+\.\d ±\d.* hot_burn"


def show_load(terminal, arguments=""):
    """Starts pmctop with the row of the load alone."""
    terminal.start(f"-d 0.5 {arguments}")
    terminal.keys("\\")
    terminal.wait_for("^Filter:")
    terminal.line(str(LOADS[0].pid))
    terminal.wait_for(rf"^ *{LOADS[0].pid} .*hotspots")
    terminal.wait_for_no("pmctop$")
    # The command line of the client that has typed the pid matches it, too.
    terminal.wait_for_no("tmux: client")


def open_code(terminal, shown=HOT):
    terminal.keys("w")
    terminal.wait_for(PAGE)
    terminal.wait_for(shown)


def leave(terminal):
    terminal.leave_page(PAGE)
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_keys(terminal):
    """callers, events, order, search, pause, baseline and the whole machine by keys"""
    show_load(terminal)
    open_code(terminal)
    terminal.wait_for("Enter Callers  w All  Tab Event")
    terminal.line("/hot_burn")
    terminal.keys("Enter")
    terminal.wait_for(r"^Callers, of [\d,]+ samples")
    terminal.wait_for(r"^hot_burn in process|  hot_burn in process")
    terminal.wait_for(r"\(itself\)")
    terminal.keys("Escape")
    terminal.wait_for(PAGE)
    terminal.keys("Tab")
    terminal.wait_for(r"cpu-clock \[page-faults\]|\[(?!cpu-clock|cycles)[\w:-]+\]")
    terminal.keys("BTab")
    terminal.wait_for(rf"^\[{FIRST}\]")
    terminal.keys("R")
    terminal.wait_for("SHARE%▲")
    terminal.keys("R")
    terminal.wait_for("SHARE%▼")
    terminal.keys("Z")
    terminal.wait_for("PAUSED")
    terminal.keys("Z")
    terminal.wait_for_no("PAUSED")
    terminal.keys("B")
    terminal.wait_for("change since the baseline")
    terminal.wait_for(r"^ *[-+]?\d+\.\d ±\d.* hot_burn")
    terminal.keys("B")
    terminal.wait_for_no("change since the baseline")
    terminal.keys("w")
    terminal.wait_for("(the machine|your tasks): [\\d,]+ samples")
    terminal.keys("w")
    terminal.wait_for(rf"process {LOADS[0].pid} hotspots: [\d,]+ samples")
    leave(terminal)


def test_mouse(terminal):
    """clicks choose a tab, sort, and go to callers; the wheel moves the selection"""
    show_load(terminal)
    open_code(terminal)
    terminal.click_on("page-faults")
    terminal.wait_for(r"\[page-faults(:u)?\]")
    terminal.click_on("cpu-clock" if "cpu-clock" in terminal.screen() else "cycles")
    terminal.wait_for(rf"\[{FIRST}\]")
    terminal.click_on("MODULE")
    terminal.wait_for("MODULE▲")
    terminal.click_on("MODULE")
    terminal.wait_for("MODULE▼")
    terminal.click_on("SHARE%")
    terminal.wait_for("SHARE%▼")
    terminal.wait_for(HOT)
    terminal.click(5, 5, button=65)
    terminal.click(5, 5, button=64)
    terminal.click_on("hot_burn")
    terminal.click_on("Callers")
    terminal.wait_for("^Callers, of")
    terminal.click_on("Back")
    terminal.wait_for(PAGE)
    terminal.click_on("Back")
    terminal.wait_for("%CPU▼")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_beside(terminal):
    """callers are beside the list on a wide screen, and in its place on a narrow one"""
    terminal.resize(200, 50)
    show_load(terminal)
    open_code(terminal)
    terminal.wait_for(PAGE + r".* Callers of \w+, of [\d,]+ samples")
    terminal.keys("Enter")
    terminal.wait_for(r" \w+ in process \d+ hotspots.*\n.*\n.*" + PAGE + ".* Callers of ")
    terminal.resize(80, 24)
    terminal.wait_for("^Callers, of ")
    terminal.wait_for_no(PAGE)
    terminal.keys("Escape")
    leave(terminal)


def test_rows(terminal):
    """roll-ups, CPUs, and the column of the hottest function"""
    terminal.resize(120, 30)
    terminal.start("-d 0.5 --columns hottest")
    terminal.wait_for(r"~\d+%(:u)? \w.* hotspots$")
    for title in "user", "cgroup", "command":
        terminal.keys("g")
        terminal.wait_for(r"^ *(USER|%CPU|COMMAND|CGROUP|NPROC).*(CGROUP|COMMAND|NPROC)")
        open_code(terminal, rf"{title} .+: [\d,]+ samples")
        terminal.leave_page(PAGE)
    terminal.keys("C")
    terminal.wait_for("^ *CPU +%CPU")
    open_code(terminal, r"CPU \d+: [\d,]+ samples")
    leave(terminal)


def test_verdict(terminal):
    """the verdict of a busy loop ends in the function where it is"""
    terminal.resize(120, 30)
    show_load(terminal, "--columns hottest")
    terminal.wait_for(r"~\d+%(:u)? \w+ .*hotspots$")
    terminal.keys("Enter")
    terminal.wait_for("^Time")
    # While it waits for a CPU, the verdict is about that.
    terminal.wait_for(r"^cpu: %CPU (.|\n)*; \d+ % of its time is in +(library|hot)_burn \(\S+\)"
                      r"|^(?!cpu)\w+: ")
    terminal.leave_page("^Time")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_recording(terminal):
    """a recording begun on the page has samples, and its replay shows the page"""
    if reason := skip_reason.system_wide(PMCTOP):
        raise terminals.Skip(reason)
    with tempfile.TemporaryDirectory(prefix="pmctop-code-") as directory:
        path = os.path.join(directory, "run.data")
        show_load(terminal)
        open_code(terminal)
        terminal.keys("o")
        terminal.wait_for("Record to file:")
        terminal.keys("C-u")
        terminal.line(path)
        terminal.wait_for("  REC$")
        terminal.keys("z")
        terminal.wait_for("Sampling begins")
        terminal.wait_for(r"[2-9]\d samples|\d{3} samples")
        terminal.wait_for(HOT)
        terminal.keys("o")
        terminal.wait_for_no("  REC$")
        leave(terminal)
        terminal.start(f"--replay {path}")
        terminal.wait_for("REPLAY")
        terminal.keys("\\")
        terminal.line(str(LOADS[0].pid))
        terminal.wait_for(rf"^ *{LOADS[0].pid} .*hotspots")
        terminal.keys("w")
        terminal.wait_for(PAGE)
        terminal.keys("G")
        terminal.line("0")
        terminal.wait_for(HOT)
        terminal.wait_for(rf"REPLAY .* process {LOADS[0].pid} hotspots: [\d,]+ samples in ")
        leave(terminal)


def why_not():
    """The reason why no function of the load can be sampled here, or None."""
    done = subprocess.run([PMCTOP, "-b", "--code", "-n", "2", "-d", "0.5", "-p",
                           str(LOADS[0].pid), "--format", "folded"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=60)
    if "hot_burn" in done.stdout:
        return None
    return "no samples of code: " + (done.stderr.strip().replace("\n", "; ") or "none came")


if __name__ == "__main__":
    STATUS = 77
    if absent := terminals.missing(HOTSPOTS):
        print(f"1..0 # skip {', '.join(absent)} missing")
        sys.exit(STATUS)
    LOADS.append(terminals.busy(HOTSPOTS, "library"))
    try:
        if reason := why_not():
            print(f"1..0 # skip {reason}")
        else:
            STATUS = terminals.main(globals())
    finally:
        LOADS[0].kill()
        LOADS[0].wait()
    sys.exit(STATUS)
