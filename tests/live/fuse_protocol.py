# SPDX-License-Identifier: MIT
"""The protocol of FUSE for servers without libraries: fuse_server.py, fuse_output.py."""
import ctypes
import errno
import os
import struct

# include/uapi/linux/fuse.h
OPS = {1: "LOOKUP", 2: "FORGET", 3: "GETATTR", 4: "SETATTR", 5: "READLINK", 10: "UNLINK",
       12: "RENAME", 14: "OPEN", 15: "READ", 16: "WRITE", 17: "STATFS", 18: "RELEASE", 20: "FSYNC",
       22: "GETXATTR", 23: "LISTXATTR", 25: "FLUSH", 26: "INIT", 27: "OPENDIR", 28: "READDIR",
       29: "RELEASEDIR", 34: "ACCESS", 35: "CREATE", 36: "INTERRUPT", 38: "DESTROY",
       42: "BATCH_FORGET", 45: "RENAME2"}
NO_ANSWER = ("FORGET", "BATCH_FORGET", "INTERRUPT", "DESTROY")
IN_HEADER = struct.Struct("<IIQQIIIHH")
OUT_HEADER = struct.Struct("<IiQ")
INIT_OUT = struct.Struct("<IIIIHHIIHHII24x")
ATTR = struct.Struct("<QQQQQQIIIIIIIIII")
READ_IN = struct.Struct("<QQI")
DIRENT = struct.Struct("<QQII")
FOPEN_DIRECT_IO, FOPEN_KEEP_CACHE = 1, 2
VERSION = 7, 31
MOST_BYTES = 1 << 17
MS_RDONLY, MS_NOSUID, MS_NODEV, MNT_DETACH = 1, 2, 4, 2
DT_REG = 8

libc = ctypes.CDLL(None, use_errno=True)


def mount(source, target, kind, flags=0, options=None):
    if libc.mount(source.encode(), target.encode(), kind.encode(), flags,
                  options.encode() if options else None):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), target)


class Connection:
    """A mount. A server has a method for each request that it answers, named like it, with the node
    and the body. Each returns the bytes of an answer, or raises OSError or KeyError."""

    INIT_FLAGS = BLOCKS = 0

    def __init__(self, name, point, flags=0):
        self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        mount(name, point, "fuse", flags | MS_NOSUID | MS_NODEV,
              f"fd={self.device},rootmode=40000,user_id=0,group_id=0,allow_other")

    def receive(self):
        """(op, unique, node, pid, body), or None: the request was given up."""
        try:
            message = os.read(self.device, MOST_BYTES + 4096)
        except OSError as error:
            if error.errno == errno.ENOENT:
                return None
            raise
        _, opcode, unique, node, _, _, pid, _, _ = IN_HEADER.unpack_from(message)
        return OPS.get(opcode, str(opcode)), unique, node, pid, message[IN_HEADER.size:]

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

    def send(self, unique, error, data):
        try:
            header = OUT_HEADER.pack(OUT_HEADER.size + len(data), error, unique)
            os.write(self.device, header + data)
        except OSError as wrong:
            if wrong.errno != errno.ENOENT:  # the request was given up
                raise

    def init(self, _, body):
        major, minor, readahead, _ = struct.unpack_from("<IIII", body)
        return INIT_OUT.pack(VERSION[0], min(minor, VERSION[1]) if major == VERSION[0] else
                             VERSION[1], readahead, self.INIT_FLAGS, 0, 0, MOST_BYTES, 1, 0, 0, 0,
                             0)

    def opendir(self, *_):
        return self.opened(0)

    def statfs(self, *_):
        return struct.pack("<QQQQQIIII24x", *[self.BLOCKS] * 3, 0, 0, 4096, 255, 4096, 0)

    def flush(self, *_):
        return b""

    access = release = releasedir = flush

    # Parts of answers. Nothing is cached.

    @staticmethod
    def opened(flags):
        return struct.pack("<QIi", 0, flags, 0)

    @staticmethod
    def attributes_out(attributes):
        return struct.pack("<QII", 0, 0, 0) + attributes

    @staticmethod
    def entry_out(node, attributes):
        return struct.pack("<QQQQII", node, 0, 0, 0, 0, 0) + attributes

    @staticmethod
    def entries_out(body, names):
        """names: (inode, name) of each file."""
        _, offset, size = READ_IN.unpack_from(body)
        entries = b""
        for i, (inode, name) in enumerate(names):
            entry = DIRENT.pack(inode, i + 1, len(name), DT_REG) + name
            entry += bytes(-len(entry) % 8)
            if i >= offset and len(entries) + len(entry) <= size:
                entries += entry
        return entries
