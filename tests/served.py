# SPDX-License-Identifier: MIT
"""Runs pmctop --listen and reads what it serves."""
import atexit
import contextlib
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
    """Waits until condition() is true, at most that time. Returns its last value."""
    end = time.monotonic() + patience_s
    while not (answer := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return answer


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Served:
    """pmctop --listen on a free port."""

    def __init__(self, *command, listen=":0", **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **options}
        self.process = subprocess.Popen([*command, "--listen", listen], stderr=subprocess.PIPE,
                                        text=True, **options)
        atexit.register(self.process.kill)  # if the test fails
        self.stderr = ""
        for line in self.process.stderr:
            self.stderr += line
            if found := re.search(r"http://(\S+):(\d+)/metrics", line):
                self.host, self.port = found[1].strip("[]"), int(found[2])
                break
        # Its messages must not fill the pipe.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.stderr += line

    def get(self, path="/metrics", accept=None, method="GET", host=None):
        """(status, headers, text) of a request on a new connection."""
        headers = {name: value for name, value in (("Accept", accept), ("Host", host)) if value}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def value(self, name):
        """The value of a series without labels, or None."""
        found = re.search(rf"^{name} (\S+)$", self.get()[2], re.M)
        return float(found[1]) if found else None

    def snapshots(self):
        return self.value("pmctop_snapshots_total") or 0

    def goes_on(self, more=2):
        """Waits for more refreshes. Returns whether they came."""
        begin = self.snapshots()
        return until(lambda: self.snapshots() >= begin + more)

    def descriptors(self):
        """Their number without counters: threads that are counted one by one come and go."""
        count = 0
        for entry in os.scandir(f"/proc/{self.process.pid}/fd"):
            with contextlib.suppress(FileNotFoundError):  # it has been closed
                count += os.readlink(entry.path) != "anon_inode:[perf_event]"
        return count

    def kib(self):
        """Resident memory in KiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])

    def stop(self, by=signal.SIGTERM):
        """Ends it. Returns its exit status and standard output."""
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
