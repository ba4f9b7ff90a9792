#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmctop in a real terminal: start, screens, keys, sizes, signals, commands and the end.

Prints TAP (tests/terminals.py). BUILD is the build directory.
"""

import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
from xml.etree import ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
import terminals  # noqa: E402
from terminals import (  # noqa: E402
    PMCTOP, SPIN, TICK_S, SPINS, Failure, Skip, wait_until, alive, header, rows, clock, measures)

MARK = "[▼▲v^]"


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def on_pty(environment, *arguments):
    """(exit status, output on a terminal, standard error)"""
    master, slave = pty.openpty()
    process = subprocess.Popen([PMCTOP, *arguments], stdin=slave, stdout=slave,
                               stderr=subprocess.PIPE, start_new_session=True,
                               env={**os.environ, **environment})
    os.close(slave)
    output = b""
    try:
        while chunk := os.read(master, 65536):
            output += chunk
    except OSError:  # EIO: the other end was closed
        pass
    os.close(master)
    errors = process.stderr.read().decode()
    return process.wait(), output.decode("utf-8", "replace"), errors


@measures
def test_busy_loops_on_top(terminal):
    """two busy loops are the first rows, with the CPU time that they get"""
    terminal.start()
    shown, samples = None, []

    def agrees():
        # Samples are taken at refreshes. Between two of them the kernel's figure is the one shown.
        nonlocal shown
        screen = terminal.screen()
        if clock(screen) == shown or not rows(screen):
            return False
        shown = clock(screen)
        samples.append((time.monotonic(), [cpu_seconds(pid) for pid in SPINS], rows(screen)))
        if len(samples) < 2:
            return False
        (t0, used0, _), (t1, used1, table) = samples[-2:]
        figures = [figure for _, figure, _ in table]
        if figures != sorted(figures, reverse=True):
            raise Failure(f"not in order: {table}")
        for pid, a, b in zip(SPINS, used0, used1):
            real = 100 * (b - a) / (t1 - t0)
            line = next((i for i, row in enumerate(table) if row[0] == pid), None)
            if line is None or abs(table[line][1] - real) > 10 or table[line][2] != "spin":
                return False
            # A busier process, for instance of a build, is above.
            if real > 90 and line > 1:
                return False
        return True

    try:
        wait_until("spin's rows to have its CPU time", agrees)
    except Failure as failure:
        raise Failure(f"{failure}; samples {samples[-4:]}") from None
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_sorting(terminal):
    """< > and R change the sort column and order"""
    terminal.start()
    titles = header(terminal.wait_for(r"^ +PID.*%CPU▼.*COMMAND.*$").group(0))
    following = re.search(r"%CPU▼ +(\S+)", titles).group(1)
    terminal.keys(">")
    terminal.wait_for(re.escape(following) + "▼")
    terminal.keys("R")
    terminal.wait_for(re.escape(following) + "▲")
    terminal.keys("<")
    terminal.wait_for("%CPU▼")
    terminal.keys("<")
    terminal.wait_for("USER▲")
    terminal.keys("F6")
    terminal.wait_for("Sort by ─")
    terminal.keys(following, "Enter")
    terminal.wait_for(re.escape(following) + "▼")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_answers_are_no_keys(terminal):
    """a terminal's answers to queries of another program are not keys"""
    terminal.start()
    terminal.wait_for(r"%CPU▼")
    for answer in ("1b 5b 32 34 3b 38 30 52", "1b 5b 3f 36 32 3b 32 32 63"):  # ESC[24;80R, ESC[?62;22c
        terminal.keys("-H", *answer.split())
    terminal.keys("s")  # a real key behind them
    terminal.wait_for(r"Interval")
    screen = terminal.screen()
    if "%CPU▼" not in screen or "details of the row" in screen:
        raise Failure(f"an answer acted as a key; the screen:\n{screen}")
    terminal.keys("Escape")


