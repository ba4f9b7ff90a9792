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
import ctypes
import errno
import os
import select
import signal
import stat
import struct
import subprocess
import sys
import threading
import time

# include/uapi/linux/fuse.h
OPS = {1: "LOOKUP", 2: "FORGET", 3: "GETATTR", 4: "SETATTR", 10: "UNLINK", 12: "RENAME", 14: "OPEN",
       15: "READ", 16: "WRITE", 17: "STATFS", 18: "RELEASE", 20: "FSYNC", 25: "FLUSH", 26: "INIT",
       27: "OPENDIR", 28: "READDIR", 29: "RELEASEDIR", 34: "ACCESS", 35: "CREATE", 36: "INTERRUPT",
       38: "DESTROY", 42: "BATCH_FORGET", 45: "RENAME2"}
NO_ANSWER = ("FORGET", "BATCH_FORGET", "INTERRUPT", "DESTROY")
IN_HEADER = struct.Struct("<IIQQIIIHH")
OUT_HEADER = struct.Struct("<IiQ")
INIT_OUT = struct.Struct("<IIIIHHIIHHII24x")
ATTR = struct.Struct("<QQQQQQIIIIIIIIII")
WRITE_IN = struct.Struct("<QQIIQII")
READ_IN = struct.Struct("<QQI")
DIRENT = struct.Struct("<QQII")
FATTR_SIZE, FUSE_BIG_WRITES, FOPEN_DIRECT_IO = 1 << 3, 1 << 5, 1
VERSION = 7, 31
MOST_BYTES = 1 << 17
MS_NOSUID, MS_NODEV = 2, 4
PR_SET_PDEATHSIG = 1
ROOT = 1

libc = ctypes.CDLL(None, use_errno=True)


class Server:
    def __init__(self, point):
        self.names, self.data, self.last = {}, {}, ROOT
        self.hung_op, self.stop_op, self.late_s = None, None, 0
        self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0,allow_other"
        if libc.mount(b"output", point.encode(), b"fuse", MS_NOSUID | MS_NODEV, options.encode()):
            raise OSError(ctypes.get_errno(), "mount", point)

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
        return struct.pack("<QQQQII", node, 0, 0, 0, 0, 0) + self.attributes(node)

    # Each returns the bytes of an answer, or raises.

    def init(self, _, body):
        _, minor, readahead, _ = struct.unpack_from("<IIII", body)
        return INIT_OUT.pack(VERSION[0], min(minor, VERSION[1]), readahead, FUSE_BIG_WRITES, 0, 0,
                             MOST_BYTES, 1, 0, 0, 0, 0)

    def lookup(self, _, body):
        return self.entry(self.names[body.rstrip(b"\0")])

    def getattr(self, node, _):
        return struct.pack("<QII", 0, 0, 0) + self.attributes(node)

    def setattr(self, node, body):
        valid, _, _, size = struct.unpack_from("<IIQQ", body)
        if valid & FATTR_SIZE:
            del self.data[node][size:]
            self.data[node].extend(bytes(size - len(self.data[node])))
        return self.getattr(node, body)

    def create(self, _, body):
        return self.entry(self.put(body[16:].rstrip(b"\0"), b"")) + self.open(0, b"")

    def open(self, *_):
        return struct.pack("<QIi", 0, FOPEN_DIRECT_IO, 0)

    def opendir(self, *_):
        return struct.pack("<QIi", 0, 0, 0)

    def readdir(self, _, body):
        _, offset, size = READ_IN.unpack_from(body)
        entries = b""
        for i, name in enumerate(sorted(self.names)):
            entry = DIRENT.pack(self.names[name], i + 1, len(name), stat.S_IFREG >> 12) + name
            entry += bytes(-len(entry) % 8)
            if i >= offset and len(entries) + len(entry) <= size:
                entries += entry
        return entries

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

    def statfs(self, *_):
        return struct.pack("<QQQQQIIII24x", 1 << 20, 1 << 20, 1 << 20, 0, 0, 4096, 255, 4096, 0)

    def flush(self, *_):
        return b""

    access = release = releasedir = fsync = flush

    def answer(self, op, node, body):
        try:
            method = getattr(self, op.lower(), None)
            if method is None:
                raise OSError(errno.ENOSYS, op)
            return 0, method(node, body)
        except KeyError:
            return -errno.ENOENT, b""
        except OSError as error:
            return -error.errno, b""

    def serve(self):
        message = os.read(self.device, MOST_BYTES + 4096)
        _, opcode, unique, node, *_ = IN_HEADER.unpack_from(message)
        op, body = OPS.get(opcode, str(opcode)), message[IN_HEADER.size:]
        if op == self.hung_op:
            say("hung " + op)
        if op in NO_ANSWER or op == self.hung_op:
            return
        error, data = self.answer(op, node, body)
        os.write(self.device, OUT_HEADER.pack(OUT_HEADER.size + len(data), error, unique) + data)
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
                    try:
                        self.serve()
                    except OSError as error:
                        if error.errno != errno.ENOENT:  # the request was given up
                            raise
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
        libc.umount2(self.point.encode(), 2)
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
