#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The end of pmctop while its terminal is frozen, dead or another program's, or during many
signals: the terminal is restored, and a recording is complete.

Prints TAP (tests/terminals.py).
"""
import ctypes
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from programs import state_of  # noqa: E402
import skip_reason  # noqa: E402
import terminals  # noqa: E402
from ptys import OnPty, is_sanitized  # noqa: E402
from terminals import PMCTOP, Failure, Skip, alive, children, wait_until  # noqa: E402

TGKILL = {"x86_64": 234, "aarch64": 131}[os.uname().machine]


def ends_well(path):
    """(whether a recording has its end mark, messages)"""
    done = subprocess.run([PMCTOP, "--replay", path, "--format", "json"], capture_output=True,
                          text=True, check=False, timeout=60)
    return done.returncode == 0 and "is cut off" not in done.stderr, done.stderr


def started(*arguments, **environment):
    tty = OnPty([PMCTOP, "-e", "page-faults", *arguments], **environment)
    if not tty.read_until(lambda: b"COMMAND" in tty.output):
        raise Failure(f"no rows: {tty.output[-2000:]!r}")
    return tty


def filled(tty):
    """Draws more and more without a reader, until the terminal takes nothing. pmctop then is in the
    middle of a write, or before the next one if the last picture just fitted."""
    tty.resize(2000, 200)

    def draw():
        tty.process.send_signal(signal.SIGWINCH)
        os.write(tty.master, b"\x0c")  # ^L: draw all again
        return not select.select([], [tty.slave], [], 1)[1]

    wait_until("a terminal that took nothing for a second", draw)


def end_stuck(number, *arguments):
    """(exit status or None, whether the settings are back) of an end in the middle of a write."""
    tty = started("0.1", *arguments)
    filled(tty)
    tty.process.send_signal(number)
    try:
        return tty.process.wait(90), tty.settings_are_back()
    except subprocess.TimeoutExpired:
        return None, False
    finally:
        tty.close()


def test_dead_terminal(_):
    """a terminal that is not read (a dead link): SIGTERM and SIGHUP end the recording well"""
    if why := skip_reason.system_wide(PMCTOP):
        raise Skip(why)
    for number in signal.SIGTERM, signal.SIGHUP:
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "perf.data")
            status, back = end_stuck(number, "--record", path)
            if status != 0 or not back:
                raise Failure(f"{number}: status {status}, settings back: {back}")
            good, stderr = ends_well(path)
            if not good:
                raise Failure(f"{number}: the recording does not end well: {stderr}")


def test_output_of_a_command(_):
    """a command's whole output is shown after ^C, also on a slow terminal"""
    lines = 100000
    with tempfile.TemporaryDirectory() as directory:
        done = os.path.join(directory, "done")
        tty = started("0.2", "--", "sh", "-c", f"seq {lines}; touch {done}; exec sleep 100")
        tty.read_until(lambda: os.path.exists(done))
        tty.process.send_signal(signal.SIGINT)
        while tty.process.poll() is None:
            tty.read(0.05)
            time.sleep(0.001)
        tty.wait()
    shown = tty.output[tty.output.rfind(b"\x1b[?1049l"):].split(b"\r\n")
    wanted = [b"%d" % number for number in range(2, lines + 1)]
    back = tty.settings_are_back()
    tty.close()
    if shown[-lines:-1] != wanted or not back:
        raise Failure(f"{len(shown)} lines, {shown[:3]} ... {shown[-3:]}, settings back: {back}")


def test_crash_on_dead_terminal(_):
    """a crash while the terminal takes nothing does not hang, and restores the settings"""
    status, back = end_stuck(signal.SIGABRT)
    if status != -signal.SIGABRT or not back:
        raise Failure(f"status {status}, settings back: {back}")


def test_every_signal(_):
    """any signal that ends it restores the terminal"""
    crashes = ("SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS")
    others = ("SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU", "SIGVTALRM", "SIGPROF", "SIGIO", "SIGPWR",
             "SIGSTKFLT", "SIGRTMIN", "SIGRTMAX")
    ignored = ("SIGPIPE", "SIGXFSZ", "SIGURG", "SIGCHLD")
    for name in crashes + others:
        number = getattr(signal, name)
        tty = started("0.5", ASAN_OPTIONS="handle_segv=0:handle_abort=0:handle_sigbus=0:"
                      "handle_sigfpe=0:handle_sigill=0:handle_sigtrap=0")
        for harmless in ignored:
            tty.process.send_signal(getattr(signal, harmless))
        tty.process.send_signal(number)
        status = tty.wait()
        want = -number if name in crashes else 0
        left = tty.output.rfind(b"\x1b[?1049l") > tty.output.rfind(b"\x1b[?1049h")
        back = tty.settings_are_back()
        tty.close()
        if status != want or not left or not back:
            raise Failure(f"{name}: status {status}, left the screen: {left}, line back: {back}")