def test_screens(terminal):
    """?, Esc, Tab, S-Tab, C and H change what is shown"""
    terminal.start()
    terminal.keys("?")
    terminal.wait_for(r"^Keys(.|\n)*n/a +this CPU has no such")
    terminal.leave_page("^Keys")
    terminal.keys("Tab")
    terminal.wait_for(r"^ *CPU▲? +%CPU")
    terminal.keys("BTab")
    terminal.wait_for("^ +PID.*COMMAND")
    terminal.keys("C")
    terminal.wait_for(r"^ *CPU▲? +%CPU")
    terminal.keys("C")
    terminal.wait_for("^ +PID.*COMMAND")
    terminal.keys("H")
    terminal.wait_for(r"^ +PID +TID")
    terminal.keys("F1")
    terminal.wait_for("^Keys")
    terminal.keys("q")
    terminal.wait_for(r"^ +PID +TID")
    terminal.keys("BTab")
    terminal.wait_for(r"^SINCE +FOR")
    terminal.keys("BTab")
    terminal.wait_for(r"^EVENT +ON%(.|\n)*^task-clock \(ns\) +100\.0")
    terminal.keys("z")
    terminal.wait_for(r"The totals restart at zero")
    terminal.keys("L")
    terminal.wait_for(r"^FIRST +LAST +TIMES +MESSAGE\n.*The totals restart at zero")
    terminal.leave_page("^FIRST +LAST")
    terminal.wait_for("^EVENT")
    terminal.keys("Tab")
    terminal.wait_for("^SINCE +FOR")
    terminal.keys("Tab")
    terminal.wait_for(r"^ +PID +TID")
    terminal.keys("F10")
    terminal.wait_for("^rc=0$")


def test_interval(terminal):
    """the prompt of the interval refuses, accepts and closes"""
    terminal.start()
    terminal.wait_for(r"every 1\.0s")
    terminal.keys("s")
    terminal.wait_for(r"Interval \(now 1\.0s\):")
    terminal.text("0.05")
    terminal.keys("Enter")
    terminal.wait_for(r"minimum 0\.1 s")
    terminal.keys("C-u")
    terminal.text("500ms")
    terminal.keys("Enter")
    terminal.wait_for(r"every 0\.5s")
    terminal.keys("d")
    terminal.text("9")
    terminal.wait_for(r"Interval \(now 0\.5s\): 9 +Enter OK")
    terminal.leave_page(r"Interval \(now")
    terminal.wait_for(r"every 0\.5s")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_keys_and_refreshes(terminal):
    """the first figures and effects of keys come in short intervals, which are no refresh of -n"""
    terminal.start("-n 1 3600")

    def is_short():
        terminal.keys("i", "c")
        return re.search(r"every 3600\.0s, short \d+\.\d+s", terminal.screen())

    wait_until("a short interval", is_short)
    terminal.keys("e")
    terminal.text("two=1+1")
    terminal.keys("Enter")
    terminal.wait_for(r"^ +PID .* two")
    terminal.keys("-N", "60", "i")
    terminal.wait_for(r"short \d+\.\d+s")
    if "rc=" in terminal.screen():
        raise terminals.Failure(f"a key ended the run:\n{terminal.screen()}")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_record(terminal):
    """o opens a prompt for a file, records and ends"""
    if why := skip_reason.system_wide(PMCTOP):
        raise Skip(why)
    with tempfile.TemporaryDirectory() as directory:
        data = os.path.join(directory, "perf.data")
        terminal.start()
        terminal.wait_for(r"every 1\.0s")
        terminal.keys("o")
        terminal.wait_for(r"Record to file: pmctop-\S+\.data( |$)")
        terminal.keys("C-u")
        terminal.text(directory)
        terminal.keys("Enter")
        terminal.wait_for("is a directory. Name a file.")
        terminal.keys("o", "C-u")
        terminal.text(data)
        terminal.keys("Enter")
        terminal.wait_for(r"REC [0-9.]+[KM]")
        terminal.keys("o")
        terminal.wait_for("The recording has ended. To see it: pmctop --replay")
        wait_until("the title without it", lambda: "REC" not in terminal.screen())
        terminal.keys("q")
        terminal.wait_for("^rc=0$")
        with open(data, "rb") as recording:
            if recording.read(8) != b"PERFILE2":
                raise Failure("the file is no recording")


