#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Terminals of many types, any bytes from them, and one that stops reading.

Prints TAP (tests/terminals.py). FREEZE_S (5) is for how many seconds that one stops.
"""
import os
import random
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import terminals  # noqa: E402
from ptys import OnPty, is_sanitized  # noqa: E402
from terminals import (  # noqa: E402
    BUILD, JOBS, PMCTOP, SPIN, Failure, clock, header, measures, wait_until)

PINGPONG = os.path.join(BUILD, "load", "pingpong")
FREEZE_S = float(os.environ.get("FREEZE_S", "5"))
# What pmctop may use more while it is frozen. In 34 runs it was 0 to 1,376 KiB, in 29 of them less than
# 300: history, and arrays that a late and larger interval enlarges.
FROZEN_KIB = 4096
KINDS = ("xterm-256color", "xterm", "xterm-16color", "xterm-color", "screen", "screen-256color",
         "tmux", "tmux-256color", "linux", "ansi", "vt100", "vt220", "rxvt", "no-such-terminal")



def started(*arguments, **options):
    tty = OnPty([PMCTOP, *arguments], **options)
    if not tty.read_until(lambda: b"COMMAND" in tty.output):
        raise Failure(f"no rows: {tty.output[-2000:]!r}")
    return tty


def quit_sane(tty, what):
    tty.write(b"q")
    status = tty.wait()
    if status != 0 or not tty.settings_are_back():
        raise Failure(f"{what}: status {status}, settings back: {tty.settings_are_back()}")
    tty.close()


def capability(kind, name):
    """A capability in terminfo; xterm-256color's for a type that is not installed."""
    for known in kind, "xterm-256color":
        done = subprocess.run(["tput", "-T", known, name], capture_output=True, check=False)
        if done.returncode in (0, 1):  # 1: the type does not have it
            return done.stdout
    return b""


def balanced(output, on, off):
    """Whether a mode was switched off after it was switched on."""
    return not on or on not in output or output.rfind(off) > output.rfind(on)


def colors_in(output):
    """The largest number of a colour in the output, or -1."""
    largest = -1
    for parameters in re.findall(rb"\x1b\[([\d;]*)m", output):
        numbers = [int(n) for n in parameters.split(b";") if n]
        if len(numbers) > 2 and numbers[0] in (38, 48):
            largest = max(largest, 255 if numbers[1] == 5 else 1 << 24)
        for n in numbers:
            if 30 <= n <= 37 or 40 <= n <= 47:
                largest = max(largest, 7)
            elif 90 <= n <= 97 or 100 <= n <= 107:
                largest = max(largest, 15)
    return largest


def check_kind(kind):
    tty = started("0.2", TERM=kind)
    tty.read_for(0.5)
    quit_sane(tty, kind)
    colors = int(capability(kind, "colors") or 0)
    used = colors_in(tty.output)
    if used >= max(colors, 0):
        raise Failure(f"{kind}: colour {used} of {colors}")
    for on, off in (("smcup", "rmcup"), ("smkx", "rmkx"), ("civis", "cnorm")):
        if not balanced(tty.output, capability(kind, on), capability(kind, off)):
            raise Failure(f"{kind}: {on} without {off}: {tty.output[-200:]!r}")
    mouse = b"\x1b[?1000h" in tty.output
    if mouse != bool(capability(kind, "kmous")):
        raise Failure(f"{kind}: the mouse is {'on' if mouse else 'off'}")
    for name, mode in ("the mouse", b"1000"), ("bracketed paste", b"2004"):
        if not balanced(tty.output, b"\x1b[?" + mode + b"h", b"\x1b[?" + mode + b"l"):
            raise Failure(f"{kind}: {name} stays on")
    if kind.startswith(("xterm", "screen", "tmux")) != (b"\x1b[?2004h" in tty.output) and not mouse:
        raise Failure(f"{kind}: bracketed paste is {'on' if b'[?2004h' in tty.output else 'off'}")


def test_kinds(_):
    """each terminal type: its own sequences, no more colours than it has, all modes restored"""
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(check_kind, KINDS))