def test_signal_storm(_):
    """10,000 signals of each kind, and the one that ends it is not lost"""
    tty = started("0.2")
    for _ in range(10000):
        for number in signal.SIGWINCH, signal.SIGCHLD, signal.SIGCONT:
            tty.process.send_signal(number)
        tty.read(0)
    tty.process.send_signal(signal.SIGTERM)
    status = tty.wait()
    back = tty.settings_are_back()
    tty.close()
    if status != 0 or not back:
        raise Failure(f"status {status}, settings back: {back}")


def test_two_crashes(_):
    """two fatal signals at once"""
    tty = started("0.5")
    tty.process.send_signal(signal.SIGSTOP)
    tty.process.send_signal(signal.SIGQUIT)
    tty.process.send_signal(signal.SIGABRT)
    tty.process.send_signal(signal.SIGCONT)
    status = tty.wait()
    back = tty.settings_are_back()
    tty.close()
    if status not in (-signal.SIGQUIT, -signal.SIGABRT) or not back:
        raise Failure(f"status {status}, settings back: {back}")


def test_crash_of_a_thread(_):
    """a crash in a thread that does not draw"""
    for number in signal.SIGSEGV, signal.SIGBUS:
        tty = started("0.2", ASAN_OPTIONS="handle_segv=0:handle_sigbus=0")
        pid = tty.process.pid
        other = next(int(tid) for tid in os.listdir(f"/proc/{pid}/task") if int(tid) != pid)
        ctypes.CDLL(None).syscall(TGKILL, pid, other, int(number))
        status = tty.wait()
        left = tty.output.rfind(b"\x1b[?1049l") > tty.output.rfind(b"\x1b[?1049h")
        back = tty.settings_are_back()
        tty.close()
        if status != -number or not left or not back:
            raise Failure(f"status {status}, left the screen: {left}, line back: {back}")


def test_no_memory(_):
    """out of memory: a sentence, and the terminal is restored"""
    if is_sanitized(PMCTOP):
        return  # a sanitizer does not run under a limit
    tty = started("0.2")
    resource.prlimit(tty.process.pid, resource.RLIMIT_AS, (1 << 20, 1 << 20))
    for width in range(1000, 9000, 100):
        tty.resize(width, 900)
        tty.process.send_signal(signal.SIGWINCH)
        if tty.read_until(lambda: tty.process.poll() is not None, 1):
            break
    status, stderr = tty.wait(), tty.process.stderr.read()
    left = tty.output.rfind(b"\x1b[?1049l") > tty.output.rfind(b"\x1b[?1049h")
    back = tty.settings_are_back()
    tty.close()
    if status != 1 or b"ut of memory" not in stderr or not left or not back:
        raise Failure(f"status {status}, stderr {stderr}, left: {left}, line back: {back}")


def test_background(terminal):
    """in the background it waits for the terminal without changing it, and ends on a signal"""
    terminal.line(f"{PMCTOP} 0.2 &")
    pid = wait_until("pmctop", lambda: children(terminal.shell_pid, "pmctop"))[0]
    wait_until("it to stop", lambda: state_of(pid) == "T")
    terminal.line("clear; echo still-$((6 * 7))")
    terminal.wait_for("^still-42$")
    before = terminal.settings()
    terminal.line("fg; echo rc=$?")
    terminal.wait_for(r"^ +PID .*COMMAND")
    terminal.keys("C-z")
    terminal.wait_for("Stopped")
    wait_until("it to stop", lambda: state_of(pid) == "T")
    terminal.line("clear; bg; echo back-$((1 + 1))")
    terminal.wait_for("^back-2$")
    wait_until("it to stop again", lambda: state_of(pid) == "T")
    terminal.line("kill %1")
    wait_until("the end", lambda: not alive(pid))
    terminal.check_sane(before)


def test_command_in_background(terminal):
    """without the terminal a command was not started, and no message claims that it goes on"""
    terminal.line(f"{PMCTOP} 0.2 -- sleep 1000 &")
    pid = wait_until("pmctop", lambda: children(terminal.shell_pid, "pmctop"))[0]
    wait_until("it to stop", lambda: state_of(pid) == "T")
    terminal.line("clear; kill $!; kill -CONT $!")
    wait_until("the end", lambda: not alive(pid))
    terminal.line("wait $!; echo rc=$?")
    screen = terminal.wait_for(r"^rc=\d+$").string
    if "rc=143" not in screen or "goes on" in screen:
        raise Failure(screen)


if __name__ == "__main__":
    sys.exit(terminals.main(globals()))
