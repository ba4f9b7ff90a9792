# SPDX-License-Identifier: MIT
"""A busy process that becomes another user on request, without an exec: not dumpable then."""
import subprocess
import sys

NOBODY = 65534
_SCRIPT = f"""
import os, sys, threading
request = threading.Thread(target=sys.stdin.readline)
request.start()
while request.is_alive():
    pass
os.setgroups([]), os.setgid({NOBODY}), os.setuid({NOBODY})
"""


def start(then):
    """Returns the process. `then` is Python code that it runs as the other user."""
    return subprocess.Popen([sys.executable, "-c", _SCRIPT + then], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)


def drop(process):
    process.stdin.write("go\n")
    process.stdin.flush()
