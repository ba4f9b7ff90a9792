#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each key, pressed in a real terminal, changes the screen as it should.

A row of ROWS is an action of `--list keys` with its default keys. In a session of each size the
first key of each row is pressed in the task list after the keys of `before`; at MAIN_SIZE all keys
are. It must make `shows` true, which was false. The keys of `back` undo it. `shows` is a pattern that
the screen must match, or a function of the screens before and after. An action without a row fails
the test.

JOURNEYS are longer sequences of keys.

Prints TAP. Exit status 1: a test failed; 77: skipped.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pmctop import listed  # noqa: E402
from terminals import (  # noqa: E402
    BUILD, PATIENCE_S, SPIN, Failure, Terminal, alive, busy, missing, run_all, wait_until)

CONFIG = tempfile.TemporaryDirectory()  # W and S write here; also has a program with a unique name
CROWD = os.path.join(BUILD, "load", "crowd")
TASKS = r"^ +PID .*COMMAND"
SIZES = ((60, 20), (80, 24), (120, 40), (200, 50))
MAIN_SIZE = (80, 24)
# More columns than the widest screen has room for.
COLUMNS = "0.5 -S waiting" + "".join(
    f" -m {name}" for name in ("mem_percent", "nice", "last_cpu", "thread_count", "read_per_s",
                               "write_per_s", "cs_per_s", "faults_per_s"))



@dataclass
class Screen:
    text: str
    lines: list = field(default_factory=list)
    reverse: list = field(default_factory=list)  # per line: whether it begins in reverse video

    @staticmethod
    def of(terminal):
        screen, reverse = Screen(""), False
        for line in terminal.tmux("capture-pane", "-p", "-e", "-t", "t").split("\n"):
            first = None
            plain = ""
            for part in re.split(r"(\x1b\[[\d;]*m)", line):
                if part.startswith("\x1b["):
                    for code in part[2:-1].split(";"):
                        reverse = True if code == "7" else False if code in ("", "0", "27") else reverse
                elif part:
                    first = reverse if first is None else first
                    plain += part
            screen.lines.append(plain)
            screen.reverse.append(bool(first))
        screen.text = "\n".join(screen.lines)
        return screen

    def header(self):
        return next((i for i, line in enumerate(self.lines)
                     if re.match(r" *(PID|CPU|USER)\b", line) and self.reverse[i]), None)

    def selected(self):
        """The selected line, counted from 0 below the header: in mono it is in reverse video."""
        header = self.header()
        if header is None:
            return None
        below = range(header + 1, len(self.lines))
        return next((i - header - 1 for i in below if self.reverse[i]), None)

    def selected_pid(self):
        line = self.selected()
        found = line is not None and re.match(r" *(\d+)", self.lines[self.header() + 1 + line])
        return int(found.group(1)) if found else None


def moves_by(least, most):
    """The selection moves down by so many lines. Negative numbers are up. Only while paused: it
    stays with a row that moves."""
    return lambda before, after: (before.selected() is not None and after.selected() is not None
                                  and least <= after.selected() - before.selected() <= most)


def jumps(before, after):
    """The selected line was at least three lines away, or not on the screen. Only while paused."""
    line = after.lines[after.header() + 1 + after.selected()]
    return (line not in before.lines
            or abs(before.lines.index(line) - before.header() - 1 - before.selected()) >= 3)


def scrolls(before, after):
    """Other columns are shown."""
    return (None not in (before.header(), after.header())
            and before.lines[before.header()] != after.lines[after.header()])


def in_commands(pattern):
    """A command begins so, which none did before. Other parts of a wide screen have such texts
    too."""
    def commands(screen):
        header = screen.header()
        column = -1 if header is None else screen.lines[header].find("COMMAND")
        return [line[column:] for line in screen.lines[header + 1:]] if column >= 0 else []

    return lambda before, after: (not any(re.match(pattern, line) for line in commands(before))
                                  and any(re.match(pattern, line) for line in commands(after)))


def to_other_row(before, after):
    return after.selected_pid() not in (None, before.selected_pid())



@dataclass
class Row:
    action: str  # its name in --list keys
    keys: list  # by their tmux names
    shows: object
    before: list = field(default_factory=list)
    ready: str = ""  # a pattern that the screen must match before the key
    back: list = field(default_factory=list)
    ends: bool = False  # the key ends pmctop


