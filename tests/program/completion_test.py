#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The completions without a terminal: the tables of zsh and fish compared with --help and refusals,
and bash's functions, called as bash calls them. tests/live/completion_test.py presses Tab in each
shell.

Prints TAP. BUILD is the build directory.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from completions import COMPLETIONS, QUOTED, check_last, check_lists, check_names  # noqa: E402
from frames import check, finish  # noqa: E402
from pmctop import ENVIRONMENT, PMCTOP, WORD_OPTIONS, options, words_of  # noqa: E402

# Bash refuses compopt outside of a completion. $1 is the file, $2 the program, $3 the line; the
# others are its words.
BASH = r"""
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
compopt() { :; }
. "$1"
program=$2 COMP_LINE=$3 COMP_POINT=${#3}
shift 3
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_pmctop "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
"""


class BashFunctions:
    """pmctop.bash's functions in a bash without a terminal and readline."""

    dashes = True

    def replies(self, line):
        """(the part of the last argument that readline keeps, what may follow it)"""
        # Readline splits words at these two. They are words then.
        words = [word for part in line.split(" ") for word in re.split("([:=]+)", part)
                 if word or not part]
        done = subprocess.run(["bash", "--noprofile", "--norc", "-c", BASH, "bash",
                               os.path.join(COMPLETIONS, "pmctop.bash"), PMCTOP,
                               f"{PMCTOP} {line}", PMCTOP, *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, env=ENVIRONMENT)
        last = "" if words[-1] in (":", "=") else words[-1]
        kept = line[:len(line) - len(last)].split(" ")[-1] + re.match("['\"]?", last).group()
        return kept, done.stdout.splitlines() + done.stderr.splitlines()

    def all(self, line):
        kept, replies = self.replies(line)
        return [(kept + reply).rstrip() for reply in replies]

    def last(self, line):
        words = self.all(line)
        return words[0] if len(words) == 1 else f"{len(words)}: {words[:9]}"


def source(name):
    with open(os.path.join(COMPLETIONS, name), encoding="utf-8") as file:
        return file.read()


def check_bash():
    shell = BashFunctions()
    check_names(shell, "bash")
    check_last(shell, "bash", {line: f"'{wanted}" for line, wanted in QUOTED.items()})
    check_last(shell, "bash", {"-m BRANCH_d": "branch_density", "-m ipc,Branch_D": "ipc,branch_density"})
    check_lists(shell, "bash")


def check_tables():
    """The tables of zsh and fish have each option, with the text of --help."""
    zsh = source("_pmctop").replace("'\\''", "'").replace("\\[", "[").replace("\\]", "]")
    fish = source("pmctop.fish").replace("\\'", "'")
    words = r"^[a-z]+(, [a-z]+)* or [a-z]+(: |$)"
    for letter, name, takes, text in options():
        text = re.sub(words, "", text)
        check(f"zsh: --{name} as in --help",
              re.search(rf"--{name}{'=' if takes else ''}\W", zsh) and f"[{text}" in zsh
              and (not letter or re.search(rf"\{{-{letter}{'[+]' if takes else ''},", zsh)), text)
        line = re.search(rf"^complete -c pmctop(?: -s (\w))? -l {name} (.*)$", fish, re.M)
        check(f"fish: --{name} as in --help",
              line and (line.group(1) or "") == letter and text in line.group(2)
              and bool(takes) == bool(re.match("-[xr] ", line.group(2))), line and line.group())
    spelled = {name for _, name, _, _ in options()}
    found = set(re.findall(r"--([a-z-]+)=?\[", source("_pmctop"))
                + re.findall(r",--([a-z-]+)=?\}", source("_pmctop")))
    check("zsh: all options and no other", len(spelled) > 30 and found == spelled, found ^ spelled)
    found = set(re.findall(r"^complete .* -l ([a-z-]+) ", fish, re.M))
    check("fish: all options and no other", found == spelled, found ^ spelled)
    for name in WORD_OPTIONS:
        found = re.search(rf"--{name}=\[.*\]:\w+:\((.*)\)' ", zsh)
        check(f"zsh: all words of --{name} and no other",
              found and found.group(1).split() == words_of(name), found)
        found = re.search(rf"-l {name} -x -a '([a-z ]+)'", fish)
        check(f"fish: all words of --{name} and no other",
              found and found.group(1).split() == words_of(name), found)


def main():
    check_tables()
    check_bash()
    finish()


if __name__ == "__main__":
    main()
