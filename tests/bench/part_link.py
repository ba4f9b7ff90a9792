# SPDX-License-Identifier: MIT
"""Slow and far links, as with ssh: the time from a key to its page on the terminal, and the bytes
that were on their way when the key was pressed. Each tool refreshes once a second."""
import contextlib
import random

from part_bytes import busy
from slow_link import SlowLink
from tools import DEFAULT_TOOL, HTOP, Absent, check_tool, home, with_before

SIZE = 120, 40
WARM_S, BACK_S, PATIENCE_S = 15, 5, 60
REPEATS, REPEAT_S = 60, 1 / 30  # of a key that is held down
SSH = 2 << 20  # bytes that sshd's channel takes
DOWN = b"\x1b[B"

LINKS = (("9,600 baud, buffer of 64 KiB", {"rate": 960, "buffer": 64 << 10}, 0),
         ("9,600 baud, buffer of 2 MiB", {"rate": 960, "buffer": SSH}, 0),
         ("9,600 baud, Down held before", {"rate": 960, "buffer": SSH}, REPEATS),
         ("300 ms", {"delay_s": 0.15, "buffer": SSH}, 0),
         ("300 ms, Down held before", {"delay_s": 0.15, "buffer": SSH}, REPEATS))
HELP = {"pmctop": (b"?", rb"Keys", b"\x1b"), "htop": (b"h", rb"\(C\) 2004", b"\x1b")}


def press(tool, options, held, rounds):
    """([seconds from the key to its page], [bytes on their way before it])"""
    check_tool(tool)
    key, shown, back = HELP[tool.name.split()[0]]
    chance, took, waiting = random.Random(5), [], []
    with home() as directory:
        link = SlowLink(tool.command, *SIZE, HOME=directory, **options)
        with contextlib.closing(link):
            link.run_for(WARM_S)
            for _ in range(rounds):
                link.run_for(BACK_S + chance.random())
                for _ in range(held):
                    link.type(DOWN)
                    link.run_for(REPEAT_S)
                if link.process.poll() is not None:
                    raise Absent("refused: it ends by itself")
                link.clear()
                waiting.append(link.waiting)
                link.type(key)
                seconds = link.sees(shown, PATIENCE_S)
                took.append(PATIENCE_S if seconds is None else seconds)
                link.type(back)
    return took, waiting


def run(report, rounds):
    tools = [*with_before(DEFAULT_TOOL), HTOP]
    with busy():
        for what, options, held in LINKS:
            for tool in tools:
                took = waiting = None
                note = ""
                try:
                    took, waiting = press(tool, options, held, min(rounds, 4))
                except Absent as absent:
                    note = str(absent)
                report.add("link", f"from key to page, {what}: {tool.name}", took, "s", note=note)
                report.add("link", f"bytes on their way, {what}: {tool.name}", waiting, note=note)
