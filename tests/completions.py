# SPDX-License-Identifier: MIT
"""Checks of completions that are the same for every shell and machine. A shell is an object with
last(LINE)   the last argument of `pmctop LINE` after Tab
    all(LINE)    all matches at the end of the line, and the words of the line
    all(LINE)    the words that could stand there, and the words of the line
    dashes       whether -s completes -COLUMN
"""
import os

from frames import check
from pmctop import WORD_OPTIONS, listed, options, words_of
from programs import BUILD

COMPLETIONS = os.path.join(BUILD, "completions")

# A line, and its last argument after Tab.
NAMES = {
    "--readon": "--readonly", "-e alignment-f": "alignment-faults",
    "--event=alignment-f": "--event=alignment-faults",
    "-ealignment-f": "-ealignment-faults",
    "-e cycles,alignment-f": "cycles,alignment-faults",
    "-e cpu/event=1,umask=2/,alignment-f": "cpu/event=1,umask=2/,alignment-faults",
    "-e uprobe:/bin/sh:0x10,alignment-f": "uprobe:/bin/sh:0x10,alignment-faults",
    "-e sched:sched_switch:u,alignment-f": "sched:sched_switch:u,alignment-faults",
    "-m branch_d": "branch_density", "-m ipc,branch_d": "ipc,branch_density",
    "-s branch_d": "branch_density", "--sort=-branch_d": "--sort=-branch_density",
    "--columns ipc,-branch_d": "ipc,-branch_density",
    "-S softw": "software", "--preset=softw": "--preset=software", "-Ssoftw": "-Ssoftware",
    "--theme high-": "high-contrast", "--by thr": "thread", "--format=openm":
    "--format=openmetrics", "--list them": "themes", "--list themes high-": "high-contrast",
    "--speed ma": "max",
}

# A quote keeps braces, colons and equal signs together. Tab closes it.
QUOTED = {"-e '{cycles,alignment-f": "{cycles,alignment-faults",
          "-e '{cycles,branches},alignment-f": "{cycles,branches},alignment-faults"}


def check_last(shell, name, lines):
    for line, wanted in lines.items():
        got = shell.last(line).rstrip()
        check(f"{name}: {line}", got == wanted, f"{got!r} is not {wanted!r}")


def check_names(shell, name):
    check_last(shell, name, NAMES)
    if shell.dashes:
        check_last(shell, name, {"-s -branch_d": "-branch_density"})


def check_lists(shell, name):
    """The completions are the lists that the program prints."""
    spelled = {f"--{each}" for _, each, _, _ in options()}
    got = {word.rstrip("=") for word in shell.all("--")}
    check(f"{name}: all options and no other word", got - {"--"} == spelled, spelled ^ got)
    for line, (what, *pattern) in {"-S ": ["presets"], "-m ipc": ["metrics", "ipc*"],
                                   "--theme so": ["themes", "so"],
                                   "-e L1-i": ["events", "L1-i*"]}.items():
        got = [word for word in shell.all(line) if word not in ("-S", "-m", "--theme", "-e")]
        wanted = [each for each, *_ in listed(what, *pattern)
                  if each.startswith(line.split(" ")[-1])]
        check(f"{name}: all of {line}", len(wanted) > 1 and set(wanted) <= set(got),
              set(wanted) - set(got))
    for option in WORD_OPTIONS:
        got = [word for word in shell.all(f"--{option} ") if not word.startswith("-")]
        check(f"{name}: all words of --{option} and no other",
              set(got) == set(words_of(option)), set(got) ^ set(words_of(option)))
    for option, word in (("-e", "no-such-event"), ("--listen-name", "solarized-")):
        got = shell.all(f"{option} {word}")
        check(f"{name}: no match and no message for {option} {word}",
              not [each for each in got if each not in (option, word)], got)
