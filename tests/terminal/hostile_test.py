#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names that would steer a terminal, through every page and every list of what there is to choose:
byte by byte, pmctop sends a terminal its own sequences and printable text, nothing else.

Prints TAP, as tests/terminals.py says.
"""
import os
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import confined  # noqa: E402
import hostile  # noqa: E402
import terminals  # noqa: E402
from hostile import ALL, GUISE, NAMES, faults, terminal_faults  # noqa: E402
from terminals import PMCTOP, Failure, Skip, Terminal, missing, run_all  # noqa: E402

BAD = "\ufffd"
ROW = f"h0{BAD}"
TASKS = r"PID .*COMMAND"
# Typed: what is pasted may be anything. Controls are keys, and what turns a line is text.
TYPED, TYPED_SHOWN = "h\u202e\u2066[6661m\u200f", rf"h{BAD}{BAD}\[6661m{BAD}"


class Tour:
    """From page to page: each is waited for until it shows what is bad, as it may be shown."""

    def __init__(self, directory, name, command, **environment):
        self.sent, self.said = (os.path.join(directory, f"{name}.{what}") for what in ("sent", "said"))
        script = os.path.join(directory, f"{name}.sh")
        with open(script, "wb") as file:
            file.write(b" ".join(b"'" + os.fsencode(word).replace(b"'", b"'\\''") + b"'"
                                 for word in command) + b" 2>'%s'\n" % os.fsencode(self.said))
        self.terminal = Terminal(150, 50, **environment)
        self.terminal.tmux("pipe-pane", "-t", "t", f"cat >{shlex.quote(self.sent)}")
        self.terminal.line(f"clear; sh {script}; echo rc=$?")

    def see(self, pattern, *keys, typed=""):
        """Keys, a text, and what is on the screen then."""
        if keys:
            self.terminal.keys(*keys)
        if typed:
            self.terminal.text(typed)
        self.terminal.wait_for(pattern)

    def visit(self, pattern, key, typed="", typed_shown=""):
        """A list or a page of its own, which is left again."""
        self.see(pattern, key)
        if typed:
            self.see(typed_shown, typed=typed)
        self.terminal.keys("Escape")
        # What is typed may leave nothing of a list but its frame.
        self.terminal.wait_for_no(f"{pattern}|┌─")

    def end(self):
        self.see("^rc=0$", "q")
        with open(self.sent, "rb") as file:
            sent = file.read()
        with open(self.said, "rb") as file:
            said = file.read()
        if len(sent) < 10000 or terminal_faults(sent):
            raise Failure(f"{len(sent)} bytes were sent to the terminal: {terminal_faults(sent)}")
        if faults(said):
            raise Failure(f"standard error: {faults(said)}")

    def close(self):
        self.terminal.close()


def make_home(directory):
    """Themes, presets, keys and metrics of such names."""
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
    """All of them, and back."""
    tour.see(ROW)
    tour.see(TASKS)
    if live:
        tour.see(f"{ROW}.* -- ", "c")
    tour.see(r"PID +TID", "H")
    tour.see(r"PID +(?!TID)\S+ .*COMMAND", "H")
    tour.see(f"[├└│─].*{ROW}|{ROW}", "t", "t")
    tour.see("NPROC", "g")
    tour.see("CGROUP", "g")
    tour.see(TASKS, "g")
    tour.see(TYPED_SHOWN, "/", typed=TYPED)
    tour.see(TASKS, "C-u", "h", "0", "Enter")
    tour.see(f"process \\d+ .*\n.*\n.*{BAD}", "Enter")
    tour.see("", "PgDn", "PgDn", "End", "PgUp")
    tour.see(TASKS, "Escape")
    tour.see(TYPED_SHOWN, "\\", typed=TYPED)
    tour.see(TASKS, "C-u", "Enter")
    tour.see(ROW)
    tour.visit("^Keys", "?")
    tour.visit(rf"(?s)^FIRST +LAST.*pmctop\.conf:\d+: [^\n]*{BAD}", "L")
    tour.visit("^Options:", "F2")
    tour.visit("^Columns:", "f")
    tour.visit(rf"(?s)Theme.*h4{BAD}.*h7{BAD}abc", "T", TYPED, TYPED_SHOWN)
    tour.visit("(?s)Preset.*mine", "p", TYPED, TYPED_SHOWN)
    tour.visit("Show the tasks of", "u", TYPED, TYPED_SHOWN)
    if not live:
        tour.visit("Go to, now", "G", TYPED, TYPED_SHOWN)
        return
    tour.visit("Remove a column", "x", TYPED, TYPED_SHOWN)
    tour.visit(f"(?s)Attach to a process.*{ROW}", "a", TYPED, TYPED_SHOWN)
    tour.visit("SIGTERM|TERM", "k")
    tour.visit("Add an event", "e", TYPED, TYPED_SHOWN)
    tour.visit("Record to file", "o", TYPED, TYPED_SHOWN)


def wide(crowd):
    """Of a command line of wide characters on a wide screen each is shown, wherever it stands."""
    text = "\u6f22" * 60
    crowd.add([text.encode(), b"as", b"wide"])
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
            one = Tour(directory, name, command, XDG_CONFIG_HOME=directory)
            try:
                see_pages(one, live)
                one.end()
            finally:
                one.close()

        def live():
            tour("live", True, [*disguise.command, PMCTOP, *target, "0.2"])

        def replay():
            if why := confined.system_wide(PMCTOP):
                raise Skip(why)
            subprocess.run([*disguise.command, PMCTOP, "-b", "-n", "3", "0.2", *target,
                            "--record", data], check=True, capture_output=True, timeout=60)
            tour("replay", False, ["env", "TERM=h\x1b[6661m", PMCTOP, "--replay", data, "-i"])

        try:
            return run_all([("the pages of live tasks", live),
                            ("those of a recording, on a terminal of such a type", replay),
                            ("wide characters", lambda: wide(crowd))])
        finally:
            crowd.close()


if __name__ == "__main__":
    sys.exit(main())