ROWS = [
    Row("help", ["?", "h", "F1"], r"^Keys", back=["Escape"]),
    Row("up", ["Up", "M-k"], moves_by(-1, -1), before=["H", "Z", "Home", "Down", "Down"],
        back=["Z", "H"]),
    Row("down", ["Down", "M-j"], moves_by(1, 1), before=["H", "Z", "Home"], back=["Z", "H"]),
    Row("left", ["Left", "M-h"], scrolls, before=["Right"]),
    Row("right", ["Right", "M-l"], scrolls, back=["Left"]),
    Row("page-up", ["PPage"], jumps, before=["H", "Z", "NPage"], back=["Home", "Z", "H"]),
    Row("page-down", ["NPage"], jumps, before=["H", "Z"], back=["Home", "Z", "H"]),
    Row("home", ["Home"], jumps, before=["H", "Z", "NPage"], back=["Z", "H"]),
    Row("end", ["End"], jumps, before=["H", "Z"], back=["Home", "Z", "H"]),
    Row("next-screen", ["Tab"], r"^ *CPU +%CPU", back=["C", "C", "BTab"]),
    Row("previous-screen", ["BTab"], TASKS, before=["Tab"]),
    Row("cpus", ["C"], r"^ *CPU +%CPU", back=["C"]),
    Row("preset", ["p"], r"Preset ─", back=["Escape"]),
    Row("preset-number", ["1", "2", "3", "4", "5", "6", "7", "9", "8"],
        r"Preset \w+( is n/a here)?\.|There are only \d+ presets", back=["8", "Home"]),
    # It has no key of its own.
    Row("theme", ["Enter"], r"Theme ─", before=["F2", "Home", "Down"], back=["Escape", "Escape"]),
    Row("detail", ["Enter"], r"^pmctop \S+ +process \d+", back=["Escape"]),
    Row("code", ["w"], r"MODULE +FUNCTION", back=["Escape"]),
    Row("setup", ["F2"], r"^Options:", back=["Escape"]),
    Row("columns", ["f"], r"^Columns: Space", back=["Escape"]),
    Row("log", ["L"], r"^FIRST +LAST", back=["Escape"]),
    Row("findings", ["!"], r"^SINCE +FOR", back=["!"]),
    Row("leave", ["Escape"], TASKS, before=["?"]),
    Row("sort-previous", ["<"], r"(PID|USER)▲", back=[">"]),
    Row("sort-choose", ["F6"], r"Sort by ─", back=["Escape"]),
    Row("sort-next", [">"], r"^(?!.*%CPU▼).*PID.*▼", back=["<"]),
    Row("sort-cpu", ["P"], r"%CPU▼", before=[">"]),
    Row("sort-memory", ["M"], r"RES▼", back=["P", "x", "rss", "Enter"]),
    Row("sort-time", ["T"], r"TIME\+▼", back=["P", "x", "total", "Enter"]),
    Row("reverse", ["R", "I"], r"%CPU▲", back=["R"]),
    Row("count", ["K"], r"Counted from now on: user mode", back=["K", "K"]),
    Row("add", ["e"], r"Add an event or a metric", back=["Escape"]),
    Row("remove", ["x"], r"Remove a column", back=["Escape"]),
    Row("filter", ["\\", "F4"], r"^Filter:", back=["Escape"]),
    Row("search", ["/", "F3"], r"^Search:", back=["Escape"]),
    Row("search-next", ["n"], to_other_row, before=["/", "spin", "Enter"], back=["Home"]),
    Row("user", ["u"], r"Show tasks of", back=["Escape"]),
    Row("threads", ["H"], r"^ +PID +TID", back=["H"]),
    # At the left: a wide screen has a tree beside the list.
    Row("tree", ["t", "F5"], in_commands(r"[ │]{0,4}[├└]─"), back=["t"]),
    Row("roll-up", ["g"], r"^USER ", back=["g", "g", "g"]),
    Row("command-line", ["c"], in_commands("/"), back=["c"]),
    Row("follow", ["F"], r"following \d+ ", back=["F"]),
    Row("tag", ["Space"], r"tagged 1: %CPU", back=["Escape"]),
    Row("untag", ["U"], r"(?s)\A(?!.*tagged)", before=["Space"]),
    # A target has a row whether it gets a CPU or not. Home: after a detach no line may be selected.
    Row("lower-priority", ["F8"], r"slumber: nice \d+ -> \d+, a lower priority",
        before=["a", "OUR SLUMBER", "Enter", "Home"], back=["D"]),
    Row("raise-priority", ["F7"],
        r"slumber: nice \d+ -> \d+, a higher priority|a higher priority needs root",
        before=["a", "OUR SLUMBER", "Enter", "Home"], back=["D"]),
    Row("kill", ["k", "F9"], r"Signal to \d+ slumber", before=["a", "OUR SLUMBER", "Enter", "Home"],
        back=["Escape", "D"]),
    Row("attach", ["a"], r"Attach to a process", back=["Escape"]),
    Row("detach", ["D"], r"(?s)\A(?!.*target)", before=["a", "OUR SLUMBER", "Enter", "Home"]),
    Row("idle", ["i"], in_commands("slumber"), before=["\\", "slumber", "Enter"],
        ready="No task matches",  # a detached one has a row up to the next refresh
        back=["i", "\\", "C-u", "Enter"]),
    Row("unit", ["m"], r"\bcounts\b", back=["m", "m", "m"]),
    Row("baseline", ["B"], r"baseline of \d", back=["B"]),
    Row("zero", ["z"], r"The totals restart at zero"),
    Row("record", ["o"], r"Record to file|^No recording: whole CPUs are not counted", back=["Escape"]),
    Row("save-screen", ["S"], r"^Saved pmctop-\S+\.ansi and \.svg"),
    Row("save", ["W"], r"^Saved in "),
    Row("pause", ["Z"], r"PAUSED", back=["Z"]),
    Row("step-back", [","], r"works only in a replay", back=["Up"]),
    Row("step", ["."], r"works only in a replay", back=["Up"]),
    Row("minute-back", ["{"], r"works only in a replay", back=["Up"]),
    Row("minute", ["}"], r"works only in a replay", back=["Up"]),
    Row("go", ["G"], r"works only in a replay", back=["Up"]),
    Row("slower", ["["], r"works only in a replay", back=["Up"]),
    Row("faster", ["]"], r"works only in a replay", back=["Up"]),
    Row("interval", ["s", "d"], r"Interval \(now 0\.5s\):", back=["Escape"]),
    Row("redraw", ["C-l"], r"(?s)\A(?!.*GARBAGE)", before=["GARBAGE"]),
    Row("quit", ["q", "F10", "C-c"], r"^rc=0$", ends=True),
]


