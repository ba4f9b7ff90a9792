# SPDX-License-Identifier: MIT
"""A process that is busy, and becomes another user when it is told to: without an exec, and from
then on not dumpable."""
import subprocess
import sys

NOBODY = 65534
_SCRIPT = f"""
import os, sys, threading
told = threading.Thread(target=sys.stdin.readline)
told.start()
while told.is_alive():
    pass
os.setgroups([]), os.setgid({NOBODY}), os.setuid({NOBODY})
"""


def start(then):
    """The process. `then` is the Python that it runs as the other user."""
    return subprocess.Popen([sys.executable, "-c", _SCRIPT + then], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)


def drop(process):
    process.stdin.write("go\n")
    process.stdin.flush()
