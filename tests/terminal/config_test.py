#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Settings that are changed on the screen, saved, and read at the next start.

Prints TAP (tests/terminals.py).
"""
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
import terminals  # noqa: E402
from terminals import PMCTOP, Failure, Skip, wait_until  # noqa: E402

SAVED = r"^Saved in "
MESSAGES = r"^FIRST +LAST +TIMES +MESSAGE"


class Home:
    """A user's directory of configuration, and pmctop with it."""

    def __init__(self, terminal, text=None):
        self.directory = tempfile.mkdtemp(prefix="pm-")
        self.path = os.path.join(self.directory, "pmctop", "pmctop.conf")
        self.before = f"XDG_CONFIG_HOME={self.directory} "
        self.terminal = terminal
        if text is not None:
            self.write("pmctop.conf", text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.directory)

    def write(self, name, text):
        path = os.path.join(self.directory, "pmctop", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def start(self, arguments=""):
        self.terminal.line(f"clear; {self.before}{PMCTOP} {arguments}; echo rc=$?")
        self.terminal.wait_for(r"^ *(PID|USER|NPROC|CPU) .*%CPU")

    def leave(self, key="q"):
        self.terminal.keys(key)
        self.terminal.wait_for("^rc=0$")


def settings_shown(screen):
    """The interval and the table's header, which the next start must have too. None while other
    columns than the preset "kernel" has are shown: a narrow title has no room for its name."""
    title = re.search(r"^pmctop .*every (\S+) ", screen)
    header = next(line for line in screen.splitlines() if "%CPU" in line and "CPU " != line[:4])
    return title and " IPCk " in header and (title.group(1), header.split())


def wait_for_words(terminal, words):
    """Waits for words, with any line breaks between them."""
    wait_until(words, lambda: words in " ".join(terminal.screen().split()), 30)


def open_themes(terminal):
    """Opens the themes from the setup, which stays below them."""
    terminal.keys("F2")
    terminal.wait_for("^Options:")
    terminal.keys("Home", "Down", "Enter")
    terminal.wait_for("Theme ─")


def test_save_and_start(terminal):
    """settings that are saved with W are there at the next start"""
    with Home(terminal) as home:
        home.start()
        terminal.keys("p")
        terminal.wait_for("Preset")
        terminal.text("kernel")
        terminal.keys("Enter")
        terminal.wait_for(r"^ +PID .* IPCk ")
        terminal.keys("s")
        terminal.wait_for(r"Interval \(now")
        terminal.line("0.7")
        terminal.wait_for(r"every 0\.7s")
        terminal.keys("f")
        terminal.wait_for(r"^  \[x\] cpu_percent")
        terminal.keys("Down", "Space")
        terminal.wait_for(r"^  \[ \] ")
        terminal.leave_page(r"^  \[ \] ")
        terminal.wait_for(r"^ +PID")
        terminal.keys("g")
        terminal.wait_for(r"^USER .*NPROC")
        terminal.keys(">", ">", "R")
        open_themes(terminal)
        terminal.text("dracula")
        terminal.keys("Enter")
        terminal.leave_page("^Options:")
        terminal.wait_for(r"^USER .*▲")
        shown = wait_until("the whole title", lambda: settings_shown(terminal.screen()))
        terminal.keys("W")
        terminal.wait_for(SAVED)
        home.leave()
        text = home.read()
        for line in ("preset = kernel", "delay = 0.7s", "by = user", "theme = dracula",
                     "columns = cpu_percent, -kernel_percent, "):
            if not any(line in found for found in text.splitlines()):
                raise Failure(f"'{line}' is not in:\n{text}")
        home.start()
        wait_until("the same screen", lambda: settings_shown(terminal.screen()) == shown)
        terminal.keys("W")
        terminal.wait_for(r"^Nothing to save")
        home.leave()
        if home.read() != text:
            raise Failure(f"saved again:\n{home.read()}")


def test_keeps_what_is_there(terminal):
    """W keeps comments, order and invalid lines; Esc restores the theme"""
    text = "# mine\n[pmctop]\nwhat\ndelay = 2  # slow\n\n[presets]\nmine = cpu_percent, cs\n"
    with Home(terminal, text) as home:
        home.start("-S mine")
        terminal.wait_for("Neither NAME = VALUE")
        open_themes(terminal)
        terminal.keys("Down", "Down")
        terminal.leave_page("Theme ─")
        terminal.leave_page("^Options:")
        terminal.keys("d")
        terminal.wait_for(r"Interval \(now 2\.0s\)")
        terminal.line("500ms")
        terminal.wait_for(r"every 0\.5s")
        terminal.keys("W")
        terminal.wait_for(SAVED)
        home.leave()
        expected = text.replace("delay = 2  #", "delay = 0.5s  #").replace(
            "# slow\n", "# slow\npreset = mine\n")
        if home.read() != expected:
            raise Failure(f"saved:\n{home.read()}")


def test_full_disk(terminal):
    """on a full disk W reports it, and the file is unchanged"""
    if why := skip_reason.mounts():
        raise Skip(why)
    text = "# mine\n[pmctop]\ndelay = 2\n"
    with Home(terminal) as home:
        # A disk of two pages: one for the file, one for another file.
        terminal.line(f"mkdir {home.directory}/pmctop && unshare -m bash --norc --noprofile")
        terminal.line(f"PS1='shell> '; mount -t tmpfs -o size=8k none {home.directory}/pmctop")
        terminal.line(f"printf '{text!r}'".replace("''", "'").replace("'\"", "'") +
                      f" > {home.path}; head -c 4096 /dev/zero > {home.directory}/pmctop/x")
        home.start()
        open_themes(terminal)
        terminal.keys("Down", "Enter")
        terminal.leave_page("^Options:")
        terminal.keys("W")
        terminal.wait_for(r"^Not saved: No space left on device")
        home.leave()
        terminal.line(f"clear; cat {home.path}; ls -A {home.directory}/pmctop | wc -l; exit")
        terminal.wait_for(r"^# mine\n\[pmctop\]\ndelay = 2\n2$")


def test_keys(terminal):
    """[keys] binds keys, which the help shows; the dashboard shows errors of the file"""
    text = "[keys]\nquit = Q\npause = x ^X\nkill = x\nnosuch = y\n"
    with Home(terminal, text) as home:
        home.start()
        terminal.keys("L")
        wait_for_words(terminal, "pmctop.conf:4: 'x' is already bound to pause in line 3. Choose another key.")
        terminal.leave_page(MESSAGES)
        terminal.keys("q", "x")
        terminal.wait_for("PAUSED|paused")
        terminal.keys("?")
        terminal.wait_for("^Keys")
        terminal.keys("NPage")
        terminal.wait_for(r"^ +Q +quit")
        terminal.leave_page(r"^ +Q +quit")
        home.leave("Q")


def test_broken_theme(terminal):
    """a wrong line of a theme is reported; a missing theme does not prevent the start"""
    with Home(terminal, "[pmctop]\ntheme = mine\n") as home:
        home.write("themes/mine.theme", "# Mine\ntheme[main_fg]=\"#eeeeee\"\ntheme[title]=\"red\"\n")
        home.start()
        terminal.keys("L")
        wait_for_words(terminal, "mine.theme:3: Invalid colour 'red'")
        terminal.leave_page(MESSAGES)
        open_themes(terminal)
        terminal.leave_page(r"mine +Mine")
        terminal.leave_page("^Options:")
        home.leave()
        home.write("pmctop.conf", "[pmctop]\ntheme = gone\n")
        home.start()
        terminal.keys("L")
        wait_for_words(terminal, "pmctop.conf:2: Unknown theme 'gone'")
        terminal.leave_page(MESSAGES)
        home.leave()


if __name__ == "__main__":
    sys.exit(terminals.main(globals()))
