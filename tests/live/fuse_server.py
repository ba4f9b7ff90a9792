#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A file system that stops answering: a FUSE server without libraries, and a handle for tests.

    fuse_server.py MOUNT FOLDER

mounts on MOUNT what is in FOLDER, read-only. Nothing is cached: each walk of a path is a LOOKUP,
each stat(2) a GETATTR. Programs on the mount run from the page cache; the command "seen" makes each
later read(2) a READ.

Commands are lines of the standard input; each is answered with {"done": COMMAND}:

    hang OP     requests OP are read and never answered: their tasks cannot be killed
    answer      all requests are answered, from now on and so far
    stop N      the server stops itself when it has answered N more requests. Later ones are not
                read: their tasks can be killed, except in FLUSH
    late S      each answer comes S seconds later, from now on
    seen        files that are opened from now on are read past the page cache
    quit        ends

The standard output has a line of JSON for each request of a file: op, name, pid, tgid, parents,
comm, hung.

A killed server leaves a dead mount, whose requests fail at once. MountedFiles runs the server, and
has a guard, which does that even if the test is killed.
"""
import errno
import heapq
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from fuse_protocol import (  # noqa: E402
    ATTR, FOPEN_DIRECT_IO, FOPEN_KEEP_CACHE, MNT_DETACH, MS_RDONLY, NO_ANSWER, READ_IN, Connection,
    libc, mount)

# The kernel sends these later, for no task in particular.
OF_THE_KERNEL = ("INIT", "RELEASE", "RELEASEDIR", *NO_ANSWER)
PARENTS_MAX = 8
CONNECTIONS = "/sys/fs/fuse/connections"


def status_of(pid):
    """The fields of /proc/PID/status, none if it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    except OSError:
        return {}


class Server(Connection):
    def __init__(self, point, folder):
        self.folder = folder
        self.paths = [None, ""]  # of each node, below the folder; node 1 is the root
        self.nodes = {"": 1}
        self.hung_op, self.delay_s, self.seen, self.stop_after = None, 0, False, None
        self.late = []  # (when, number, answer)
        self.held = []  # (op, unique, path, body) of those that hang
        self.count = 0
        super().__init__("hung-files", point, MS_RDONLY)

    def node_of(self, path):
        if path not in self.nodes:
            self.nodes[path] = len(self.paths)
            self.paths.append(path)
        return self.nodes[path]

    def attributes(self, path):
        status = os.lstat(os.path.join(self.folder, path))
        return ATTR.pack(self.node_of(path), status.st_size, status.st_blocks,
                         int(status.st_atime), int(status.st_mtime), int(status.st_ctime), 0, 0, 0,
                         status.st_mode, 1, status.st_uid, status.st_gid, 0, 4096, 0)

    def lookup(self, path, body):
        path = os.path.join(path, os.fsdecode(body.rstrip(b"\0")))
        attributes = self.attributes(path)
        return self.entry_out(self.node_of(path), attributes)

    def getattr(self, path, _):
        return self.attributes_out(self.attributes(path))

    def open(self, path, _):
        os.close(os.open(os.path.join(self.folder, path), os.O_RDONLY))
        # A program that runs from here keeps its pages.
        flags = FOPEN_KEEP_CACHE | (FOPEN_DIRECT_IO if self.seen else 0)
        return self.opened(flags)

    def read(self, path, body):
        _, offset, size = READ_IN.unpack_from(body)
        with open(os.path.join(self.folder, path), "rb") as file:
            return os.pread(file.fileno(), size, offset)

    def readlink(self, path, _):
        return os.fsencode(os.readlink(os.path.join(self.folder, path)))

    def readdir(self, path, body):
        names = sorted(os.listdir(os.path.join(self.folder, path)))
        return self.entries_out(body, ((1 << 32 | i, os.fsencode(name))
                                       for i, name in enumerate(names)))

    def report(self, op, name, pid, hung):
        """The task waits for the answer, so it exists. Its command line is not read: that waits for
        a page that the task reads."""
        tgid = int(status_of(pid).get("Tgid", pid))
        comm, parents, parent = status_of(tgid).get("Name", ""), [], tgid
        while parent > 1 and len(parents) < PARENTS_MAX:
            parent = int(status_of(parent).get("PPid", 0))
            parents.append(parent)
        say(op=op, name=name, pid=pid, tgid=tgid, parents=parents, comm=comm, hung=hung)

    def serve(self):
        request = self.receive()
        if not request:
            return
        op, unique, node, pid, body = request
        path = self.paths[max(node, 1)]
        name = os.path.join(path, os.fsdecode(body.rstrip(b"\0"))) if op == "LOOKUP" else path
        hung = op == self.hung_op
        if op not in OF_THE_KERNEL:
            self.report(op, name, pid, hung)
        if hung and op not in NO_ANSWER:
            self.held.append((op, unique, path, body))
        if op in NO_ANSWER or hung:
            return
        self.answer_later(op, unique, path, body)
        self.send_due()
        if self.stop_after is not None and op not in OF_THE_KERNEL:
            self.stop_after -= 1
            self.stop_if_due()

    def answer_later(self, op, unique, path, body):
        answer = (unique, *self.answer(op, path, body))
        self.count += 1
        heapq.heappush(self.late, (time.monotonic() + self.delay_s, self.count, answer))

    def send_due(self):
        while self.late and self.late[0][0] <= time.monotonic():
            self.send(*heapq.heappop(self.late)[2])

    def stop_if_due(self):
        if self.stop_after == 0:
            self.stop_after = None
            say(stopped=True)
            os.kill(os.getpid(), signal.SIGSTOP)

    def obey(self, command):
        word, *rest = command.split()
        if word == "hang":
            self.hung_op = rest[0]
        elif word == "answer":
            self.hung_op = None
            while self.held:
                self.answer_later(*self.held.pop(0))
        elif word == "stop":
            self.stop_after = int(rest[0])
        elif word == "late":
            self.delay_s = float(rest[0])
        elif word == "seen":
            self.seen = True
        say(done=command)
        self.stop_if_due()
        return word != "quit"

    def run(self):
        commands = b""
        poll = select.poll()
        poll.register(self.device, select.POLLIN)
        poll.register(0, select.POLLIN)
        while True:
            wait_ms = max(0, self.late[0][0] - time.monotonic()) * 1000 + 1 if self.late else None
            for fd, _ in poll.poll(wait_ms):
                if fd == self.device:
                    self.serve()
                    continue
                chunk = os.read(0, 4096)
                *lines, commands = (commands + chunk).split(b"\n")
                if not chunk or not all(self.obey(line.decode()) for line in lines):
                    return
            self.send_due()


