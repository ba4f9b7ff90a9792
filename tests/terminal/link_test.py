#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Terminals that are far away or slow: drawings wait for the terminal's answers, and no answer is
left to the shell. Prints TAP (tests/terminals.py)."""
import os
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import terminals  # noqa: E402
from ptys import OnPty  # noqa: E402
from slow_link import ANSWER, QUERY, SlowLink  # noqa: E402
from terminals import PMCTOP, Failure  # noqa: E402

LATE_S = 0.4  # an answer after this time is late
BAUD_9600 = 960  # bytes a second


def started(*arguments, **options):
    tty = OnPty([PMCTOP, *arguments], **options)
    if not tty.read_until(lambda: b"COMMAND" in tty.output and QUERY in tty.output):
        raise Failure(f"no rows, or no query: {tty.output[-2000:]!r}")
    return tty


def linked(*arguments, size=(80, 24), **options):
    link = SlowLink([PMCTOP, *arguments], *size, **options)
    if link.sees(rb"COMMAND") is None:
        raise Failure(f"no rows: {link.shown[-2000:]!r}")
    return link


def test_silent(_):
    """a terminal that does not answer gets one query, and all drawings"""
    tty = started("0.1")
    tty.output = b""
    tty.read_for(1.5)
    if QUERY in tty.output or len(tty.output) < 100:
        raise Failure(f"{tty.output!r}")
    tty.write(b"q")
    if tty.wait() != 0:
        raise Failure(f"status {tty.process.poll()}")
    tty.close()


def test_one_drawing(_):
    """while an answer is late nothing is drawn, whatever keys and refreshes come"""
    tty = started("0.1")
    tty.write(ANSWER)
    for i in range(8):
        if not tty.read_until(lambda: QUERY in tty.output):
            raise Failure(f"no query {i}: {tty.output[-2000:]!r}")
        if i > 1 and not tty.output.endswith(QUERY):  # before, no answer has been late
            raise Failure(f"query {i} is followed by {tty.output!r}")
        tty.output = b""
        tty.write(b"\x1b[B" * 5 + b"<>")
        tty.read_for(LATE_S)
        if i > 0 and tty.output:
            raise Failure(f"drawn before answer {i}: {tty.output!r}")
        tty.output = b""
        tty.write(ANSWER)
    tty.write(b"q" + ANSWER)
    if tty.wait() != 0 or tty.left():
        raise Failure(f"status {tty.process.poll()}")
    tty.close()


def test_newest(_):
    """the drawing after a late answer has the newest state, not those between"""
    tty = started("0.1")
    for _ in range(2):
        tty.write(ANSWER)
        tty.output = b""
        tty.read_until(lambda: QUERY in tty.output)
        tty.read_for(LATE_S)
    tty.output = b""
    for key in b"?", b"\x1b", b"e":
        tty.write(key)
        tty.read_for(0.1)
    tty.write(ANSWER)
    if not tty.read_until(lambda: QUERY in tty.output):
        raise Failure("no drawing")
    if b"Keys" in tty.output or b"Add an event" not in tty.output:
        raise Failure(f"not the newest state: {tty.output!r}")
    tty.process.send_signal(signal.SIGTERM)
    tty.write(ANSWER)
    tty.wait()
    tty.close()


def test_queue(_):
    """at 9,600 baud, of a busy screen, less than two drawings wait on their way"""
    link = linked("0.1", size=(120, 40), rate=BAUD_9600)
    link.run_until(lambda: link.queries > 2)
    link.clear()
    link.run_until(lambda: link.queries > 20)
    drawings = link.output.split(QUERY)
    longest = max(map(len, drawings)) + len(QUERY)
    print(f"# {link.most_waiting} bytes waited, of drawings of at most {longest}", flush=True)
    if link.most_waiting > 2 * longest:
        raise Failure(f"{link.most_waiting} bytes waited")
    link.close()


def test_no_answer_left(_):
    """at the end, an answer on its way is awaited: the shell does not get it"""
    # At 9,600 baud 3 kB on the way take longer than the second in which pmctop ends.
    for what, options in (("57,600 baud", {"rate": 6 * BAUD_9600}), ("300 ms", {"delay_s": 0.15})):
        for end in "q", "SIGTERM":
            link = linked("0.5", **options)
            link.run_for(2)
            link.type(b"<")
            if not link.run_until(lambda: link.waiting > 10 and QUERY in link.output[-4:]):
                raise Failure("no drawing is on its way")
            if end == "q":
                link.type(b"q")
            else:
                link.process.send_signal(signal.SIGTERM)
            if not link.run_until(lambda: link.process.poll() is not None):
                raise Failure(f"{what}, {end}: it continues")
            link.run_for(1)  # until each answer has arrived
            link.run_until(lambda: link.waiting == 0)
            rest = link.left()
            if rest or b"[0n" in link.output:
                raise Failure(f"{what}, {end}: the shell gets {rest!r}")
            link.close()


def test_flood(_):
    """a flood of answers that nobody asked for neither stops keys nor causes queries"""
    tty = started("0.2")
    tty.output = b""
    for _ in range(50):
        tty.write(ANSWER * 400)
    tty.write(b"?")
    if not tty.read_until(lambda: b"Keys" in tty.output):
        raise Failure(f"no help: {tty.output[-2000:]!r}")
    if tty.output.count(QUERY) > 100:
        raise Failure(f"{tty.output.count(QUERY)} queries")
    tty.process.send_signal(signal.SIGTERM)
    tty.write(ANSWER)
    tty.wait()
    tty.close()


if __name__ == "__main__":
    sys.exit(terminals.main(globals()))