def test_dumb(_):
    """a dumb terminal gets printed output, and a message"""
    tty = OnPty([PMCTOP, "-n", "1", "0.2"], TERM="dumb")
    status = tty.wait()
    stderr = tty.process.stderr.read().decode()
    tty.close()
    if status or b"COMMAND" not in tty.output or b"\x1b" in tty.output or "TERM=dumb" not in stderr:
        raise Failure(f"{status}, {tty.output!r}, {stderr!r}")


def shows(tty, key, wanted):
    """Presses a key and waits until the output since then has these bytes. Returns that output."""
    tty.output = b""
    tty.write(key)
    if not tty.read_until(lambda: wanted in tty.output):
        raise Failure(f"{key!r}: no {wanted!r} in {tty.output[-2000:]!r}")
    return tty.output


def test_synchronized(_):
    """updates are synchronized where the terminal answers that it can, and the answer is no key"""
    for answer, wanted in ((b"\x1b[?20", b"26;2$y"), True), ((b"\x1b[?2026;0$", b"y"), False), ((), False):
        tty = started("0.2")
        if b"\x1b[?2026$p" not in tty.output:
            raise Failure(f"not asked: {tty.output[:300]!r}")
        for part in answer:
            tty.write(part)
            time.sleep(0.005)
        tty.read_for(0.5)
        output = shows(tty, b"?", b"Keys")  # ? and not the answer opens the help
        tty.read_for(0.3)
        begins, ends = tty.output.count(b"\x1b[?2026h"), tty.output.count(b"\x1b[?2026l")
        if bool(begins) != wanted or begins != ends:
            raise Failure(f"{answer}: {begins} begins and {ends} ends in {output!r}")
        shows(tty, b"\x1b", b"COMMAND")
        quit_sane(tty, answer)


def test_title(_):
    """the title is set without control characters, and restored at each end"""
    for number in None, signal.SIGTERM, signal.SIGSEGV:
        tty = started("0.2", "-p", str(os.getpid()), ASAN_OPTIONS="handle_segv=0")
        target = b" %d\x07" % os.getpid()
        tty.read_until(lambda: target in tty.output)
        pushed, title = tty.output.find(b"\x1b[22;2t"), tty.output.find(b"\x1b]2;pmctop ")
        if not 0 <= pushed < title < tty.output.find(target):
            raise Failure(f"no title: {tty.output[:300]!r}")
        if number:
            tty.process.send_signal(number)
        else:
            tty.write(b"q")
        tty.wait()
        if tty.output.count(b"\x1b[23;2t") != 1:
            raise Failure(f"{number}: the title is not restored: {tty.output[-300:]!r}")
        tty.close()


def test_no_mouse(_):
    """--no-mouse and mouse = no do not switch the mouse on"""
    config = f"/tmp/pmctop-tty-{os.getpid()}.conf"
    with open(config, "w", encoding="ascii") as file:
        file.write("[pmctop]\nmouse = no\n")
    for arguments in ["--no-mouse"], ["--config", config]:
        tty = started(*arguments)
        quit_sane(tty, arguments)
        if b"\x1b[?1000" in tty.output:
            raise Failure(f"{arguments}: {tty.output!r}")
    os.unlink(config)


def test_paste(_):
    """pasted text presses no key, a prompt takes it, and an end that does not come is one"""
    tty = started("0.2")
    shows(tty, b"\x1b[200~q\r", b"Pasted text is ignored")
    time.sleep(0.6)
    shows(tty, b"?", b"Marks on figures")
    tty.write(b"\x1b[200~q\x1b[201~\x1b")
    tty.read_for(0.3)
    shows(tty, b"\\\x1b[200~no such\rtask\r\x1b[201~", b"no such task")
    tty.write(b"\r")
    quit_sane(tty, "paste")


