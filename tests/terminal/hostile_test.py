#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hostile names on each page and in each list of choices: pmctop sends a terminal its own sequences
and printable text, nothing else.

Prints TAP (tests/terminals.py).
"""
import glob
import os
import re
import shlex
import subprocess
import sys
from xml.etree import ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
import hostile  # noqa: E402
import terminals  # noqa: E402
from hostile import ALL, GUISE, NAMES, faults, terminal_faults  # noqa: E402
from terminals import PMCTOP, Failure, Skip, Terminal, missing, run_all  # noqa: E402

BAD = "\ufffd"
ROW = f"h0{BAD}"
TASKS = r"PID .*COMMAND"
# Typed text, as a paste may have it. Control characters are keys; marks of text direction are text.
TYPED, TYPED_SHOWN = "h\u202e\u2066[6661m\u200f", rf"h{BAD}{BAD}\[6661m{BAD}"


class Tour:
    """Goes from page to page, and waits on each for the hostile text in its harmless form."""

    def __init__(self, directory, name, command, **environment):
        self.sent, self.stderr = (os.path.join(directory, f"{name}.{what}") for what in ("sent", "stderr"))
        script = os.path.join(directory, f"{name}.sh")
        with open(script, "wb") as file:
            file.write(b" ".join(b"'" + os.fsencode(word).replace(b"'", b"'\\''") + b"'"
                                 for word in command) + b" 2>'%s'\n" % os.fsencode(self.stderr))
        self.terminal = Terminal(150, 50, **environment)
        self.folder = os.path.join(directory, f"{name}.saved")  # S writes here
        os.mkdir(self.folder)
        self.terminal.line(f"cd {shlex.quote(self.folder)}")
        self.terminal.tmux("pipe-pane", "-t", "t", f"cat >{shlex.quote(self.sent)}")
        self.terminal.line(f"clear; sh {script}; echo rc=$?")

    def see(self, pattern, *keys, typed=""):
        """Sends keys and a text, and waits for the pattern."""
        if keys:
            self.terminal.keys(*keys)
        if typed:
            self.terminal.text(typed)
        self.terminal.wait_for(pattern)

    def visit(self, pattern, key, typed="", typed_shown=""):
        """Opens a list or a page and leaves it."""
        self.see(pattern, key)
        if typed:
            self.see(typed_shown, typed=typed)
        self.terminal.keys("Escape")
        # After a text without a match a list has nothing but its frame.
        self.terminal.wait_for_no(f"{pattern}|┌─")

    def check_saved(self):
        """Saves the page with hostile rows: the files have their text and nothing else."""
        self.see(r"^Saved pmctop-\S+\.ansi and \.svg", "S")
        text, = glob.glob(os.path.join(self.folder, "*.ansi"))
        with open(text, "rb") as file:
            bare = re.sub(rb"\x1b\[[0-9;]*m", b"", file.read())
        with open(text.removesuffix("ansi") + "svg", "rb") as file:
            picture = file.read()
        # A character outside of Latin is an element of its own, on a line of its own.
        shown = "".join(ElementTree.fromstring(picture).itertext()).replace("\n", "")
        if faults(bare) or faults(picture):
            raise Failure(f"saved: {faults(bare)} {faults(picture)}")
        if ROW not in bare.decode() or ROW not in shown:
            raise Failure(f"{ROW} is not in what was saved:\n{bare.decode()}\n{shown}")

    def end(self):
        self.see("^rc=0$", "q")
        with open(self.sent, "rb") as file:
            sent = file.read()
        with open(self.stderr, "rb") as file:
            stderr = file.read()
        if len(sent) < 10000 or terminal_faults(sent):
            raise Failure(f"{len(sent)} bytes were sent to the terminal: {terminal_faults(sent)}")
        if faults(stderr):
            raise Failure(f"standard error: {faults(stderr)}")

    def close(self):
        self.terminal.close()


def make_home(directory):
    """Makes themes, presets, keys and metrics with hostile names."""
    home = os.path.join(os.fsencode(directory), b"pmctop")
    line = ALL.replace(b"\n", b"")
    os.makedirs(os.path.join(home, b"themes"))
    for i, name in enumerate(NAMES):
        name = name.replace(b"/", b"").replace(b"\n", b"")
        with open(os.path.join(home, b"themes", name + b".theme"), "wb") as file:
            file.write(b"# " + line + b'\ntheme[main_fg]="#00%02x00"\n' % i)
    with open(os.path.join(home, b"pmctop.conf"), "wb") as file:
        file.write(b"[pmctop]\nodd" + NAMES[0] + b" = 1\n[presets]\nmine = ipc, page-faults\n"
                   b"[keys]\nkill = k " + NAMES[4] + b"\n[metrics]\n"
                   b"odd = page-faults; help=" + NAMES[4] + b"\n")


def see_pages(tour, live):
    """Visits all pages, and returns."""
    tour.see(ROW)
    tour.see(TASKS)
    tour.check_saved()
    if live:
        tour.see(f"{ROW}.* -- ", "c")
    tour.see(r"PID +TID", "H")
    tour.see(r"PID +(?!TID)\S+ .*COMMAND", "H")
    tour.see(f"[├└│─].*{ROW}|{ROW}", "t", "t")
    tour.see("NPROC", "g")
    tour.see("CGROUP", "g")
    tour.see("NPROC .*COMMAND", "g")
    tour.see(TASKS, "g")
    tour.see(TYPED_SHOWN, "/", typed=TYPED)
    tour.see(TASKS, "C-u", "h", "0", "Enter")
    tour.see(f"process \\d+ .*\n(.*\n){{1,5}}.*{BAD}", "Enter")
    tour.see("^Esc Back")
    tour.see("", "PgDn", "PgDn", "End", "PgUp")
    tour.terminal.leave_page("^Esc Back")
    tour.see(TASKS)
    tour.see(TYPED_SHOWN, "\\", typed=TYPED)
    tour.see(TASKS, "C-u", "Enter")
    tour.see(ROW)
    tour.visit("^Keys", "?")
    tour.visit(rf"(?s)^FIRST +LAST.*pmctop\.conf:\d+: [^\n]*{BAD}", "L")
    tour.visit("^Options:", "F2")
    tour.visit("^Columns:", "f")
    tour.see("^Options:", "F2", "Home", "Down")
    tour.visit(rf"(?s)Theme ─.*h4{BAD}.*h7{BAD}abc", "Enter", TYPED, TYPED_SHOWN)
    tour.terminal.leave_page("^Options:")
    tour.visit("(?s)Preset.*mine", "p", TYPED, TYPED_SHOWN)
    tour.visit("Show tasks of", "u", TYPED, TYPED_SHOWN)
    if not live:
        tour.visit(r"Go to \(now", "G", TYPED, TYPED_SHOWN)
        return
    tour.visit("Remove a column", "x", TYPED, TYPED_SHOWN)
    tour.visit(f"(?s)Attach to a process.*{ROW}", "a", TYPED, TYPED_SHOWN)
    tour.visit("SIGTERM|TERM", "k")
    tour.visit("Add an event", "e", TYPED, TYPED_SHOWN)
    if skip_reason.system_wide(PMCTOP):
        tour.see("^No recording: whole CPUs are not counted", "o")
    else:
        tour.visit("Record to file", "o", TYPED, TYPED_SHOWN)


def check_wide_characters(crowd):
    """A wide screen shows each wide character of a command line, at any position."""
    text = "\u6f22" * 60
    crowd.start_process([text.encode(), b"as", b"wide"])
    terminal = Terminal(150, 24)
    try:
        terminal.start(f"-c -i -p {crowd.pids[-1]}")
        terminal.keys("Enter")
        terminal.wait_for(f"^command line {text} as wide$")
    finally:
        terminal.close()


def main():
    if absent := missing(GUISE):
        print(f"1..0 # skip {', '.join(absent)} missing")
        return 77
    with hostile.directory() as directory:
        make_home(directory)
        disguise, crowd = hostile.Disguise(directory), hostile.Crowd(directory)
        data = os.path.join(os.fsencode(directory), b"run" + NAMES[4] + NAMES[0])
        target = ["-p", ",".join(map(str, crowd.pids)), "-i"]

        def tour(name, live, command):
            pages = Tour(directory, name, command, XDG_CONFIG_HOME=directory)
            try:
                see_pages(pages, live)
                pages.end()
            finally:
                pages.close()

        def live():
            tour("live", True, [*disguise.command, PMCTOP, *target, "0.2"])

        def replay():
            if why := skip_reason.system_wide(PMCTOP):
                raise Skip(why)
            subprocess.run([*disguise.command, PMCTOP, "-b", "-n", "3", "0.2", *target,
                            "--record", data], check=True, capture_output=True, timeout=60)
            tour("replay", False, ["env", "TERM=h\x1b[6661m", PMCTOP, "--replay", data, "-i"])

        try:
            return run_all([("the pages of live tasks", live),
                            ("the pages of a recording, with a hostile TERM", replay),
                            ("wide characters", lambda: check_wide_characters(crowd))])
        finally:
            crowd.close()


if __name__ == "__main__":
    sys.exit(main())
