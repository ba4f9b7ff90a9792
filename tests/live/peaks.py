# SPDX-License-Identifier: MIT
"""The most memory that a process and its children have had resident."""
import contextlib
import glob
import re
import threading

POLL_S = 0.02


def peak_kib(pid):
    """The most memory that a process has had resident, or 0."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            found = re.search(r"VmHWM:\s*(\d+) kB", status.read())
    except OSError:
        return 0
    return int(found[1]) if found else 0


def children_of(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
            found += [int(child) for child in file.read().split()]
    return found


class Peak(threading.Thread):
    """The peak memory of a process and its children, read until it ends."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.parent, self.children, self.ended = pid, 0, {}, threading.Event()
        self.start()

    def run(self):
        while not self.ended.wait(POLL_S):
            self.parent = max(self.parent, peak_kib(self.pid))
            for child in children_of(self.pid):
                self.children[child] = max(self.children.get(child, 0), peak_kib(child))

    def stop(self):
        self.ended.set()
        self.join()
        return self.parent + max(self.children.values(), default=0)
