#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README's pictures: of real runs on this machine and on the emulated one, and of a simulated one.

    make.py DIRECTORY [NAME...]

A real picture is a run in tmux, keys, and a pattern that the screen must match first. A simulated
one is a screen of the fake kernel's machine in use, which test_tui_simulated draws. Its caption
says so. With NAME, only the runs of these pictures. BUILD is the build directory. BUILD/arm64 and
BUILD/guest are the emulated machine's (make guest).
"""
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from svg import svg  # noqa: E402
from terminals import BUILD, PMCTOP, Terminal, clock, wait_until  # noqa: E402

LOAD = os.path.join(BUILD, "load")
BOOT = (f"{ROOT}/tests/guest/boot.sh --image {BUILD}/guest --pmctop {BUILD}/arm64/pmctop "
        f"--load {BUILD}/arm64/load --shift 2 --interactive")
HERE_LOADS = ["spin", "-n", "2"], ["crowd", "-s", "20", "-b", "2"], ["swarm", "100000", "50"]
GUEST_LOADS = "spin -c 0 & pingpong -c 1 100000000 & clear"
PATIENCE_S = 600  # the emulated machine is slow on a busy host


class Picture:
    """A screen: the keys that lead to it, the pattern that it must match, and the keys back."""

    def __init__(self, name, title, keys, pattern, back):
        self.name, self.title, self.keys, self.pattern, self.back = name, title, keys, pattern, back


# (whether it is the emulated machine, size, pictures)
SCENES = (
    (True, (100, 24), (
        Picture("add", "Choosing an event", ["e", "s", "t", "a", "l", "l"],
                r"> stall(.|\n)*stalled-cycles", ["Escape"]),
    )),
    (False, (100, 24), (
        Picture("software", "A virtual machine without counters", [],
                r"COMMAND(.|\n)*swarm", []),
    )),
)


# name: (columns, title)
SIMULATED = {
    "tasks": (100, "Tasks and their verdicts"),
    "topdown": (100, "Where the slots of the CPUs went"),
    "waits": (100, "Why a process does not run"),
    "code": (100, "The functions of a process"),
    "wide": (200, "200 columns and 50 lines"),
}
SIMULATED_CAPTION = "A simulated machine: the fake kernel of pmctop's tests. The figures are invented."


def wait_for_drawn(terminal):
    """Returns the screen when it has not changed for a while."""
    def capture():
        return terminal.tmux("capture-pane", "-e", "-N", "-p", "-t", "t").rstrip("\n")
    seen = [capture()]

    def is_still():
        time.sleep(0.2)
        seen.append(capture())
        return len(seen) > 3 and seen[-3] == seen[-2] == seen[-1]
    wait_until("a complete screen", is_still, PATIENCE_S)
    return seen[-1]


def take_picture(picture, size, terminal, directory):
    terminal.keys("C-l")
    for key in picture.keys:
        terminal.keys(key)
    terminal.wait_for(picture.pattern, PATIENCE_S)
    screen = wait_for_drawn(terminal)
    path = os.path.join(directory, f"{picture.name}.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(svg(screen, size[0], picture.title))
    print(path, flush=True)
    for key in picture.back:
        terminal.keys(key)
    terminal.wait_for("PID USER", PATIENCE_S)


def take_pictures(terminal, scene, directory):
    _, size, pictures = scene
    terminal.wait_for("COMMAND", PATIENCE_S)
    # The first refreshes are not whole intervals for all figures.
    for _ in range(8):
        shown = clock(terminal.screen())
        wait_until("another refresh", lambda: clock(terminal.screen()) != shown, PATIENCE_S)
    for picture in pictures:
        take_picture(picture, size, terminal, directory)


def on_this_machine(scene, directory):
    terminal = Terminal(*scene[1], TERM="tmux-256color")
    loads = [subprocess.Popen([os.path.join(LOAD, load[0]), *load[1:]],
                              stdout=subprocess.DEVNULL) for load in HERE_LOADS]
    try:
        # Without the other tasks of this machine.
        pids = ",".join(str(load.pid) for load in loads)
        terminal.line(f"clear; {PMCTOP} --config /dev/null -p {pids}")
        take_pictures(terminal, scene, directory)
    finally:
        for load in loads:
            load.kill()
            load.wait()
        terminal.close()


def on_the_emulated_one(scene, directory):
    terminal = Terminal(*scene[1], TERM="tmux-256color")
    try:
        terminal.line(f"clear; {BOOT}")
        terminal.wait_for(r"root@guest", PATIENCE_S)
        terminal.line(GUEST_LOADS)
        terminal.line("pmctop")
        take_pictures(terminal, scene, directory)
    finally:
        terminal.keys("C-a", "x")
        terminal.close()


def of_the_simulated_one(names, directory):
    with tempfile.TemporaryDirectory() as screens:
        subprocess.run([os.path.join(BUILD, "tests/unit/screen/test_tui_simulated")], check=True,
                       cwd=ROOT, env=dict(os.environ, PICTURES=screens),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in names:
            columns, title = SIMULATED[name]
            with open(os.path.join(screens, f"{name}.screen"), encoding="utf-8") as file:
                screen = file.read().rstrip("\n")
            path = os.path.join(directory, f"{name}.svg")
            with open(path, "w", encoding="utf-8") as file:
                file.write(svg(screen, columns, f"{title} (simulated machine)",
                               SIMULATED_CAPTION))
            print(path, flush=True)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    simulated = [name for name in SIMULATED if name in (sys.argv[2:] or SIMULATED)]
    if simulated:
        of_the_simulated_one(simulated, sys.argv[1])
    for scene in SCENES:
        if sys.argv[2:] and not any(picture.name in sys.argv[2:] for picture in scene[2]):
            continue
        (on_the_emulated_one if scene[0] else on_this_machine)(scene, sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
