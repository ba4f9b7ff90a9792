# SPDX-License-Identifier: MIT
"""A slow link between a program on a pseudo terminal and a terminal, as ssh has it: what the program
sends is read at once into a buffer, and reaches the terminal at a rate and after a delay. The
terminal answers status queries."""
import os
import re
import select
import time
from collections import deque

from ptys import OnPty

QUERY, ANSWER = b"\x1b[5n", b"\x1b[0n"


class SlowLink(OnPty):
    """rate: bytes a second in each direction, None: any; delay_s: of each direction; buffer: bytes
    that wait at most, then the program's terminal takes no more; answers: of the terminal."""

    def __init__(self, command, *size, rate=None, delay_s=0, buffer=1 << 16, answers=True,
                 **environment):
        super().__init__(command, *size, **environment)
        self.rate, self.delay_s, self.buffer, self.answers = rate, delay_s, buffer, answers
        self.down, self.waiting = deque(), 0  # (time of arrival, bytes), not at the terminal yet
        self.down_free = self.up_free = 0.0  # when the link has sent what it has
        self.up = deque()
        self.most_waiting = self.received = self.queries = 0
        self.shown = b""  # at the terminal since the last clear()

    def clear(self):
        self.shown, self.most_waiting = b"", 0

    def queue(self, data, free):
        """[(time of arrival, bytes)], and when the link is free again"""
        now, parts = time.monotonic(), []
        # A serial line delivers single bytes: a few at once do as well.
        size = 16 if self.rate else len(data)
        for part in (data[i:i + size] for i in range(0, len(data), size)):
            free = max(free, now) + (len(part) / self.rate if self.rate else 0)
            parts.append((free + self.delay_s, part))
        return parts, free

    def type(self, data):
        """Sends keys or an answer from the terminal."""
        parts, self.up_free = self.queue(data, self.up_free)
        self.up.extend(parts)

    def arrive(self, data):
        before = self.shown[-len(QUERY) + 1:]
        self.shown += data
        self.received += len(data)
        found = (before + data).count(QUERY)
        self.queries += found
        if self.answers:
            self.type(ANSWER * found) if found else None

    def step(self, seconds):
        """Moves what is due; waits at most that long."""
        now = time.monotonic()
        while self.down and self.down[0][0] <= now:
            data = self.down.popleft()[1]
            self.waiting -= len(data)
            self.arrive(data)
        while self.up and self.up[0][0] <= now:
            os.write(self.master, self.up.popleft()[1])
        due = min([part[0][0] for part in (self.down, self.up) if part], default=now + seconds)
        room = self.waiting < self.buffer
        ready, _, _ = select.select([self.master] if room else [], [], [],
                                    max(0, min(seconds, due - now)))
        if not ready:
            return
        try:
            data = os.read(self.master, min(1 << 16, self.buffer - self.waiting))
        except OSError:  # the other end was closed
            time.sleep(0.01)
            return
        self.output += data
        self.waiting += len(data)
        self.most_waiting = max(self.most_waiting, self.waiting)
        parts, self.down_free = self.queue(data, self.down_free)
        self.down.extend(parts)

    def run_for(self, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.step(left)

    def run_until(self, condition, patience_s=90):
        """Returns whether the condition was true in time."""
        until = time.monotonic() + patience_s
        while not condition():
            if time.monotonic() > until:
                return False
            self.step(0.05)
        return True

    def sees(self, pattern, patience_s=90):
        """Runs until the terminal has got the pattern. Returns the seconds, or None."""
        began = time.monotonic()
        found = self.run_until(lambda: re.search(pattern, self.shown), patience_s)
        return time.monotonic() - began if found else None