def test_save_screen(terminal):
    """S saves what is on the screen, as text with colours and as a picture"""
    with tempfile.TemporaryDirectory() as directory:
        terminal.line(f"cd {directory}")
        terminal.start("0.2")
        terminal.keys("Z")
        terminal.wait_for("PAUSED")
        held = terminal.screen().splitlines()
        terminal.keys("S")
        name = terminal.wait_for(r"^Saved (pmctop-\S+)\.ansi and \.svg").group(1)
        with open(os.path.join(directory, f"{name}.ansi"), encoding="utf-8") as file:
            text = file.read()
        if "\x1b[0;" not in text:
            raise Failure(f"no colours: {text!r}")
        lines = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()]
        if lines[:len(held)] != [line.rstrip() for line in held]:
            raise Failure(f"{held}\nwas saved as\n{lines}")
        picture = ElementTree.parse(os.path.join(directory, f"{name}.svg"))
        for word in ("COMMAND", "PAUSED", os.uname().nodename):
            if not any(word in element for element in picture.getroot().itertext()):
                raise Failure(f"{word} is not in the picture")
        terminal.keys("S")
        terminal.wait_for(rf"^Saved {name}-2\.ansi")
        terminal.keys("q")
        terminal.wait_for("^rc=0$")
        if (count := len(os.listdir(directory))) != 4:
            raise Failure(f"{count} files")
        terminal.line("cd /")


def test_pause(terminal):
    """Z pauses the screen and continues"""
    terminal.start("0.2")
    terminal.keys("Z")
    terminal.wait_for("PAUSED")
    held = terminal.screen()
    until = time.monotonic() + 2.5
    while time.monotonic() < until:
        if terminal.screen() != held:
            raise Failure(f"the paused screen changed:\n{held}\n{terminal.screen()}")
        time.sleep(TICK_S)
    terminal.keys("Z")
    wait_until("the clock to go on", lambda: clock(terminal.screen()) != clock(held))
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_moving(terminal):
    """arrows and pages scroll, Alt-hjkl too"""
    terminal.resize(32, 12)
    pid = terminal.start("-H")
    terminal.keys("Z")
    terminal.wait_for("PAUSED")
    first = rows(terminal.screen())[0]
    terminal.keys("End")
    wait_until("the end of the list", lambda: rows(terminal.screen())[0] != first)
    terminal.keys("Home")
    wait_until("the top of the list", lambda: rows(terminal.screen())[0] == first)
    terminal.keys("M-l", "M-l")
    terminal.wait_for("^ +PID +%CPU")
    terminal.keys("M-h", "Left")
    terminal.wait_for("^ +PID +TID")
    terminal.keys("j", "r", "M-j", "M-k", "PPage", "NPage")
    if not alive(pid):
        raise Failure("a key ended it")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")
    terminal.resize(80, 24)


def test_resizing(terminal):
    """resizing to 1x1 and back, and to 200x50"""
    pid = terminal.start()
    for width, height in ((1, 1), (20, 5), (2, 40), (300, 2), (80, 24)):
        terminal.resize(width, height)
        wait_until("the new size", lambda: (
            terminal.format("#{pane_width} #{pane_height}") == f"{width} {height}"))
        if width > 15 and height > 3:
            terminal.wait_for("^ +PID +(USER +)?%CPU")
        if not alive(pid):
            raise Failure(f"it died at {width}x{height}")
    terminal.resize(200, 50)
    wait_until("the key bar in line 50",
               lambda: re.search(r"q Quit$", terminal.screen().rstrip("\n").rsplit("\n", 1)[-1]))
    wait_until("50 lines", lambda: len(terminal.screen().rstrip("\n").splitlines()) == 50)
    terminal.resize(80, 24)
    terminal.wait_for("^ +PID.*COMMAND")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_redraw(terminal):
    """the screen after some refreshes is what ^L draws, on more lines than terminfo has"""
    terminal.resize(100, 50)
    terminal.start("0.1")
    for key in "t", "t", "?", "Escape", "i":
        terminal.keys(key)
        time.sleep(0.5)
    terminal.keys("Z")
    terminal.wait_for("PAUSED")
    held = terminal.screen()
    terminal.keys("C-l")
    until = time.monotonic() + 1
    while time.monotonic() < until:
        if terminal.screen() != held:
            raise Failure(f"^L draws something else:\n{held}\n{terminal.screen()}")
        time.sleep(TICK_S)
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_stop_and_continue(terminal):
    """^Z restores the terminal, fg draws again"""
    before = terminal.settings()
    terminal.start()
    terminal.keys("C-z")
    terminal.wait_for("Stopped")
    terminal.check_sane(before)
    terminal.line("clear; fg")
    terminal.wait_for("^ +PID.*COMMAND")
    terminal.keys("?")
    terminal.wait_for("^Keys")
    terminal.keys("Enter")
    terminal.wait_for("^ +PID.*COMMAND")
    terminal.keys("q")
    terminal.wait_for("shell>")
    terminal.check_sane(before)


