# SPDX-License-Identifier: MIT
"""A reader of perf.data of its own, without code of pmctop or perf: what a recording has.

    survey(path) -> dict
"""
import collections
import ctypes
import struct

FILE_MAGIC = {b"PERFILE2": "<", b"2ELIFREP": ">"}
OLD_MAGIC = (b"PERFFILE", b"ELIFFREP")
HEADER_SIZE, PIPE_HEADER_SIZE, ATTR_SIZE_V0 = 104, 16, 64
RECORDS_MOST = 20_000_000

MMAP, LOST, COMM, EXIT, THROTTLE, FORK, SAMPLE, MMAP2, AUX = 1, 2, 3, 4, 5, 7, 9, 10, 11
LOST_SAMPLES, SWITCH, NAMESPACES, KSYMBOL, BPF, CGROUP = 13, 14, 16, 17, 18, 19
HEADER_ATTR, HEADER_EVENT_TYPE, TRACING, BUILD_ID, FINISHED, AUXTRACE = 64, 65, 66, 67, 68, 71
FEATURE, COMPRESSED, COMPRESSED2 = 80, 81, 83
SIMPLEPERF_FIRST = 32768

F_BUILD_ID, F_HOSTNAME, F_OSRELEASE, F_VERSION, F_ARCH = 2, 3, 4, 5, 6
F_CMDLINE, F_EVENT_DESC = 11, 12
F_SIMPLEPERF = range(128, 160)

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH = (
    1 << bit for bit in range(12))
REGS_USER, STACK_USER = 1 << 12, 1 << 13
IDENTIFIER = 1 << 16

HARDWARE = ("cycles", "instructions", "cache-references", "cache-misses", "branches",
            "branch-misses", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend",
            "ref-cycles")
SOFTWARE = ("cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
            "minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
            "bpf-output", "cgroup-switches")


ZSTD_OUT = 1 << 20


class Broken(Exception):
    pass


class ZstdBuffer(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t))


def unpacked(packed):
    """What a zstd stream has up to its end or first fault. perf flushes it and may never end it,
    which the zstd program takes for a fault."""
    try:
        zstd = ctypes.CDLL("libzstd.so.1")
    except OSError:
        return b""
    zstd.ZSTD_createDStream.restype = ctypes.c_void_p
    zstd.ZSTD_decompressStream.restype = ctypes.c_size_t
    stream = ctypes.c_void_p(zstd.ZSTD_createDStream())
    out = ctypes.create_string_buffer(ZSTD_OUT)
    source = ctypes.create_string_buffer(packed, len(packed))
    given = ZstdBuffer(ctypes.addressof(source), len(packed), 0)
    data = bytearray()
    while True:
        taken = ZstdBuffer(ctypes.addressof(out), ZSTD_OUT, 0)
        before = given.at
        answer = zstd.ZSTD_decompressStream(stream, ctypes.byref(taken), ctypes.byref(given))
        data += out[:taken.at]
        # Faults are negative numbers of errors.
        if answer > 1 << 63 or (taken.at < ZSTD_OUT and given.at in (before, given.size)):
            break
    zstd.ZSTD_freeDStream(stream)
    return bytes(data)


class Attr:
    def __init__(self, order, data):
        if len(data) < ATTR_SIZE_V0:
            raise Broken("a short attr")
        (self.type, self.size, self.config, self.period, self.sample_type, self.read_format,
         self.flags) = struct.unpack_from(order + "IIQQQQQ", data)
        # A big-endian machine has the first bit field in the highest bit.
        if order == ">":
            self.flags = int(f"{self.flags:064b}"[::-1], 2)
        self.freq = bool(self.flags >> 10 & 1)
        self.sample_id_all = bool(self.flags >> 18 & 1)
        self.names = ""

    def name(self):
        if self.names:
            return self.names
        if self.type == 0:
            index = self.config & 0xff
            if index < len(HARDWARE):
                return HARDWARE[index]
        if self.type == 1 and self.config < len(SOFTWARE):
            return SOFTWARE[self.config]
        kind = {2: "tracepoint", 3: "cache", 4: "raw", 5: "breakpoint"}.get(self.type, self.type)
        return f"{kind}:{self.config:#x}"