def holds(shows, before, after):
    if callable(shows):
        return shows(before, after)
    return re.search(shows, after.text, re.M) is not None


class Session:
    """A terminal of that size with pmctop, and a process of its own to act on."""

    def __init__(self, size, slumber):
        self.terminal = Terminal(*size, NO_COLOR="1",
                                 XDG_CONFIG_HOME=tempfile.mkdtemp(dir=CONFIG.name))
        self.slumber = subprocess.Popen(["nice", "-n", "5", slumber, "3600"])
        self.terminal.line(f"cd {CONFIG.name}")
        self.terminal.start(COLUMNS)

    def close(self):
        self.slumber.kill()
        self.slumber.wait()
        self.terminal.close()

    def press(self, key):
        """Presses a key by its name, or types a text. GARBAGE: another program writes to the
        terminal. OUR SLUMBER: types the pid of the session's process."""
        terminal = self.terminal
        if key == "GARBAGE":
            with open(terminal.format("#{pane_tty}"), "w") as tty:
                tty.write("\033[999;5HGARBAGE")  # on the key bar, which does not change
            terminal.wait_for("GARBAGE")
        elif key == "OUR SLUMBER":
            terminal.text(str(self.slumber.pid))
        elif len(key) > 1 and re.fullmatch(r"[a-z:./=-]+", key):
            terminal.text(key)
        else:
            terminal.keys(key)


def settle(terminal):
    """Returns the screen when its selection has stopped moving."""
    last = None
    while True:
        now = Screen.of(terminal)
        if last and (now.header(), now.selected()) == (last.header(), last.selected()):
            return now
        last = now
        time.sleep(0.1)