def test_stopped_from_outside(terminal):
    """SIGSTOP and fg: modes and screen are restored"""
    before = terminal.settings()
    pid = terminal.start()
    os.kill(pid, signal.SIGSTOP)
    terminal.wait_for("Stopped")
    terminal.line("fg")
    terminal.wait_for("^ +PID.*COMMAND")
    wait_until("a clean screen", lambda: "Stopped" not in terminal.screen())
    terminal.keys("q")
    terminal.wait_for("shell>")
    terminal.check_sane(before)


def end_sane(terminal, end, status, environment=""):
    before = terminal.settings()
    pid = terminal.start(before=environment)
    end(pid)
    terminal.wait_for(f"^rc={status}$")
    terminal.check_sane(before)


def test_quit(terminal):
    """q leaves the terminal as it was"""
    end_sane(terminal, lambda pid: terminal.keys("q"), 0)


def test_interrupt(terminal):
    """^C leaves the terminal as it was"""
    end_sane(terminal, lambda pid: terminal.keys("C-c"), 0)


def test_sigterm(terminal):
    """SIGTERM leaves the terminal as it was"""
    end_sane(terminal, lambda pid: os.kill(pid, signal.SIGTERM), 0)


def test_sighup(terminal):
    """SIGHUP leaves the terminal as it was"""
    end_sane(terminal, lambda pid: os.kill(pid, signal.SIGHUP), 0)


def test_crash(terminal):
    """SIGSEGV and SIGABRT leave the terminal as it was"""
    terminal.line("ulimit -c 0")
    end_sane(terminal, lambda pid: os.kill(pid, signal.SIGABRT), 134)
    end_sane(terminal, lambda pid: os.kill(pid, signal.SIGSEGV), 139, "ASAN_OPTIONS=handle_segv=0 ")


