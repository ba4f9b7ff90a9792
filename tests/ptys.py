# SPDX-License-Identifier: MIT
"""Runs a program on a pseudo terminal of a given size. Tests read its bytes."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
import tty

from default_signals import pass_default_signals

pass_default_signals()


def sanitizers():
    """The options of sanitizers from tests/run, which each program needs."""
    return {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}


def is_sanitized(program):
    """Whether a sanitizer checks its memory. Such a program uses more."""
    with open(program, "rb") as file:
        image = file.read()
    return any(name in image for name in (b"__asan_init", b"__tsan_init"))


class OnPty:
    def __init__(self, command, width=80, height=24, **environment):
        self.master, self.slave = pty.openpty()
        self.resize(width, height)
        self.settings = termios.tcgetattr(self.slave)
        self.output = b""
        env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8",
               "TERM": "xterm-256color", **sanitizers(), **environment}
        # setsid makes this its controlling terminal, because tests have threads: Python must not
        # run code between fork and exec.
        self.process = subprocess.Popen(["setsid", "--ctty", *command], stdin=self.slave,
                                        stdout=self.slave, stderr=subprocess.PIPE, env=env)

    def resize(self, width, height):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def write(self, data):
        """Writes all, and reads what the program sends meanwhile."""
        while data:
            self.read(0)
            _, writable, _ = select.select([], [self.master], [], 0.05)
            if writable:
                data = data[os.write(self.master, data[:256]):]

    def read(self, seconds):
        """Reads once, within that time. Returns b"" if nothing came."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        chunk = b""
        if ready:
            try:
                chunk = os.read(self.master, 1 << 16)
            except OSError:  # the other end was closed
                pass
        self.output += chunk
        return chunk

    def read_for(self, seconds):
        """Reads for that time. Returns all that came."""
        until, got = time.monotonic() + seconds, b""
        while (left := until - time.monotonic()) > 0:
            got += self.read(left)
        return got

    def read_until(self, condition, patience_s=90):
        """Reads until the condition is true. Returns whether it was."""
        until = time.monotonic() + patience_s
        while not condition():
            if time.monotonic() > until:
                return False
            self.read(0.05)
        return True

    def wait(self, patience_s=90):
        """Reads until the end. Returns the status, or None if it continues."""
        self.read_until(lambda: self.process.poll() is not None, patience_s)
        while self.read(0.1):
            pass
        return self.process.poll()

    def left(self):
        """What a shell would read after the end."""
        tty.setraw(self.slave, termios.TCSANOW)  # by default it drops input
        os.set_blocking(self.slave, False)
        try:
            return os.read(self.slave, 4096)
        except BlockingIOError:
            return b""

    def settings_are_back(self):
        return termios.tcgetattr(self.slave) == self.settings

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.process.stderr.close()
        os.close(self.master)
        os.close(self.slave)
