#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings of this machine, replayed on a terminal with keys, from files and from pipes.

Prints TAP (tests/terminals.py).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import terminals  # noqa: E402
from terminals import PMCTOP, Failure, clock, wait_until  # noqa: E402

DIRECTORY = tempfile.mkdtemp(prefix="pmctop-replay-")
DATA = os.path.join(DIRECTORY, "run.data")
INTERVALS = 12  # 0.2 s each
POSITION = r"(\d\d):(\d\d):(\d\d) of (\d\d):(\d\d):(\d\d)"


def record():
    done = subprocess.run([PMCTOP, "-b", "-d", "0.2", "-n", str(INTERVALS), "--record", DATA],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=120)
    if done.returncode:
        raise Failure(done.stderr)


def replay(terminal, arguments, before=""):
    pid = terminal.start(arguments, before)
    terminal.wait_for("REPLAY")
    return pid


def leave(terminal):
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def write_all(pipe, data):
    """A raw write may be cut short by a signal."""
    while data:
        data = data[pipe.write(data):]


def write_halves(path, data, more):
    """Writes the second half when `more` is set. The reader may be slow, or end."""
    try:
        with open(path, "wb", buffering=0) as pipe:
            write_all(pipe, data[:len(data) // 2])
            more.wait()
            write_all(pipe, data[len(data) // 2:])
    except BrokenPipeError:
        pass


def test_plays(terminal):
    """the title shows that it is a recording, and the replay ends with its last picture"""
    replay(terminal, f"--replay {DATA} --speed 4")
    terminal.wait_for(r"REPLAY run\.data +" + POSITION + " +x4")
    terminal.wait_for(r"REPLAY .* END")
    leave(terminal)


def test_keys(terminal):
    """, and . step, Z continues, { } and G jump, [ and ] change the speed"""
    replay(terminal, f"--replay {DATA} --speed 0.1")
    terminal.keys("Z")
    terminal.wait_for("x0.1 +PAUSED")
    clocks = {clock(terminal.screen())}
    for _ in range(INTERVALS // 2):  # 0.2 s each: the clock does not change each time
        terminal.keys(".")
    wait_until("another second", lambda: clock(terminal.screen()) not in clocks)
    terminal.keys("}")
    terminal.wait_for(" END")
    terminal.keys(".")
    terminal.wait_for(r"This is the end of the recording\.")
    terminal.keys("{")
    terminal.wait_for("00:00:00 of 00:00:0[2-9]  x0.1 +PAUSED")
    terminal.keys(",")
    terminal.wait_for(r"This is the beginning of the recording\.")
    terminal.keys("G")
    terminal.wait_for(r"Go to \(now")
    terminal.line("half")
    terminal.wait_for("Invalid time 'half'")
    terminal.keys("C-u")
    terminal.line("100%")
    terminal.wait_for(" END")
    terminal.keys("G")
    terminal.line("begin")
    terminal.wait_for("00:00:00 of 00:00:0[2-9]  x0.1 +PAUSED")
    for speed in ("x0.2", "x0.5", "x1"):
        terminal.keys("]")
        terminal.wait_for(f" {speed} +PAUSED")
    terminal.keys("[")
    terminal.wait_for(" x0.5 +PAUSED")
    terminal.keys("Z")
    terminal.wait_for(" END")
    leave(terminal)


def test_refuses(terminal):
    """actions that a recording cannot have are refused in a sentence"""
    replay(terminal, f"--replay {DATA}")
    for key, words in (("k", "no signal is sent"), ("a", "cannot be attached"),
                      ("o", "nothing is recorded"), ("K", "cannot be separated"),
                      ("s", "intervals are the recording's")):
        terminal.keys(key)
        terminal.wait_for(words)
    leave(terminal)


def test_save_screen(terminal):
    """S saves a screen of the recording, with the time that it shows"""
    with tempfile.TemporaryDirectory() as directory:
        terminal.line(f"cd {directory}")
        replay(terminal, f"--replay {DATA} --speed max")
        terminal.wait_for(" END")
        shown = clock(terminal.screen())
        terminal.keys("S")
        name = terminal.wait_for(r"^Saved (pmctop-\S+)\.ansi and \.svg").group(1)
        with open(os.path.join(directory, f"{name}.ansi"), encoding="utf-8") as file:
            about = re.search(r"\d{4}(-\d\d){2} (\S+) [+-]\d{4}", file.read())
        if about is None or about.group(2) != shown:
            raise Failure(f"{about and about.group()}, on the screen {shown}")
        leave(terminal)
        terminal.line("cd /")


def test_screens(terminal):
    """the same screens, at each size"""
    terminal.resize(200, 50)
    replay(terminal, f"--replay {DATA} --speed max")
    terminal.wait_for(" END")
    terminal.wait_for("HISTORY")
    for width, height in ((80, 24), (40, 10), (120, 40)):
        terminal.resize(width, height)
        terminal.wait_for("REPLAY")
    terminal.keys("Tab", "Tab")
    terminal.wait_for("EVENT")
    terminal.keys("Tab")
    terminal.wait_for("^SINCE +FOR")
    terminal.keys("Tab", "Enter")
    terminal.wait_for("^pmctop .* REPLAY .* END")
    terminal.wait_for("^History +Left: longer")
    terminal.leave_page("^History +Left: longer")
    terminal.wait_for("^ +PID .*COMMAND")
    leave(terminal)


def test_pipe(terminal):
    """from a pipe: keys come from the terminal, and a pipe without data does not block"""
    fifo = os.path.join(DIRECTORY, "fifo")
    os.mkfifo(fifo)
    with open(DATA, "rb") as file:
        data = file.read()
    terminal.line(f"clear; {PMCTOP} --replay - < {fifo}; echo rc=$?")
    more = threading.Event()
    writer = threading.Thread(target=write_halves, args=(fifo, data, more), daemon=True)
    writer.start()
    terminal.wait_for("REPLAY of a pipe")
    terminal.keys("?")
    terminal.wait_for("details of the row")
    terminal.keys("?")
    terminal.wait_for("REPLAY of a pipe .* waiting for data")
    terminal.keys(",")
    terminal.wait_for("PAUSED")
    more.set()  # it is read when } goes there
    terminal.keys("}")
    terminal.wait_for(" END")
    leave(terminal)
    writer.join()


def test_quits(terminal):
    """q quits while the pipe has no data"""
    fifo = os.path.join(DIRECTORY, "still")
    os.mkfifo(fifo)
    terminal.line(f"clear; {PMCTOP} --replay - < {fifo}; echo rc=$?")
    with open(DATA, "rb") as file:
        data = file.read()
    threading.Thread(target=write_halves, args=(fifo, data, threading.Event()),
                     daemon=True).start()
    terminal.wait_for("REPLAY of a pipe")
    leave(terminal)


def test_cut_off(terminal):
    """a recording that is cut off shows what it has, and reports it"""
    cut = os.path.join(DIRECTORY, "cut.data")
    with open(DATA, "rb") as file:
        data = file.read()
    with open(cut, "wb") as file:
        file.write(data[:len(data) * 3 // 4 + 1])
    replay(terminal, f"--replay {cut} --speed max")
    terminal.wait_for("CUT OFF|END")
    leave(terminal)
    done = subprocess.run([PMCTOP, "--replay", cut, "--format", "json"], capture_output=True,
                          stdin=subprocess.DEVNULL, text=True, check=False, timeout=60)
    lines = done.stdout.splitlines()
    if done.returncode != 1 or not lines or done.stderr.count("\n") != 1:
        raise Failure(f"{done.returncode}, {len(lines)} refreshes, {done.stderr!r}")


def test_batch(_):
    """in batch: as fast as it can be read, and the same from a pipe"""
    shown = [subprocess.run([PMCTOP, "--format", "json", *arguments], capture_output=True,
                            stdin=stdin, text=True, check=False, timeout=60)
             for arguments, stdin in ((("--replay", DATA), subprocess.DEVNULL),
                                      (("--replay", DATA, "-n", "3"), subprocess.DEVNULL),
                                      (("--replay", "-"), open(DATA, "rb")))]
    for done in shown:
        if done.returncode or done.stderr:
            raise Failure(f"{done.returncode}: {done.stderr}")
    whole, three, piped = (done.stdout for done in shown)
    if whole.count("\n") != INTERVALS or three != "".join(whole.splitlines(True)[:3]):
        raise Failure(f"{whole.count(chr(10))} refreshes of {INTERVALS}")
    if re.sub('"replay":"-"', '"replay":"run.data"', piped) != whole:
        raise Failure("the output from a pipe differs")
    text = subprocess.run([PMCTOP, "--replay", DATA, "-b"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False, timeout=60).stdout
    if text.count("REPLAY of run.data") != INTERVALS:
        raise Failure(text[:300])


if __name__ == "__main__":
    STATUS = 77
    try:
        if not terminals.missing(terminals.SPIN):
            record()
        STATUS = terminals.main(globals())
    except Failure as failure:
        print(f"1..0 # skip no recording: {str(failure).strip()}")
    finally:
        shutil.rmtree(DIRECTORY)
    sys.exit(STATUS)