def switches_of_threads(pid):
    """How often all threads but the first went to sleep."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        if int(tid) != pid:
            with open(f"/proc/{pid}/task/{tid}/status") as status:
                switches = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read(), re.M)
            total += int(switches.group(1))
    return total


def test_frozen(terminal):
    """a frozen terminal (^S) stops neither counting nor SIGTERM, and is restored"""
    before = terminal.settings()
    pid = terminal.start("0.1")
    terminal.keys("C-s")
    held = {"screen": "", "since": time.monotonic()}

    def still():
        screen = terminal.screen()
        if screen != held["screen"]:
            held.update(screen=screen, since=time.monotonic())
        return time.monotonic() - held["since"] > 1

    wait_until("the screen to stop changing", still)
    counted = switches_of_threads(pid)
    wait_until("the counting thread to go on", lambda: switches_of_threads(pid) > counted + 5)
    os.kill(pid, signal.SIGTERM)
    terminal.wait_for("^rc=0$")
    terminal.check_sane(before)


@measures
def test_economy(terminal):
    """only changes are sent: one clear at the start, few bytes a refresh"""
    status, output, _ = on_pty({"TERM": "xterm-256color", "LANG": "C.UTF-8"}, "-n", "10", "0.2")
    clears = len(re.findall(r"\x1b\[[0-3]?J", output))
    if status or clears > 1 or len(output) > 10 * 2000 + 8000:
        raise Failure(f"exit {status}, {clears} clears, {len(output)} bytes")


def test_watched_process_dies(terminal):
    """killing a shown process removes its row and nothing else"""
    pid = terminal.start("0.3")
    load = subprocess.Popen([SPIN])
    try:
        terminal.wait_for(f"^ *{load.pid} .*spin")
    finally:
        load.kill()
        load.wait()
    wait_until("the row to go", lambda: not re.search(f"^ *{load.pid} ", terminal.screen(), re.M))
    if not alive(pid):
        raise Failure("pmctop ended too")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def test_fallbacks(terminal):
    """unknown and dumb terminals, no terminal, keys not from standard input"""
    terminal.start(before="TERM=no-such-terminal ")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")
    terminal.start(before="TERM=vt100 ")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")
    terminal.start("</dev/null")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")
    for kind in ("dumb", ""):
        status, output, errors = on_pty({"TERM": kind}, "-n", "1", "0.2")
        line = re.fullmatch(f"pmctop: .*TERM={kind}\\).*\n", errors)
        if status or "COMMAND" not in output or "\x1b" in output or not line:
            raise Failure(f"TERM={kind}: exit {status}, {output!r}, {errors!r}")
    done = subprocess.run([PMCTOP, "-n", "1", "0.2"], capture_output=True, check=False, text=True)
    if done.returncode or done.stderr or "COMMAND" not in done.stdout or "\x1b" in done.stdout:
        raise Failure(f"into a pipe: {done}")


def test_ascii(terminal):
    """without UTF-8 the screen is ASCII, with NO_COLOR it has no colour"""
    terminal.start(before="LANG=C ")
    if any(ord(c) > 126 for c in terminal.screen()):
        raise Failure(terminal.screen())
    terminal.wait_for(r"%CPUv ")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")
    terminal.start(before="NO_COLOR=1 ")
    escapes = terminal.tmux("capture-pane", "-e", "-p", "-t", "t")
    if re.search(r"\x1b\[[\d;]*(3[0-8]|4[0-8]|9\d)[;m]", escapes):
        raise Failure("colour in spite of NO_COLOR:\n" + repr(escapes))
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def launch(terminal, command, before=""):
    """Starts pmctop with a command. Returns its pid when it shows rows."""
    return terminal.start(f"0.2 -- {command}", before)


def test_command(terminal):
    """a command's output is not on the screen but shown afterwards, and its status passed on"""
    before = terminal.settings()
    launch(terminal, "sh -c 'echo out-$((40+2)); echo err-$((40+3)) >&2; cat; sleep 1; exit 7'")
    screen = terminal.wait_for(r"The command ended with status 7 after [1-9]\d*\.\d s\. q quits").string
    if re.search("out-42|err-43", screen):
        raise Failure(f"output on the screen:\n{screen}")
    terminal.wait_for("PAUSED")
    terminal.keys("Z")
    wait_until("the clock to go on", lambda: "PAUSED" not in terminal.screen())
    terminal.wait_for("The command ended with status 7")
    terminal.keys("q")
    terminal.wait_for("^out-42\nerr-43\nrc=7$")
    terminal.check_sane(before)


def test_command_is_ended(terminal):
    """quitting ends a running command and its group with SIGTERM"""
    before = terminal.settings()
    path = f"/tmp/{terminal.socket}.pids"
    command = f"sh -c 'sleep 100 & echo $$ $! > {path}; echo output; wait'"
    for end, keys in (("q", ["q", "y"]), ("^C", ["C-c", "C-c"]), ("SIGTERM", None)):
        pid = launch(terminal, command)
        wait_until("the command", lambda: os.path.exists(path) and os.path.getsize(path))
        with open(path) as file:
            pids = [int(word) for word in file.read().split()]
        if keys:
            terminal.keys(*keys)
        else:
            os.kill(pid, signal.SIGTERM)
        terminal.wait_for("^output\nrc=143$")
        wait_until(f"the command to end by {end}", lambda: not any(alive(p) for p in pids))
        os.unlink(path)
    terminal.check_sane(before)


