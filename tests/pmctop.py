# SPDX-License-Identifier: MIT
"""Runs pmctop in a fixed environment, and reads the output of --help, --list and refusals."""
import atexit
import os
import re
import shutil
import subprocess
import tempfile

from programs import PMCTOP
from ptys import sanitizers


HOME = tempfile.mkdtemp(prefix="pmctop-home-")
atexit.register(shutil.rmtree, HOME)


def write_file(name, text):
    """The path of a new file in HOME."""
    path = os.path.join(HOME, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


# An empty configuration in place of the user's and of /etc/pmctop.conf.
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": HOME, "PMCTOPRC": write_file("empty.conf", ""),
               "TZ": "UTC", "LC_ALL": "C.UTF-8", **sanitizers()}


def run(*arguments, **options):
    return subprocess.run([PMCTOP, *arguments], check=False,
                          **{"stdin": subprocess.DEVNULL, "capture_output": True, "text": True,
                             "encoding": "utf-8", "env": ENVIRONMENT, **options})


def listed(what, *pattern):
    """(name, the rest) of each line of a list."""
    return [line.split(None, 1) for line in run("--list", what, *pattern).stdout.splitlines()]


def options():
    """(letter, name, argument, description) of each option in --help. Either may be empty."""
    return re.findall(r"^  (?:-(\w),|   ) --([a-z-]+)(?: ([][A-Z]\S*))? +(.*)$",
                      run("--help").stdout, re.M)


def words_of(name):
    """The words of an option, from its refusal of another word."""
    refusal = run(f"--{name}", "no-such-word").stderr
    return re.split(", | or ", refusal.rsplit("Choose ", 1)[-1].strip().rstrip("."))


WORD_OPTIONS = ("format", "count", "by", "list", "color", "unit")