def say(**what):
    print(json.dumps(what), flush=True)


# The handle

# Ends the connection, the server and the mount when its standard input ends.
GUARD = """exec >/dev/null 2>&1
cat
echo 1 >"$1/abort"
kill -KILL "$2"
umount -l "$3"
rm -rf "$4"
"""


class MountedFiles:
    """A server with a folder of its own. `folder` is where tests put files, `point` where they are
    seen. Tests must read nothing below `point` while it hangs.

    Run in a mount namespace of its own (`unshare --mount`), so no other program sees the mount."""

    def __init__(self, home):
        self.home = home
        self.folder, self.point = (os.path.join(home, name) for name in ("files", "hung"))
        os.makedirs(self.folder, exist_ok=True)
        os.mkdir(self.point)
        self.requests, self.stopped, self.done = [], False, []
        self.changed = threading.Condition()
        self.server = subprocess.Popen([sys.executable, os.path.abspath(__file__), self.point,
                                        self.folder], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        self.guard = None
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        try:
            self._wait(lambda: "ready" in self.done)
            # It answers yet. The connection has the number of the device.
            number = os.minor(os.stat(self.point).st_dev)
        except OSError:
            self.close()
            raise
        self.connection = os.path.join(CONNECTIONS, str(number))
        self.guard = subprocess.Popen(["sh", "-c", GUARD, "sh", self.connection,
                                       str(self.server.pid), self.point, home],
                                      stdin=subprocess.PIPE, start_new_session=True)

    def _read(self):
        for line in self.server.stdout:
            said = json.loads(line)
            with self.changed:
                if "op" in said:
                    self.requests.append(said)
                elif "done" in said:
                    self.done.append(said["done"])
                else:
                    self.stopped = True
                self.changed.notify_all()
        with self.changed:
            self.changed.notify_all()

    def _wait(self, condition):
        with self.changed:
            while not condition():
                if self.server.poll() is not None:
                    raise OSError("the FUSE server ended")
                self.changed.wait(0.1)

    def tell(self, command):
        """Returns when the server has obeyed."""
        with self.changed:
            self.done.clear()
        self.server.stdin.write(command + "\n")
        self.server.stdin.flush()
        self._wait(lambda: command in self.done)

    def requests_of(self, pid):
        """The requests so far of a process and of those that it has started. Other programs look at
        these files too: every pmctop of the machine."""
        with self.changed:
            return [one for one in self.requests if pid in (one["tgid"], *one["parents"])]

    def hung(self, pid):
        """How many requests of that process are not answered; None: of all. A stopped server has
        the requests of all processes."""
        if not self.stopped:
            return sum(one["hung"] for one in (self.requests_of(pid) if pid else self.requests))
        try:
            with open(os.path.join(self.connection, "waiting"), encoding="ascii") as file:
                return int(file.read())
        except OSError:
            return 0

    def abort(self):
        """Ends all requests with an error. Returns why not, or None."""
        try:
            with open(os.path.join(self.connection, "abort"), "w", encoding="ascii") as file:
                file.write("1")
        except OSError as error:
            return f"{self.connection}/abort: {error.strerror}"
        return None

    def close(self):
        if self.guard:
            self.abort()
            self.guard.stdin.close()
            self.guard.wait()
        self.server.kill()
        self.server.wait()
        self.server.stdin.close()
        self.reader.join()
        self.server.stdout.close()
        if not self.guard:
            libc.umount2(self.point.encode(), MNT_DETACH)
            shutil.rmtree(self.home)


def why_not():
    """The reason why nothing can be mounted here, or None. Mounts the list of connections."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "no right to use /dev/fuse"
    try:
        if not os.path.ismount(CONNECTIONS):
            mount("fusectl", CONNECTIONS, "fusectl")
    except OSError as error:
        return f"{CONNECTIONS}: {error.strerror}"
    return None


def main():
    server = Server(*sys.argv[1:])
    say(done="ready")
    try:
        server.run()
    except OSError as error:
        if error.errno != errno.ENODEV:  # the connection was aborted
            raise


if __name__ == "__main__":
    main()
