# SPDX-License-Identifier: MIT
"""A terminal for scripts: a shell in tmux, with functions to type into it and to read the screen;
and a runner of tests that use it. Each wait reads the screen again until a deadline, so nothing
depends on the machine's speed.

Prints TAP. Exit status 1: a test failed; 77: skipped. BUILD is the build directory.
"""
import itertools
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from programs import BUILD, PMCTOP, alive  # noqa: F401
from ptys import sanitizers

SPIN = os.path.join(BUILD, "load", "spin")
PATIENCE_S = int(os.environ.get("PATIENCE_S", 90))
TICK_S = 0.05
# Ends a tmux server when its own standard input ends. A killed server leaves its socket.
GUARD = """exec 2>/dev/null
cat
path=$(tmux -L "$1" display-message -p '#{socket_path}')
tmux -L "$1" kill-server
rm -f "$path"
"""
JOBS = 4  # tests at once: they mostly wait for the next refresh


class Failure(Exception):
    pass


class Skip(Exception):
    """The reason why a test cannot run here."""


def wait_until(what, condition, patience_s=PATIENCE_S):
    """Returns the first true value of condition(). Failure if none comes in time."""
    deadline = time.monotonic() + patience_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure(f"waited {patience_s} s for: {what}")
        time.sleep(TICK_S)


def children(parent, name):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", errors="replace") as stat:
                text = stat.read()
        except OSError:
            continue
        comm = text[text.index("(") + 1 : text.rindex(")")]
        if comm == name and int(text.rsplit(")", 1)[1].split()[1]) == parent:
            found.append(int(pid))
    return found


class Terminal:
    """A tmux server with one shell in one window. The server is a daemon: a guard ends it, and so what
    runs in it, when this process ends, in whatever way."""

    numbers = itertools.count(1)

    def __init__(self, width=80, height=24, **environment):
        # A new name: the server of the last test may still be there.
        self.socket = f"pmctop-test-{os.getpid()}-{next(Terminal.numbers)}"
        self.guard = subprocess.Popen(["sh", "-c", GUARD, "sh", self.socket],
                                      stdin=subprocess.PIPE, start_new_session=True)
        settings = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **sanitizers(),
                    "LANG": "C.UTF-8", "PS1": "shell> ", "TERM": "screen-256color", **environment}
        shell = ["env", "-i"] + [f"{key}={value}" for key, value in settings.items()]
        subprocess.run(["tmux", "-u", "-L", self.socket, "-f", "/dev/null", "new-session", "-d",
                        "-s", "t", "-x", str(width), "-y", str(height), *shell,
                        "bash", "--norc", "--noprofile"], check=True,
                       env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"})
        self.shell_pid = int(self.format("#{pane_pid}"))
        self.wait_for("shell>")

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-u", "-L", self.socket, *arguments], check=True,
                              capture_output=True)
        return done.stdout.decode("utf-8", "replace")

    def format(self, text):
        return self.tmux("display-message", "-p", "-t", "t", text).strip()

    def close(self):
        self.guard.stdin.close()
        self.guard.wait()

    def keys(self, *keys):
        self.tmux("send-keys", "-t", "t", *keys)

    def text(self, text):
        self.tmux("send-keys", "-t", "t", "-l", text)

    def line(self, text):
        self.text(text)
        self.keys("Enter")

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "t")

    def wait_for(self, pattern, patience_s=PATIENCE_S):
        """Waits for a pattern on the screen. Returns its match. Failure has the screen."""
        try:
            return wait_until(pattern, lambda: re.search(pattern, self.screen(), re.M), patience_s)
        except Failure as failure:
            raise Failure(f"{failure}; the screen:\n{self.screen()}") from None

    def wait_for_no(self, pattern, patience_s=PATIENCE_S):
        """Waits until a pattern is not on the screen. Failure has the screen."""
        try:
            wait_until(f"no {pattern}", lambda: not re.search(pattern, self.screen(), re.M),
                       patience_s)
        except Failure as failure:
            raise Failure(f"{failure}; the screen:\n{self.screen()}") from None

    def leave_page(self, shown):
        """Waits for a page, presses Esc, and waits until the page is gone: Esc and a key right
        behind it are Alt with that key."""
        self.wait_for(shown)
        self.keys("Escape")
        self.wait_for_no(shown)

    def click(self, x, y, button=0):
        """Clicks at a column and line of the screen, counted from 0. 64 and 65 are the wheel."""
        code = "".join(f"\x1b[<{button};{x + 1};{y + 1}{letter}"
                       for letter in ("Mm" if button == 0 else "M"))
        self.keys("-H", *(f"{byte:02x}" for byte in code.encode()))

    def click_on(self, word):
        """Clicks on the first place of a word on the screen."""
        for y, line in enumerate(self.screen().splitlines()):
            if word in line:
                self.click(line.index(word), y)
                return
        raise Failure(f"no {word} on the screen:\n{self.screen()}")

    def resize(self, width, height):
        self.tmux("resize-window", "-t", "t", "-x", str(width), "-y", str(height))

    def start(self, arguments="", before=""):
        """Starts pmctop in the shell. Returns its pid when it shows rows."""
        self.line(f"clear; {before}{PMCTOP} {arguments}; echo rc=$?")
        self.wait_for(r"^ +PID .*COMMAND")
        return wait_until("pmctop's process", lambda: children(self.shell_pid, "pmctop"))[0]

    def settings(self):
        """The settings of stty, and tmux's flags of the screen."""
        path = f"/tmp/{self.socket}.stty"
        self.line(f"stty -a > {path}.new; mv {path}.new {path}")
        wait_until("stty", lambda: os.path.exists(path))
        with open(path) as file:
            text = file.read()
        os.unlink(path)
        wait_until("the shell to be in front",
                   lambda: self.format("#{pane_current_command}") == "bash")
        return text, self.format("#{alternate_on} #{cursor_flag} #{keypad_flag} "
                              "#{keypad_cursor_flag} #{insert_flag} #{mouse_any_flag}")

    def check_sane(self, before):
        after = self.settings()
        if before != after:
            raise Failure(f"the terminal was {before}\nand is {after}")
        self.line("clear; echo typed-$((40 + 2))")
        self.wait_for("^typed-42$")


