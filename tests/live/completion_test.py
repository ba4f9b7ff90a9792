#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The completions in real shells. bash with and without bash-completion, and zsh, run on a
terminal: the script presses Tab and reads the arguments that a program would get. fish is asked by
`complete -C`. A script in place of pmctop writes its arguments to a file if it has a terminal, and
is pmctop if a completion runs it. tests/program/completion_test.py tests the files without a
shell's terminal.

Prints TAP. BUILD is the build directory.
"""
import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from completions import COMPLETIONS, QUOTED, check_last, check_lists, check_names  # noqa: E402
from frames import check, finish, skip  # noqa: E402
from pmctop import PMCTOP, listed  # noqa: E402
from ptys import OnPty, sanitizers  # noqa: E402

BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"
PATIENCE_S = 60

WRAPPER = """#!/bin/sh
if [ -t 0 ]; then
	printf '%s\\n' "$@" >{directory}/arguments.new
	mv {directory}/arguments.new {directory}/arguments
	echo WRITTEN
else
	exec {pmctop} "$@"
fi
"""

# ^Xa writes all matches, as readline's M-* does.
ZSH_START = """
PS1='ready> '
fpath=({completions} $fpath)
autoload -Uz compinit
compinit -u -d {directory}/zcompdump
setopt no_list_beep no_always_last_prompt no_list_ambiguous
zstyle ':completion:*' list-prompt ''
zle -C all-matches complete-word _generic
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert yes
bindkey -e
bindkey '^Xa' all-matches
LISTMAX=100000
"""
BASH_START = """
PS1='ready> '
bind 'set enable-bracketed-paste off'
{more}
. {completions}/pmctop.bash
"""


class Shell:
    """A shell on a terminal."""

    every = None  # the key that inserts all matches
    dashes = True

    def __init__(self, directory, command, **environment):
        self.directory = directory
        self.path = os.path.join(directory, "arguments")
        # Prompts go to standard error.
        self.terminal = OnPty(["sh", "-c", 'exec "$@" 2>&1', "sh", *command], width=250,
                              PATH=f"{directory}:{os.environ['PATH']}", HOME=directory,
                              HISTFILE="", TERM="xterm", **environment)
        self.terminal.read_until(lambda: b"ready> " in self.terminal.output, PATIENCE_S)

    def arguments(self, line, key="\t"):
        """pmctop's arguments after the line, the key and Enter."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        before = len(self.terminal.output)
        self.terminal.write(f"pmctop {line}{key}\n".encode())
        # The shell does not edit what is typed before its next prompt.
        self.terminal.read_until(lambda: re.search(rb"WRITTEN\r\n.*ready> ",
                                                   self.terminal.output[before:], re.S), PATIENCE_S)
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            self.terminal.write(b"\x03")
            return [f"nothing within {PATIENCE_S} s", repr(self.terminal.output[-300:])]

    def last(self, line):
        """The last argument after Tab."""
        return self.arguments(line)[-1]

    def all(self, line):
        """All matches."""
        return [word.rstrip() for word in self.arguments(line, self.every)]

    def close(self):
        self.terminal.close()


class Bash(Shell):
    every = "\x1b*"

    def __init__(self, directory, more=""):
        path = os.path.join(directory, "bashrc")
        with open(path, "w", encoding="ascii") as file:
            file.write(BASH_START.format(completions=COMPLETIONS, more=more))
        super().__init__(directory, ["bash", "--noprofile", "--rcfile", path, "-i"],
                         INPUTRC="/dev/null")


class Zsh(Shell):
    every = "\x18a"

    def __init__(self, directory):
        with open(os.path.join(directory, ".zshrc"), "w", encoding="ascii") as file:
            file.write(ZSH_START.format(completions=COMPLETIONS, directory=directory))
        super().__init__(directory, ["zsh", "-i", "-o", "no_global_rcs"], ZDOTDIR=directory)


class Fish:
    """fish prints its completions without a terminal."""

    dashes = False

    def __init__(self, directory):
        self.environment = {"PATH": f"{directory}:{os.environ['PATH']}", "HOME": directory,
                            "LANG": "C.UTF-8", **sanitizers()}

    def offers(self, line):
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source {COMPLETIONS}/pmctop.fish; complete -C $argv[1]",
             f"pmctop {line}"], capture_output=True, text=True, timeout=PATIENCE_S,
            stdin=subprocess.DEVNULL, env=self.environment, check=False)
        return [row.split("\t")[0] for row in done.stdout.splitlines()] + done.stderr.splitlines()

    def all(self, line):
        return self.offers(line)

    def last(self, line):
        """The argument that Tab leaves if there is a single match."""
        offers = self.offers(line)
        return offers[0] if len(offers) == 1 else f"{len(offers)}: {offers[:9]}"

    def close(self):
        pass


