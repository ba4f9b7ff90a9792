# SPDX-License-Identifier: MIT
"""Shared by scripts: the programs that were built, an ordinary user, and the states of processes."""
import os

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PMCTOP = os.path.join(BUILD, "pmctop")
LOAD = os.path.join(BUILD, "load")
NOBODY = 65534


def state_of(pid):
    """The process's state in /proc ("R", "S", "Z" ...), "X" if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "X"


def alive(pid):
    return state_of(pid) not in "ZX"
