#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Captures pmctop's screens of sick machines, for a reader that names the illnesses from them alone.

    sick_screens.py DIR [--seed N] [--beside-build] [--sizes] [MACHINE...]

Starts the machines one after the other, in an order of the seed. DIR/NN has the screens of the NNth, as
text and with colours: the first screen, and pages that a key opens from there (PAGES). DIR/truth.txt
has the name of each NN, and whether its witness (illnesses.py) agreed before and after. Programs of
tests/load run under other names.

--beside-build: FEW machines, each beside make -j4. --sizes: instead of pages, the first screens of FEW
machines in SIZES and THEMES, also as pictures. Needs root for the cgroups, and tmux.
"""
import argparse
import contextlib
import os
import random
import shlex
import shutil
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from illnesses import ILLNESSES, OTHERS, CannotBeMade, Seen, started  # noqa: E402
from pmctop import ENVIRONMENT  # noqa: E402
from programs import LOAD  # noqa: E402
from terminals import Failure, Terminal  # noqa: E402
from witness_scenes import TRACED  # noqa: E402

MACHINES = ["loop", "switches-47k", "vfork-storm", "faults", "fsync", "mutex", "spinners", "nice",
            "throttled-v1", "vfork-long", "memcpy", "false-sharing", "regex", "node", "leak",
            "fsync-storm", "pool", "forks-300", "udp", "stopped-reader", "thrash-v1", "dd"]
FEW = ["loop", "switches-47k", "faults", "fsync", "mutex", "throttled-v1", "forks-300", "vfork-long",
       "udp", "pool"]
SIZES = [(80, 24), (120, 40), (200, 50)]
THEMES = {"dark": "default", "light": "light"}
FIRST_S = 8
STEPS_BACK = 3
TABLE = r"^ +PID .*COMMAND"
# Files, and the keys to press from the first screen, each with the seconds before the capture. A file
# of several captures has them one below the other.
PAGES = [
    {"enter": [("Enter", 3)]},
    {"code": [("w", 4)]},
    {"findings": [("!", 3)], "row": [("Enter", 2)], "row_details": [("Enter", 3)]},
    {"again": [("!", 1)], "finding_code": [("w", 4)]},
]


def disguised(words, place):
    """The words with copies of the load programs that are named "app", and "launcher" if they start
    another. All commands of a machine have the same programs."""
    programs = [word for word in words if os.path.dirname(word) == LOAD]
    shown = []
    for word in words:
        if word not in programs:
            shown.append(word)
            continue
        name = "app" if word == programs[-1] else "launcher"
        if not os.path.exists(f"{place}/{name}"):
            shutil.copy(word, f"{place}/{name}")
        shown.append(f"{place}/{name}")
        if os.path.basename(word) == "pingpong":
            shown += ["-n", name]
    return shown


@contextlib.contextmanager
def pmctop_in_terminal(directory, width=80, height=24, options=""):
    terminal = Terminal(width, height, COLORTERM="truecolor", **ENVIRONMENT)
    try:
        terminal.start(options, f"cd {shlex.quote(directory)}; {shlex.join(TRACED)} ")
        time.sleep(FIRST_S)
        yield terminal
        terminal.keys("q")
        terminal.wait_for("^rc=0$")
    finally:
        terminal.close()


def write_file(path, text):
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


def capture(terminal, path):
    write_file(f"{path}.txt", terminal.screen())
    write_file(f"{path}.ansi", terminal.tmux("capture-pane", "-e", "-p", "-t", "t"))


def capture_pages(directory):
    with pmctop_in_terminal(directory) as terminal:
        capture(terminal, f"{directory}/first")
        for page in PAGES:
            for name, keys in page.items():
                for key, seconds in keys:
                    terminal.keys(key)
                    time.sleep(seconds)
                    capture(terminal, f"{directory}/{name}")
            for _ in range(STEPS_BACK):
                terminal.keys("Escape")
                time.sleep(0.3)
            terminal.wait_for(TABLE)


def capture_sizes(directory):
    for width, height in SIZES:
        for word, theme in THEMES.items():
            path = f"{directory}/{width}x{height}-{word}"
            with pmctop_in_terminal(directory, width, height, f"--theme {theme}") as terminal:
                capture(terminal, path)
                terminal.keys("S")
                saved = terminal.wait_for(r"^Saved (\S+)\.ansi and \.svg")[1]
            os.rename(f"{directory}/{saved}.svg", f"{path}.svg")
            os.unlink(f"{directory}/{saved}.ansi")


def capture_machine(name, directory, beside_build, sizes):
    """A line for the truth: what the witness saw."""
    with contextlib.ExitStack() as stack:
        if beside_build:
            stack.enter_context(started("build"))
        sick = stack.enter_context(started(name, disguised))
        seen = [Seen(sick)]
        if sizes:
            capture_sizes(directory)
        else:
            capture_pages(directory)
        seen.append(Seen(sick))
    witness = {**ILLNESSES, **OTHERS}[name].witness
    agrees = ["yes" if witness(each) else "NO" for each in seen]
    return (f"{name}: pid {sick.pid}, the witness agrees: {agrees[0]} before, {agrees[1]} after\n" +
            "".join(f"    {each}\n" for each in seen))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--beside-build", action="store_true")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("machines", nargs="*", metavar="MACHINE")
    arguments = parser.parse_intermixed_args()
    names = arguments.machines or (FEW if arguments.beside_build or arguments.sizes else MACHINES)
    random.Random(arguments.seed).shuffle(names)
    os.makedirs(arguments.directory)
    for number, name in enumerate(names, 1):
        directory = os.path.abspath(f"{arguments.directory}/{number:02}")
        os.mkdir(directory)
        try:
            truth = capture_machine(name, directory, arguments.beside_build, arguments.sizes)
        except (CannotBeMade, Failure) as reason:
            truth = f"{name}: not captured: {reason}\n"
        write_file(f"{arguments.directory}/truth.txt", f"{number:02} {truth}")
        print(f"{number:02} of {len(names)}", flush=True)


if __name__ == "__main__":
    main()