def header(screen):
    return next((line for line in screen.splitlines() if "COMMAND" in line), "")


def rows(screen):
    """(pid, %CPU, command) of the table's rows, from the top."""
    lines = screen.splitlines()
    titles = next((i for i, line in enumerate(lines) if "COMMAND" in line), None)
    if titles is None:
        return []
    end = lines[titles].index("%CPU") + len("%CPU")
    command = lines[titles].index("COMMAND")
    found = []
    for line in lines[titles + 1 :]:
        figure = re.match(r" *(\d+) .*?([\d.]+)$", line[:end])
        if figure:
            found.append((int(figure.group(1)), float(figure.group(2)), line[command:].strip()))
    return found


def clock(screen):
    match = re.search(r"\d\d:\d\d:\d\d", screen)
    return match.group(0) if match else None


SPINS = []


def measures(test):
    """Marks a test that runs alone, because it measures."""
    test.measures = True
    return test


def report(number, name, test):
    try:
        test()
        print(f"ok {number} - {name}\n", end="", flush=True)
        return True
    except Skip as why:
        print(f"ok {number} - {name} # SKIP {why}\n", end="", flush=True)
        return True
    except Exception as failure:  # of any kind: the other tests run
        what = f"{type(failure).__name__}: {failure}"
        text = "".join(f"# {line}\n" for line in what.splitlines())
        print(f"not ok {number} - {name}\n{text}", end="", flush=True)
        return False


def run_all(tests):
    """Runs (name, test) pairs. Some run at once; tests that measure run after them, one by one.
    Returns the exit status."""
    print(f"1..{len(tests)}", flush=True)
    numbered = [(number, *test) for number, test in enumerate(tests, 1)]
    with ThreadPoolExecutor(JOBS) as pool:
        jobs = [pool.submit(report, *test) for test in numbered if not hasattr(test[2], "measures")]
        results = [job.result() for job in jobs]
    results += [report(*test) for test in numbered if hasattr(test[2], "measures")]
    return 0 if all(results) else 1


def chosen(rows_of_table, words):
    """The rows whose names match one of these; all without words."""
    return [row for row in rows_of_table
            if not words or any(re.search(word, row.name) for word in words)]


def missing(*programs):
    """The programs that these tests need and that are not there."""
    absent = [name for name in (PMCTOP, *programs) if not os.access(name, os.X_OK)]
    return absent + ["tmux"] * (not shutil.which("tmux"))


def busy(*command):
    """Starts a load that leaves CPU time to the tests and other programs. It ends with this thread."""
    return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "nice", "-n", "19", *command],
                            stdout=subprocess.DEVNULL)


def in_terminal(test):
    def run():
        terminal = Terminal()
        try:
            test(terminal)
        finally:
            terminal.close()

    if hasattr(test, "measures"):
        run.measures = True
    return run


def main(names):
    """Runs the test_* functions of a module, or those on the command line. Each has a new terminal
    with a shell. Two busy loops (SPINS) run meanwhile."""
    tests = [value for name, value in names.items() if name.startswith("test_")]
    if absent := missing(SPIN):
        print(f"1..0 # skip {', '.join(absent)} missing")
        return 77
    chosen = [test for test in tests if not sys.argv[1:] or test.__name__[5:] in sys.argv[1:]]
    loads = [busy(SPIN) for _ in range(2)]
    SPINS.extend(load.pid for load in loads)
    try:
        return run_all([(test.__doc__, in_terminal(test)) for test in chosen])
    finally:
        for load in loads:
            load.kill()
            load.wait()
