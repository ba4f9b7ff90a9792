# SPDX-License-Identifier: MIT
"""Converts a stream of pmctop, or of 'perf record -o -' with samples of groups, to the other byte
order: as a machine of that order would have written it."""
import struct

ATTR, NATIVE, TRACING, ROUND, UPDATE, FEATURE = 64, 65, 66, 68, 78, 80
SAMPLE = 9
# The sizes of the numbers before a record's trailer.
BODIES = {2: [8, 8], 3: [4, 4], 4: [4, 4, 4, 4, 8], 7: [4, 4, 4, 4, 8], 13: [8], 15: [4, 4]}
TRAILER = [4, 4, 8, 4, 4, 8]
TEXTS = {3, 4, 5, 6, 8, 9}  # features that are one text
ATTR_FIELDS = [4, 4, 8, 8, 8, 8, 0, 4, 4, 8, 8, 8, 8, 4, 4, 8, 4, 2, 2, 4, 4]


def _turn(data, sizes):
    """Swaps the bytes of numbers with these sizes. Returns where they end."""
    at = 0
    for size in sizes:
        if size == 0:  # the bits of an attr have the other order too
            for i in range(at, at + 8):
                data[i] = int(f"{data[i]:08b}"[::-1], 2)
            size = 8
        else:
            data[at:at + size] = data[at:at + size][::-1]
        at += size
    return at


def _words(data, begin, end):
    for at in range(begin, end - 7, 8):
        data[at:at + 8] = data[at:at + 8][::-1]


def _attr(data):
    size, = struct.unpack_from("=I", data, 12)
    attr = data[8:8 + size]
    done = _turn(attr, ATTR_FIELDS)
    _words(attr, done, size)
    data[8:8 + size] = attr
    _words(data, 8 + size, len(data))


def _native(data):
    words = struct.unpack_from("=H", data, 4)[0]
    name = bytes(data[16:80]).split(b"\0")[0]
    _words(data, 8, 16)
    at = 80 + 8 * words
    _words(data, 80, at)
    if name == b"pmctop:ahead":
        data[at:] = _record(data[at:])
        return
    while at < len(data):
        length, = struct.unpack_from("=Q", data, at)
        _words(data, at, at + 8)
        at += 8 + (length + 7) // 8 * 8


def _feature(data):
    feature, = struct.unpack_from("=Q", data, 8)
    _words(data, 8, 16)
    rest = data[16:]
    if feature == 7:
        _turn(rest, [4, 4])
    elif feature == 10:
        _turn(rest, [8])
    elif feature in TEXTS:
        _turn(rest, [4])
    elif feature == 11:
        n, at = struct.unpack_from("=I", rest)[0], 4
        _turn(rest, [4])
        for _ in range(n):
            length, = struct.unpack_from("=I", rest, at)
            rest[at:at + 4] = rest[at:at + 4][::-1]
            at += 4 + length
    data[16:] = rest


def _update(data):
    what, = struct.unpack_from("=Q", data, 8)
    _words(data, 8, 24)
    if what == 1:  # the scale, a double
        _words(data, 24, 32)


def _kernel(kind, data):
    if kind == SAMPLE:  # id, ip, pid and tid, time, cpu; then words
        rest = data[8:]
        done = _turn(rest, [8, 8, 4, 4, 8, 4, 4])
        _words(rest, done, len(rest))
        data[8:] = rest
        return
    body = data[8:]
    _turn(body, BODIES.get(kind, []))
    data[8:] = body
    trailer = data[-32:]
    _turn(trailer, TRAILER)
    data[-32:] = trailer


def _record(data):
    kind, = struct.unpack_from("=I", data)
    data = bytearray(data)
    if kind == ATTR:
        _attr(data)
    elif kind == NATIVE:
        _native(data)
    elif kind == TRACING:
        data[8:12] = data[8:12][::-1]
    elif kind == UPDATE:
        _update(data)
    elif kind == FEATURE:
        _feature(data)
    elif kind < ATTR:
        _kernel(kind, data)
    head = data[:8]
    _turn(head, [4, 2, 2])
    data[:8] = head
    return data


def other_order(data):
    """Returns a whole stream in the other byte order."""
    assert struct.unpack_from("=Q", data, 8)[0] == 16, "a file in perf's own format"
    turned = bytearray(data[:16])
    _words(turned, 0, 16)
    at = 16
    while at < len(data):
        size, = struct.unpack_from("=H", data, at + 6)
        turned += _record(data[at:at + size])
        if struct.unpack_from("=I", data, at)[0] == TRACING:  # its data has its own mark of byte order
            more, = struct.unpack_from("=I", data, at + 8)
            turned += data[at + size:at + size + more]
            at += more
        at += size
    return bytes(turned)