def test_command_ignores(terminal):
    """a command that ignores SIGTERM is left alone, and a line reports it"""
    before = terminal.settings()
    launch(terminal, """sh -c 'trap "" TERM; echo $$; while :; do sleep 0.1; done'""")
    terminal.keys("q")
    terminal.wait_for(r"sh still runs\. End it and quit\? \(y or \^C\)")
    terminal.keys("n")
    terminal.wait_for("q Quit$")
    terminal.keys("q", "y")
    pid = int(terminal.wait_for(r"(?s)^(\d+)\n.*pmctop: 'sh' .*still runs.*^rc=143$").group(1))
    if not alive(pid):
        raise Failure("it was not left alone")
    os.kill(pid, signal.SIGKILL)
    terminal.check_sane(before)


def test_command_and_terminal(terminal):
    """a command has no terminal to draw on, read or stop"""
    before = terminal.settings()
    launch(terminal, "sh -c 'sleep 0.5; read line || echo no-input; "
                     "echo lost > /dev/tty || echo no-tty; stty -echo; kill -9 $$'",
           "stty tostop; ")
    terminal.wait_for("The command was killed by signal 9 after")
    terminal.keys("q")
    terminal.wait_for(r"(?s)^no-input$.*^no-tty$.*^rc=137$")
    terminal.line("stty -tostop")
    terminal.check_sane(before)


def test_command_not_found(terminal):
    """a missing or not executable command: one line, 127 or 126, the terminal is restored"""
    before = terminal.settings()
    terminal.line(f"clear; {PMCTOP} -- no-such-command; echo rc=$?")
    terminal.wait_for(r"^pmctop: 'no-such-command' is not found.*\nrc=127$")
    terminal.line(f"clear; {PMCTOP} -- /tmp; echo rc=$?")
    terminal.wait_for(r"^pmctop: '/tmp' is not executable.*\nrc=126$")
    terminal.line(f"clear; TMPDIR=/no/such {PMCTOP} -- true; echo rc=$?")
    terminal.wait_for(r"^pmctop: No file for the command's output in '/no/such'(.|\n)*rc=1$")
    terminal.line(f"clear; TERM=dumb {PMCTOP} -- sh -c 'echo once; exit 3' | tail -n 4; "
                  "echo rc=${PIPESTATUS[0]}")
    terminal.wait_for(r"(?s)once.*s elapsed.*^rc=3$")
    terminal.check_sane(before)


def test_usage(terminal):
    """a wrong option is one line and exit 2"""
    for arguments, words in (
        ("0", "minimum 0.1 s"),
        ("--dely 1", "did you mean '--delay'"),
        ("-s icp", "'ipc'"),
        ("-n x", "number of refreshes"),
        ("--theme defualt", "did you mean 'default'"),
    ):
        done = subprocess.run([PMCTOP, *arguments.split()], capture_output=True, check=False,
                              text=True)
        one_line = words in done.stderr and done.stderr.count("\n") == 1
        if done.returncode != 2 or not one_line or done.stdout:
            raise Failure(f"{arguments}: {done}")


def test_terminal_goes_away(terminal):
    """it ends when its terminal is closed, with a SIGHUP and without"""
    pid = terminal.start()
    terminal.close()
    wait_until("the end of the process", lambda: not alive(pid))
    # A terminal that is not the controlling one sends no signal: only a read reports it.
    master, slave = pty.openpty()
    process = subprocess.Popen([PMCTOP, "0.2"], stdin=slave, stdout=slave, stderr=slave,
                               start_new_session=True, env={**os.environ, "TERM": "xterm"})
    os.close(slave)
    try:
        wait_until("the first drawing", lambda: b"COMMAND" in os.read(master, 65536))
        os.close(master)
        wait_until("the end of the process", lambda: process.poll() is not None)
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(terminals.main(globals()))
