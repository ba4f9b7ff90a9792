#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A file system for output files that stops answering: a FUSE server without libraries, and a
handle for tests. Files are in its memory.

    fuse_output.py MOUNT

Commands are lines of the standard input; each is answered with its line:

    put NAME HEX    a file with these bytes
    size NAME       answered with the number of bytes
    hang OP         requests OP are read and never answered: their tasks cannot be killed
    stop OP         at the next OP the server stops itself: further requests are not read, and their
                    tasks can be killed. The OP itself is answered first
    late S          each WRITE takes S seconds

A line "hung OP" follows each request that is not answered, "stopped OP" a stop. The end of the
standard input ends the server, and all requests with an error.
"""
import os
import select
import signal
import stat
import struct
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from fuse_protocol import (  # noqa: E402
    ATTR, FOPEN_DIRECT_IO, MNT_DETACH, NO_ANSWER, READ_IN, Connection, libc)

WRITE_IN = struct.Struct("<QQIIQII")
FATTR_SIZE, FUSE_BIG_WRITES = 1 << 3, 1 << 5
PR_SET_PDEATHSIG = 1
ROOT = 1


class Server(Connection):
    INIT_FLAGS, BLOCKS = FUSE_BIG_WRITES, 1 << 20

    def __init__(self, point):
        self.names, self.data, self.last = {}, {}, ROOT
        self.hung_op, self.stop_op, self.late_s = None, None, 0
        super().__init__("output", point)

    def put(self, name, data):
        self.last += 1
        self.names[name], self.data[self.last] = self.last, bytearray(data)
        return self.last

    def attributes(self, node):
        size = len(self.data.get(node, b""))
        mode = stat.S_IFDIR | 0o755 if node == ROOT else stat.S_IFREG | 0o600
        named = node == ROOT or node in self.names.values()
        return ATTR.pack(node, size, size // 512 + 1, 0, 0, 0, 0, 0, 0, mode, int(named), 0, 0, 0,
                         4096, 0)

    def entry(self, node):
        return self.entry_out(node, self.attributes(node))

    def lookup(self, _, body):
        return self.entry(self.names[body.rstrip(b"\0")])

    def getattr(self, node, _):
        return self.attributes_out(self.attributes(node))

    def setattr(self, node, body):
        valid, _, _, size = struct.unpack_from("<IIQQ", body)
        if valid & FATTR_SIZE:
            del self.data[node][size:]
            self.data[node].extend(bytes(size - len(self.data[node])))
        return self.getattr(node, body)

    def create(self, _, body):
        return self.entry(self.put(body[16:].rstrip(b"\0"), b"")) + self.open(0, b"")

    def open(self, *_):
        return self.opened(FOPEN_DIRECT_IO)

    def readdir(self, _, body):
        return self.entries_out(body, ((self.names[name], name) for name in sorted(self.names)))

    def read(self, node, body):
        _, offset, size = READ_IN.unpack_from(body)
        return bytes(self.data[node][offset:offset + size])

    def write(self, node, body):
        time.sleep(self.late_s)
        _, offset, size, *_ = WRITE_IN.unpack_from(body)
        data = self.data[node]
        data.extend(bytes(max(0, offset - len(data))))
        data[offset:offset + size] = body[WRITE_IN.size:WRITE_IN.size + size]
        return struct.pack("<II", size, 0)

    def unlink(self, _, body):
        del self.names[body.rstrip(b"\0")]
        return b""

    def rename(self, _, body, skipped=8):
        old, new = body[skipped:].split(b"\0")[:2]
        self.names[new] = self.names.pop(old)
        return b""

    def rename2(self, node, body):
        return self.rename(node, body, 16)

    fsync = Connection.flush

    def serve(self):
        request = self.receive()
        if not request:
            return
        op, unique, node, _, body = request
        if op == self.hung_op:
            say("hung " + op)
        if op in NO_ANSWER or op == self.hung_op:
            return
        self.send(unique, *self.answer(op, node, body))
        if op == self.stop_op:
            say("stopped " + op)
            os.kill(os.getpid(), signal.SIGSTOP)

    def obey(self, line):
        word, *rest = line.split()
        if word == "put":
            self.put(rest[0].encode(), bytes.fromhex(rest[1]))
        elif word == "size":
            line = str(len(self.data[self.names[rest[0].encode()]]))
        elif word == "hang":
            self.hung_op = rest[0]
        elif word == "stop":
            self.stop_op = rest[0]
        elif word == "late":
            self.late_s = float(rest[0])
        say(line)

    def run(self):
        commands = b""
        poll = select.poll()
        poll.register(self.device, select.POLLIN)
        poll.register(0, select.POLLIN)
        say("ready")
        while True:
            for fd, _ in poll.poll():
                if fd == self.device:
                    self.serve()
                    continue
                chunk = os.read(0, 1 << 16)
                if not chunk:
                    return
                *lines, commands = (commands + chunk).split(b"\n")
                for line in lines:
                    self.obey(line.decode())


def say(line):
    print(line, flush=True)


class OutputFiles:
    """A server with a mount in `home`. Tests must read nothing below `point` while it hangs."""

    def __init__(self, home):
        self.point = os.path.join(home, "output")
        os.mkdir(self.point)
        self.server = subprocess.Popen([sys.executable, os.path.abspath(__file__), self.point],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines, self.changed = [], threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.wait_for("ready")

    def _read(self):
        for line in self.server.stdout:
            with self.changed:
                self.lines.append(line.strip())
                self.changed.notify_all()
        with self.changed:
            self.lines.append("")
            self.changed.notify_all()

    def wait_for(self, line):
        """Waits for a line, and takes it and all before it."""
        with self.changed:
            while not any(one in (line, "") for one in self.lines):
                self.changed.wait()
            if line not in self.lines:
                raise OSError("the FUSE server ended")
            del self.lines[:self.lines.index(line) + 1]

    def send(self, command):
        self.server.stdin.write(command + "\n")
        self.server.stdin.flush()

    def tell(self, command):
        self.send(command)
        self.wait_for(command)

    def path(self, name):
        return os.path.join(self.point, name)

    def close(self):
        """All requests end with an error."""
        self.server.kill()
        self.server.wait()
        self.reader.join()
        libc.umount2(self.point.encode(), MNT_DETACH)
        os.rmdir(self.point)
        self.server.stdin.close()
        self.server.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


if __name__ == "__main__":
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    Server(sys.argv[1]).run()