def test_clears(_):
    """the whole screen is cleared at the start, by ^L and on another size, never else"""
    full = re.compile(rb"\x1b\[[0-3]?J")
    tty = started("0.1")
    tty.read_for(0.5)
    at_start = len(full.findall(tty.output))
    tty.output = b""
    tty.write(b"\t\t\t\t<>RHtg?")
    if not tty.read_until(lambda: b"Keys" in tty.output):
        raise Failure(f"no help: {tty.output[-2000:]!r}")
    helped = len(tty.output)
    tty.write(b"\x1b")
    if not tty.read_until(lambda: b"%CPU" in tty.output[helped:]):
        raise Failure(f"no list again: {tty.output[-2000:]!r}")
    tty.write(b"\x1b[B" * 30)
    tty.read_for(1)
    found = full.findall(tty.output)
    if at_start > 1 or found:
        raise Failure(f"{at_start} at the start, then {found}")
    for what in "^L", "resize":
        tty.output = b""
        if what == "^L":
            tty.write(b"\x0c")
        else:
            tty.resize(100, 30)
        if not tty.read_until(lambda: full.search(tty.output)):
            raise Failure(f"{what} does not clear the screen")
    quit_sane(tty, "after that")


def test_storm(_):
    """many sizes, down to 1x1, while keys are pressed"""
    chance = random.Random(7)
    tty = started("0.1")
    for _ in range(400):
        tty.resize(chance.choice((1, 2, 7, 40, 80, 200, 500)), chance.choice((1, 2, 3, 24, 50, 200)))
        if chance.random() < 0.3:
            tty.write(chance.choice((b"\t", b"?", b"\x1b", b"<", b">", b"H", b"\x1b[6~")))
        tty.read(0)
    tty.write(b"\x1b\x1b")
    tty.resize(80, 24)
    tty.read_for(0.5)
    tty.output = b""
    tty.write(b"\x0c")
    if not tty.read_until(lambda: b"pmctop" in tty.output):
        raise Failure(f"it does not draw any more: {tty.output[-500:]!r}")
    for _ in range(2):  # the first may only close the help
        tty.write(b"q")
        tty.read_for(0.3)
    if tty.wait() != 0:
        raise Failure(f"status {tty.process.poll()}")
    tty.close()


def test_garbage(_):
    """floods of bytes that are no keys have no effect"""
    chance = random.Random(11)
    tty = started("0.2", "-H")
    for _ in range(300):
        kind = chance.randrange(5)
        noise = bytes(chance.randrange(128, 256) for _ in range(chance.randrange(1, 40)))
        if kind == 1:  # unknown sequences
            noise = b"\x1b[" + bytes(chance.choice(b"0123456789;?>=") for _ in range(200)) + b"y"
        elif kind == 2:  # answers
            noise = b"\x1b]10;rgb:" + noise + b"q\x07"
        elif kind == 3:
            noise = b"\x1bP" + b"qqqqHHHH" * 20 + b"\x1b\\"
        elif kind == 4:
            noise = b"\x1b[<%d;%d;%dm" % tuple(chance.randrange(1 << 20) for _ in range(3))
        tty.write(noise)
    for half in b"\x1b[", b"\x1b[1;", b"\x1b[<0;1", b"\x1b]0;q", b"\xe2\x82", b"\x1bO"[:1]:
        tty.write(half)
        tty.read_for(0.3)  # longer than it waits for the rest of a sequence
    tty.output = b""
    tty.write(b"\x0c")
    if not tty.read_until(lambda: b"TID" in tty.output and b"COMMAND" in tty.output):
        raise Failure(f"the screen has changed: {tty.output[-2000:]!r}")
    quit_sane(tty, "after garbage")


def test_mouse(terminal):
    """a click sorts, reverses, selects and presses the key bar; the wheel scrolls"""
    before = terminal.settings()
    terminal.start()
    wait_until("the mouse", lambda: terminal.format("#{mouse_any_flag}#{mouse_sgr_flag}") == "11")
    terminal.click_on("COMMAND")
    terminal.wait_for("COMMAND▲")
    terminal.click_on("COMMAND")
    terminal.wait_for("COMMAND▼")
    terminal.click_on("Help")
    terminal.wait_for("^Keys")
    first = terminal.screen().splitlines()[1]
    terminal.click(5, 5, button=65)
    wait_until("the help to scroll", lambda: terminal.screen().splitlines()[1] != first)
    terminal.click_on("Back")
    terminal.wait_for("COMMAND▼")
    terminal.click_on("Quit")
    terminal.wait_for("^rc=0$")
    terminal.check_sane(before)