def check_key(session, row, key):
    terminal = session.terminal
    terminal.wait_for(TASKS)
    for before in row.before:
        session.press(before)
    if "a" in row.before:
        terminal.wait_for(r"(?s)target.*^ +\d+ .*slumber")
    terminal.wait_for(row.ready)
    screen = settle(terminal)
    if not callable(row.shows) and re.search(row.shows, screen.text, re.M):
        raise Failure(f"{row.shows} is on the screen before {key}:\n{screen.text}")
    session.press(key)
    try:
        wait_until(f"{row.action} by {key}",
                   lambda: holds(row.shows, screen, Screen.of(terminal)), PATIENCE_S)
    except Failure as failure:
        raise Failure(f"{failure}\nbefore:\n{screen.text}\nafter:\n{terminal.screen()}") from None
    if row.ends:
        return
    for back in row.back:
        session.press(back)
        if back == "Escape":
            time.sleep(0.1)  # a key that follows Escape at once is Alt and that key
        if back == "D":
            terminal.wait_for(r"(?s)\A(?!.*target)")
    terminal.wait_for(TASKS)


def start(arguments="0.5"):
    terminal = Terminal(100, 30, NO_COLOR="1", XDG_CONFIG_HOME=tempfile.mkdtemp(dir=CONFIG.name))
    terminal.start(arguments)
    return terminal


def check_size(size, slumber, words):
    """Checks the rows one after the other. A session ends after a failure."""
    session, failures = None, []
    try:
        for row in ROWS:
            if words and not any(word in row.action for word in words):
                continue
            for key in row.keys if size == MAIN_SIZE else row.keys[:1]:
                try:
                    session = session or Session(size, slumber)
                    check_key(session, row, key)
                    done = row.ends
                except Failure as failure:
                    failures.append(f"{row.action} by {key}: {failure}")
                    done = True
                if done:
                    session.close()
                    session = None
    finally:
        if session:
            session.close()
    if failures:
        raise Failure("\n".join(failures))


def check_table():
    rows = [row.action for row in ROWS]
    actions = [name for name, _ in listed("keys")]
    without = [action for action in actions if action not in rows]
    unknown = [row for row in rows if row not in actions]
    if without or unknown:
        raise Failure(f"actions without a row: {without}; rows without an action: {unknown}")



def journey_add_and_remove():
    """an event that is chosen by name is a column until it is removed"""
    terminal = start()
    try:
        terminal.keys("e")
        terminal.wait_for("Add an event or a metric")
        terminal.text("page-faults")
        terminal.wait_for(r"ok +page-faults")
        terminal.wait_for("needs no counter")
        terminal.keys("Enter")
        terminal.wait_for(r"^ +PID.* faults .*COMMAND")
        terminal.keys("x")
        terminal.text("page-faults")
        terminal.wait_for(r"added +faults +page-faults:")
        terminal.keys("Enter")
        terminal.wait_for(r"^ +PID(?!.* faults ).*COMMAND")
        terminal.keys("e")
        terminal.text("nonsense-event")
        terminal.wait_for(r"typed +nonsense-event")
        terminal.keys("Enter")
        terminal.wait_for("nonsense-event.*")
    finally:
        terminal.close()


def journey_attach():
    """a pid that is typed is attached to, and detached"""
    terminal = start()
    load = subprocess.Popen([SPIN])
    try:
        terminal.keys("a")
        terminal.wait_for("Attach to a process")
        terminal.text(str(load.pid))
        terminal.wait_for(f"{load.pid}")
        terminal.keys("Enter")
        terminal.wait_for(r"target +[\d.]+%")
        terminal.wait_for(rf"^ +{load.pid} ")
        rows = [line for line in terminal.screen().splitlines() if re.match(r" +\d+ \w+ ", line)]
        if len(rows) != 1:
            raise Failure(f"rows other than the target:\n{terminal.screen()}")
        terminal.keys("D")
        terminal.wait_for(r"(?s)\A(?!.*target)")
    finally:
        load.kill()
        load.wait()
        terminal.close()


