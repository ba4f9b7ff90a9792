#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README's pictures, from real runs: on this machine, and on the emulated one, which has counters.

    make.py DIRECTORY [NAME...]

Each is a run in tmux, keys, and what the screen must show before it is taken. BUILD is the build
directory; BUILD/arm64 and BUILD/guest are the emulated machine's (make guest).
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [HERE, os.path.join(HERE, "..", "terminal")]
from svg import svg  # noqa: E402
from terminal_test import BUILD, PMCTOP, Terminal, wait_until  # noqa: E402

LOAD = os.path.join(BUILD, "load")
BOOT = (f"{ROOT}/tests/guest/boot.sh --image {BUILD}/guest --pmctop {BUILD}/arm64/pmctop "
        f"--load {BUILD}/arm64/load --shift 2 --interactive")
HERE_LOADS = ["spin"], ["crowd", "-s", "20", "-b", "2"], ["swarm", "1000000", "3"]
GUEST_LOADS = "spin -c 0 & pingpong -c 1 100000000 & clear"
PATIENCE_S = 600  # the emulated machine is slow where the host is busy


class Picture:
    """One screen: of which machine, how large, with which keys, and what must be seen then."""

    def __init__(self, name, title, guest, size, keys, sight, arguments=""):
        self.name, self.title, self.guest, self.size = name, title, guest, size
        self.keys, self.sight, self.arguments = keys, sight, arguments


PICTURES = (
    Picture("tasks", "Tasks of a machine with counters", True, (100, 24), [], r"IPC.*COMMAND"),
    Picture("wide", "200 columns and 50 lines", True, (200, 50), [], r"IPC.*COMMAND"),
    Picture("cpus", "CPUs", True, (100, 24), ["Tab"], r"^ *CPU"),
    Picture("software", "A virtual machine without counters", False, (100, 24), [],
            r"COMMAND(.|\n)*swarm"),
    Picture("tree", "The tree of processes", False, (100, 24), ["t"], r"COMMAND(.|\n)*└"),
    Picture("help", "The help", False, (100, 30), ["?"], "^Keys"),
)


def take(picture, terminal, directory):
    # Two refreshes, after which figures are those of a whole interval.
    for _ in range(2):
        shown = terminal.screen()
        wait_until("another refresh", lambda: terminal.screen() != shown, PATIENCE_S)
    for key in picture.keys:
        terminal.keys(key)
    terminal.wait_for(picture.sight, PATIENCE_S)
    screen = terminal.tmux("capture-pane", "-e", "-N", "-p", "-t", "t").rstrip("\n")
    path = os.path.join(directory, f"{picture.name}.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(svg(screen, picture.size[0], picture.title))
    print(path, flush=True)


def on_this_machine(picture, directory):
    terminal = Terminal(*picture.size, TERM="tmux-256color", COLORTERM="truecolor")
    loads = [subprocess.Popen([os.path.join(LOAD, load[0]), *load[1:]],
                              stdout=subprocess.DEVNULL) for load in HERE_LOADS]
    try:
        terminal.line(f"clear; {PMCTOP} {picture.arguments}")
        terminal.wait_for("COMMAND")
        take(picture, terminal, directory)
    finally:
        for load in loads:
            load.kill()
            load.wait()
        terminal.close()


def on_the_emulated_one(picture, directory):
    terminal = Terminal(*picture.size, TERM="xterm-256color")
    try:
        terminal.line(f"clear; {BOOT}")
        terminal.wait_for(r"root@guest", PATIENCE_S)
        terminal.line(GUEST_LOADS)
        terminal.line(f"pmctop {picture.arguments}")
        terminal.wait_for("COMMAND", PATIENCE_S)
        take(picture, terminal, directory)
    finally:
        terminal.keys("C-a", "x")
        terminal.close()


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    for picture in PICTURES:
        if sys.argv[2:] and picture.name not in sys.argv[2:]:
            continue
        (on_the_emulated_one if picture.guest else on_this_machine)(picture, sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