def test_names(terminal):
    """wide and combining characters in names do not move columns"""
    names = {"漢字テスト": "漢字テスト", "e\u0301te\u0301": "e\u0301te\u0301", "😀": "😀"}
    loads = []
    for name in names:
        link = os.path.join(f"/tmp/pmctop-names-{os.getpid()}", name)
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if not os.path.exists(link):
            os.symlink(SPIN, link)
        loads.append(subprocess.Popen([link]))
    try:
        terminal.start("0.5")
        for name, shown in names.items():
            terminal.wait_for(f"{shown}$")
        command = header(terminal.screen()).index("COMMAND")
        for line in terminal.screen().splitlines():
            for shown in names.values():
                if line.endswith(shown) and line.index(shown) != command:
                    raise Failure(f"'{line}' is not aligned")
    finally:
        for load in loads:
            load.kill()
            load.wait()
        for name in names:
            os.unlink(os.path.join(f"/tmp/pmctop-names-{os.getpid()}", name))
        os.rmdir(f"/tmp/pmctop-names-{os.getpid()}")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")


def memory_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        return int(re.search(r"^VmRSS:\s+(\d+)", status.read(), re.M).group(1))


def sleeps(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read(), re.M).group(1))


def lost(terminal):
    """Whether pmctop reports lost records since its start. Quits it."""
    terminal.wait_for("COMMAND")
    pages = [terminal.screen()]
    terminal.keys("?")
    pages.append(terminal.wait_for("^Keys").string)
    terminal.leave_page("^Keys")
    terminal.keys("q")
    terminal.wait_for("^rc=0$")
    return any(re.search(r"lost +\d+ records|Records were lost", page) for page in pages)


def await_refreshes(terminal, seconds):
    for _ in range(seconds):
        seen = clock(terminal.screen())
        wait_until("the clock to go on", lambda: clock(terminal.screen()) != seen)


def freeze(terminal, pid, pingpong):
    """Does not read for FREEZE_S. Returns a sentence with what happened meanwhile."""
    # The first rows are a glimpse of /proc. The first intervals then take 5 to 6 MiB for records and
    # snapshots, whether the terminal is read or not.
    await_refreshes(terminal, 3)
    used = memory_kib(pid)
    terminal.keys("C-s")
    time.sleep(1)
    held, slept, began = terminal.screen(), sleeps(pingpong.pid), time.monotonic()
    time.sleep(FREEZE_S)
    # Each of the two sleeps once a round trip.
    rate = 2 * (sleeps(pingpong.pid) - slept) / (time.monotonic() - began)
    if terminal.screen() != held:
        raise Failure("the terminal was not frozen")
    grown = memory_kib(pid) - used
    terminal.keys("C-q")
    wait_until("the clock to go on", lambda: clock(terminal.screen()) != clock(held))
    if grown > (FROZEN_KIB if not is_sanitized(terminals.PMCTOP) else 16384):
        raise Failure(f"{grown} KiB more than before")
    return f"{rate:.0f} switches a second for {FREEZE_S} s, {grown} KiB more"


@measures
def test_frozen_in_a_storm(terminal):
    """a terminal that stops reading, tens of thousands of switches a second: no record is lost"""
    before = terminal.settings()
    pingpong = subprocess.Popen([PINGPONG, "-c", "0", "1000000000"])
    frozen, reading = [], []
    try:
        # A machine that is too busy sometimes loses some, also while the terminal is read.
        while len(frozen) < 3 and all(frozen):
            pid = terminal.start("0.5")
            terminal.wait_for("pingpong")
            summary = freeze(terminal, pid, pingpong)
            frozen.append(lost(terminal))
            print(f"# {summary}, {'some' if frozen[-1] else 'no'} records lost", flush=True)
            if frozen[-1]:
                terminal.start("0.5")
                await_refreshes(terminal, 3)
                time.sleep(FREEZE_S + 1)
                reading.append(lost(terminal))
        if all(frozen) and not all(reading):
            raise Failure("records are lost each time that it is frozen, and not always otherwise")
    finally:
        pingpong.kill()
        pingpong.wait()
    terminal.check_sane(before)


if __name__ == "__main__":
    sys.exit(terminals.main(globals()))