def journey_kill():
    """a signal is sent to the selected process after y and not after n; --readonly sends none"""
    terminal = start()
    load = subprocess.Popen([SPIN])
    try:
        for answer in "n", "y":
            terminal.keys("/")
            terminal.text(str(load.pid))
            terminal.wait_for(f"Search: {load.pid} +Enter OK")
            terminal.keys("Enter", "k")
            terminal.wait_for(f"Signal to {load.pid} spin")
            terminal.keys("Enter")
            terminal.wait_for(rf"Send SIGTERM to {load.pid} spin\? \(y/n\)")
            if not alive(load.pid):
                raise Failure("it was killed before the answer")
            terminal.keys(answer)
            terminal.wait_for(r"q Quit$")
        wait_until("the process to end", lambda: load.poll() is not None)
        # On a slow machine the notice may have gone: the log has it.
        terminal.keys("L")
        terminal.wait_for(f"SIGTERM was sent to {load.pid} spin")
        terminal.leave_page(r"^FIRST +LAST +TIMES +MESSAGE")
        terminal.keys("q")
        terminal.wait_for("^rc=0$")
        terminal.start("--readonly")
        terminal.keys("k")
        terminal.wait_for("no signal is sent")
    finally:
        load.kill()
        load.wait()
        terminal.close()


def journey_filter():
    """a filter narrows the list while typed; Esc restores the old one, Enter keeps it"""
    terminal = start()
    try:
        terminal.keys("\\")
        terminal.text("spin")
        terminal.wait_for("filter spin")
        wait_until("only spin to be left", lambda: all(
            "spin" in line for line in terminal.screen().splitlines()
            if re.match(r" +\d+ \w+ ", line)))
        terminal.keys("Enter", "\\")
        terminal.text("nothing")
        terminal.wait_for("no match")
        terminal.keys("Escape")
        terminal.wait_for(r"filter spin  ")
        terminal.wait_for(r"^ +\d+ .* spin$")
        terminal.keys("\\", "C-u", "Enter")
        terminal.wait_for(r"(?s)\A(?!.*filter spin)")
    finally:
        terminal.close()


def journey_tags():
    """two tagged rows have a mark and a sum, and stay tagged in another order"""
    terminal = start()
    try:
        # Rows that stay, also without CPU time.
        terminal.keys("i", "\\")
        terminal.text("spin")
        terminal.keys("Enter")
        wait_until("two rows", lambda: len(re.findall(r"^ +\d+ .* spin$", terminal.screen(),
                                                      re.M)) >= 2)
        terminal.keys("Home", "Space", "Space")
        terminal.wait_for("tagged 2: %CPU")
        try:
            wait_until("two signs",
                       lambda: len(re.findall(r"^ *\d+\*", terminal.screen(), re.M)) == 2)
        except Failure as failure:
            raise Failure(f"{failure}\n{terminal.screen()}") from None
        terminal.keys("<")
        terminal.wait_for("USER▲")
        terminal.wait_for("tagged 2")
        terminal.keys("Escape")
        terminal.wait_for_no("filter spin")
        terminal.wait_for("tagged 2")
        terminal.keys("Escape")
        terminal.wait_for(r"(?s)\A(?!.*tagged)")
    finally:
        terminal.close()


JOURNEYS = [value for name, value in list(globals().items()) if name.startswith("journey_")]


def main():
    if absent := missing(SPIN, CROWD):
        print(f"1..0 # skip {', '.join(absent)} missing")
        return 77
    slumber = os.path.join(CONFIG.name, "slumber")
    shutil.copy(shutil.which("sleep"), slumber)
    words = sys.argv[1:]
    tests = [("each action of the keymap has a row", check_table)]
    tests += [(f"{' '.join(words) or 'each action'} at {size[0]}x{size[1]}",
               lambda size=size: check_size(size, slumber, words)) for size in SIZES]
    tests += [(journey.__doc__, journey) for journey in JOURNEYS]
    if words:
        tests = tests[1:1 + len(SIZES)]
    # Enough rows for a page, busy ones, and one that never runs.
    loads = [busy(*command) for command in ([SPIN], [SPIN], [CROWD, "-b", "40"], [slumber, "3600"])]
    try:
        return run_all(tests)
    finally:
        for load in loads:
            load.kill()
            load.wait()


if __name__ == "__main__":
    sys.exit(main())