def try_names(shell, name):
    check_names(shell, name)
    # Names of the machine and the shell: users, files and commands.
    check_last(shell, name, {
        "-u ro": "root", "-o unlikel": "unlikely.csv",
        "-bH --record unlikel": "unlikely.csv", "-- unlikely-com": "unlikely-command",
        "-b -- unlikely-command unlikely.c": "unlikely.csv"})
    for line, wanted in QUOTED.items():
        got = shell.last(line).rstrip() if isinstance(shell, Fish) else None
        if got is None:
            got = shell.arguments(line, "\t'" if isinstance(shell, Zsh) else "\t")[-1].rstrip()
        check(f"{name}: {line}", got.strip("'") == wanted, f"{got!r} is not {wanted!r}")
    # Whether such events exist depends on the machine.
    events = [each for each, *_ in listed("events")]
    colons = [each for each in events if re.fullmatch(r"[\w.]+::?[\w.]+(:[\w.]+)?", each)
              and each.count(":") > 1]
    slashes = [each for each in events if re.fullmatch(r"\w+/[\w-]+/", each)]
    for title, wanted, typed in (("an event with colons", colons[-1:], slice(-1)),
                                 ("an event with slashes", slashes[:1], slice(-2))):
        if wanted:
            got = shell.last(f"-e cycles,{wanted[0][typed]}").rstrip()
            check(f"{name}: {title}", got == f"cycles,{wanted[0]}",
                  f"{got!r} is not {wanted[0]!r}")
        else:
            skip(f"{name}: {title}", "this machine has none")


def try_lists(shell, name):
    check_lists(shell, name)
    got = shell.all(f"-p 1,{str(os.getpid())[:-1]}")
    check(f"{name}: a process behind a comma", f"1,{os.getpid()}" in got, got)
    got = shell.all("-C 99,")
    cpus = [f"99,{each}" for each in sorted(os.sched_getaffinity(0))]
    check(f"{name}: CPUs behind a comma", set(cpus) <= set(got), got)
    root = "/sys/fs/cgroup"
    # Cgroups of other tests can have names that a shell quotes.
    groups = [path[len(mount) :] for mount in (root, f"{root}/unified", f"{root}/memory")
              if os.path.exists(f"{mount}/cgroup.procs")
              for path in glob.glob(f"{mount}/*")
              if os.path.isdir(path) and re.fullmatch(r"[\w/.-]+", path)]
    if len(groups) > 1:
        got = shell.all("-G /")
        check(f"{name}: cgroups", {each.lstrip("/") for each in groups}
              <= {each.strip("/") for each in got}, (groups, got))
    else:
        skip(f"{name}: cgroups", "this machine has none")


@contextlib.contextmanager
def cgroup(name):
    """Makes a cgroup of that name for the block. Yields whether this machine allows it."""
    for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory"):
        path = f"{root}/{name}"
        with contextlib.suppress(OSError):
            if os.path.exists(f"{root}/cgroup.procs"):
                os.mkdir(path)
                try:
                    yield True
                finally:
                    os.rmdir(path)
                return
    yield False


def try_odd_names(shell, name):
    """Any user can make a cgroup, with nearly any name. A completion inserts the name and runs no
    part of it."""
    for odd in ("$(touch ran)", "`touch ran`", ";touch ran", "'touch ran", '"touch ran', "*",
                "\\x2d b", "\x1b[31m"):
        start = f"pmctop{os.getpid()}"
        with cgroup(start + odd) as made:
            for quote in ("", "'", '"') if made else ():
                got = shell.last(f"-G {quote}/{start}") if isinstance(shell, Fish) else \
                    shell.arguments(f"-G {quote}/{start}",
                                    "\t" + quote if isinstance(shell, Zsh) else "\t")[-1]
                # The name may be followed by a cgroup below it, or by the next word.
                check(f"{name}: a cgroup called {odd!r} behind {quote or 'no quote'}",
                      got.rstrip("/ ") == f"/{start}{odd}" and not os.path.exists("ran"), got)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink("ran")
        if not made:
            skip(f"{name}: a cgroup called {odd!r}", "none can be made here")


def main():
    with tempfile.TemporaryDirectory() as directory:
        for name, text in {"pmctop": WRAPPER.format(directory=directory, pmctop=PMCTOP),
                           "unlikely-command": "#!/bin/sh\n"}.items():
            with open(os.path.join(directory, name), "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(os.path.join(directory, name), 0o755)
        here = os.path.join(directory, "here")
        os.mkdir(here)
        os.chdir(here)
        with open("unlikely.csv", "w", encoding="ascii"):
            pass
        shells = {"bash alone": ("bash", lambda: Bash(directory)),
                  "bash-completion": (BASH_COMPLETION,
                                      lambda: Bash(directory, f". {BASH_COMPLETION}")),
                  "zsh": ("zsh", lambda: Zsh(directory)), "fish": ("fish", lambda: Fish(directory))}
        for name, (needs, start) in shells.items():
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            if not (os.path.exists(needs) or shutil.which(needs)):
                skip(name, f"{needs} is missing")
                continue
            shell = start()
            try:
                try_names(shell, name)
                try_lists(shell, name)
                try_odd_names(shell, name)
            finally:
                shell.close()
        os.chdir("/")
    finish()


if __name__ == "__main__":
    main()
