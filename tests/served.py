# SPDX-License-Identifier: MIT
"""A pmctop that serves its counters, seen from outside: what it tells, and what it takes."""
import atexit
import http.client
import os
import re
import signal
import socket
import subprocess
import threading
import time

OPENMETRICS = "application/openmetrics-text;version=1.0.0"
PATIENCE_S = 60


def until(condition, patience_s=PATIENCE_S):
    """The first thing that is true of what a condition says, or the last that is not."""
    end = time.monotonic() + patience_s
    while not (answer := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return answer


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Served:
    """pmctop --listen on a port of its own choice."""

    def __init__(self, *command, listen=":0", **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **options}
        self.process = subprocess.Popen([*command, "--listen", listen], stderr=subprocess.PIPE,
                                        text=True, **options)
        atexit.register(self.process.kill)  # whatever becomes of the test
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            if found := re.search(r"http://(\S+):(\d+)/metrics", line):
                self.host, self.port = found[1].strip("[]"), int(found[2])
                break
        # What it says from now on must not fill the pipe.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.said += line

    def get(self, path="/metrics", accept=None, method="GET", host=None):
        """(status, headers, text), over a connection of its own."""
        headers = {name: value for name, value in (("Accept", accept), ("Host", host)) if value}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def value(self, name):
        """Of a series without labels; None where it is not told."""
        found = re.search(rf"^{name} (\S+)$", self.get()[2], re.M)
        return float(found[1]) if found else None

    def snapshots(self):
        return self.value("pmctop_snapshots_total") or 0

    def goes_on(self, more=2):
        """Whether it still collects, however long that takes."""
        begin = self.snapshots()
        return until(lambda: self.snapshots() >= begin + more)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def kib(self):
        """Resident memory."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])

    def stop(self, by=signal.SIGTERM):
        """Its exit status, and what it printed."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        try:
            printed = self.process.stdout.read() if self.process.stdout else ""
            status = self.process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status, printed = self.process.wait(), ""
        self._reader.join()
        return status, printed