class Recording:
    def __init__(self, data):
        self.data = data
        self.attrs = []           # (Attr, ids)
        self.features = {}
        self.records = collections.Counter()
        self.samples = collections.Counter()  # by the name of the event
        self.packed = []
        self.note = ""
        self.order = FILE_MAGIC.get(data[:8])
        if data[:8] in OLD_MAGIC:
            raise Broken("PERFFILE, version 1")
        if not self.order:
            raise Broken("no magic of perf.data")
        size, = struct.unpack_from(self.order + "Q", data, 8)
        self.pipe = size == PIPE_HEADER_SIZE
        if self.pipe:
            self.read_records(PIPE_HEADER_SIZE, len(data))
        else:
            self.read_file(size)
        if self.packed:
            self.read_packed()

    def unpack(self, form, at):
        try:
            return struct.unpack_from(self.order + form, self.data, at)
        except struct.error:
            raise Broken("shorter than its header says") from None

    def read_file(self, size):
        if size < HEADER_SIZE:
            raise Broken("a short header")
        attr_size, attrs, attrs_size, start, length = self.unpack("QQQQQ", 16)
        if attr_size < ATTR_SIZE_V0 + 16 or attrs + attrs_size > len(self.data):
            raise Broken("attrs outside of the file")
        for at in range(attrs, attrs + attrs_size - attr_size + 1, attr_size):
            attr = Attr(self.order, self.data[at:at + attr_size - 16])
            ids_at, ids_size = self.unpack("QQ", at + attr_size - 16)
            ids = set(self.unpack(f"{min(ids_size // 8, 1 << 20)}Q", ids_at))
            self.attrs.append((attr, ids))
        bits = int.from_bytes(
            b"".join(self.data[72 + 8 * word:80 + 8 * word][::1 if self.order == "<" else -1]
                     for word in range(4)), "little")
        at = start + length
        for bit in range(256):
            if bits >> bit & 1 and at + 16 <= len(self.data):
                offset, feature_size = self.unpack("QQ", at)
                self.features[bit] = self.data[offset:offset + feature_size]
                at += 16
        self.name_events(self.features.get(F_EVENT_DESC, b""))
        if length == 0:
            self.note = "data of size 0: not closed by its writer"
        self.read_records(start, start + length if length else len(self.data))

    def name_events(self, data):
        try:
            count, size = struct.unpack_from(self.order + "II", data)
            at = 8
            for index in range(min(count, len(self.attrs))):
                at += size
                n_ids, length = struct.unpack_from(self.order + "II", data, at)
                name = data[at + 8:at + 8 + length].split(b"\0")[0].decode(errors="replace")
                self.attrs[index][0].names = name
                at += 8 + length + 8 * n_ids
        except struct.error:
            pass

    def read_records(self, at, end, data=None):
        data = self.data if data is None else data
        if end > len(data):
            self.note = "cut off"
        end = min(end, len(data))
        while at + 8 <= end and sum(self.records.values()) < RECORDS_MOST:
            kind, misc, size = struct.unpack_from(self.order + "IHH", data, at)
            if size < 8 or at + size > end:
                self.note = f"a record of {size} bytes at {at} of {end}"
                return at
            at = self.read_record(data, kind, misc, at, size)
        return at

    def read_record(self, data, kind, misc, at, size):
        self.records[kind] += 1
        body = data[at + 8:at + size]
        after = at + size
        if kind == SAMPLE:
            self.samples[self.event_of(body).name()] += 1
        elif kind == HEADER_ATTR and len(body) >= ATTR_SIZE_V0:
            attr_size, = struct.unpack_from(self.order + "I", body, 4)
            ids = struct.unpack_from(f"{self.order}{(len(body) - attr_size) // 8}Q", body,
                                     attr_size)
            self.attrs.append((Attr(self.order, body[:attr_size]), set(ids)))
        elif kind == COMPRESSED:
            self.packed.append(body)
        elif kind == COMPRESSED2 and len(body) >= 8:
            length, = struct.unpack_from(self.order + "Q", body)
            self.packed.append(body[8:8 + length])
        elif kind == AUXTRACE and len(body) >= 8:
            after += struct.unpack_from(self.order + "Q", body)[0]
        elif kind == TRACING and len(body) >= 4 and self.pipe:
            after += struct.unpack_from(self.order + "I", body)[0] + 7 & ~7
        elif kind == FEATURE and len(body) >= 8:
            feature, = struct.unpack_from(self.order + "Q", body)
            self.features[feature] = body[8:]
            if feature == F_EVENT_DESC:
                self.name_events(body[8:])
        return after

    def event_of(self, body):
        if not self.attrs:
            raise Broken("a sample without an attr")
        kind = self.attrs[0][0].sample_type
        at = None
        if kind & IDENTIFIER:
            at = 0
        elif kind & ID:
            at = sum(8 for bit in (IP, TID, TIME, ADDR) if kind & bit)
        if at is not None and len(body) >= at + 8:
            number, = struct.unpack_from(self.order + "Q", body, at)
            for attr, ids in self.attrs:
                if number in ids:
                    return attr
        return self.attrs[0][0]

    def read_packed(self):
        data = unpacked(b"".join(self.packed))
        self.read_records(0, len(data), data)

    def text(self, feature):
        data = self.features.get(feature, b"")
        if len(data) < 4:
            return ""
        return data[4:].split(b"\0")[0].decode(errors="replace")

    def is_simpleperf(self):
        return (any(bit in self.features for bit in F_SIMPLEPERF)
                or any(kind >= SIMPLEPERF_FIRST for kind in self.records))


def survey(path):
    """What the recording has. `error` is why it cannot be read at all."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        got = Recording(data)
    except Broken as why:
        return {"error": str(why), "bytes": len(data), "samples": 0}
    types = [attr.sample_type for attr, _ in got.attrs]
    sampled = [attr for attr, _ in got.attrs if got.samples[attr.name()]]
    used = [attr.sample_type for attr in sampled] or types
    return {
        "error": "",
        "note": got.note,
        "bytes": len(data),
        "form": "pipe" if got.pipe else "file",
        "order": "little" if got.order == "<" else "big",
        "writer": "simpleperf" if got.is_simpleperf() else "perf",
        "version": got.text(F_VERSION),
        "arch": got.text(F_ARCH),
        "attr_size": max((attr.size for attr, _ in got.attrs), default=0),
        "events": dict(got.samples),
        "attrs": len(got.attrs),
        "samples": sum(got.samples.values()),
        "callchains": any(kind & CALLCHAIN for kind in used),
        "stacks": any(kind & STACK_USER for kind in used),
        "branches": any(kind & BRANCH for kind in used),
        "no_ip": any(not kind & IP for kind in used),
        "no_time": any(not kind & TIME for kind in used),
        "no_cpu": any(not kind & CPU for kind in used),
        "no_period": any(not kind & PERIOD for kind in used),
        "no_comm": not got.records[COMM],
        "compressed": bool(got.packed),
        "aux": bool(got.records[AUXTRACE]),
        "lost": got.records[LOST] + got.records[LOST_SAMPLES],
        "build_ids": F_BUILD_ID in got.features or bool(got.records[BUILD_ID]),
    }
