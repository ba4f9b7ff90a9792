#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a large recording: 20 commands of 4 threads, 5,000 functions, callers, rising times.

    tests/profiles/make_large.py [--bytes N=1G] [--out FILE=build/profiles/large.data]

The functions are in a library that gcc makes beside FILE, so perf and pmctop find their
names. A sample in ten is in the kernel. The samples repeat: 20,000 stacks, of 5 to 40 callers, and
a few of them are most. The same N writes the same file.
"""
import argparse
import os
import random
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("BUILD", os.path.join(HERE, "../../build"))
COMMANDS, THREADS, FUNCTIONS, STACKS, CPUS = 20, 4, 5000, 20_000, 16
FIRST_PID, BASE, KERNEL, KERNEL_SIZE = 1000, 0x7f0000000000, 0xffffffff81000000, 0x1000000
FREQUENCY, STEP_NS, PERIOD = 997, 62_700, 1_003_009

MMAP, COMM, SAMPLE, MMAP2, FINISHED_ROUND = 1, 3, 9, 10, 68
USER, KERNEL_MODE, BUILD_ID_BIT = 2, 1, 1 << 14
IP, TID, TIME, CALLCHAIN, CPU, PERIOD_BIT, IDENTIFIER = (
    1 << 0, 1 << 1, 1 << 2, 1 << 5, 1 << 7, 1 << 8, 1 << 16)
SAMPLE_TYPE = IP | TID | TIME | CALLCHAIN | CPU | PERIOD_BIT | IDENTIFIER
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
EVENT_ID, ATTR_SIZE, HEADER_SIZE = 1, 128, 104
# disabled, inherit, mmap, comm, freq, task, sample_id_all, mmap2, comm_exec
FLAGS = 1 << 0 | 1 << 1 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 13 | 1 << 18 | 1 << 23 | 1 << 24
UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def padded(text, size=8):
    data = text.encode() + b"\0"
    return data + b"\0" * (-len(data) % size)


def trailer(pid, tid):
    """sample_id of records that are no samples: TID, TIME, CPU, IDENTIFIER."""
    return struct.pack("<IIQIIQ", pid, tid, 1, 0, 0, EVENT_ID)


def make_library(path):
    source = "".join(f"int function_{n:04}(int x) {{ return x * {n} + {n}; }}\n"
                     for n in range(FUNCTIONS))
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-nostdlib", "-Wl,--build-id=sha1", "-o",
                    path, "-x", "c", "-"], input=source, text=True, check=True)
    symbols = subprocess.run(["nm", "-n", path], capture_output=True, text=True, check=True)
    addresses = [int(line.split()[0], 16) for line in symbols.stdout.splitlines()
                 if " T function_" in line]
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True)
    build_id = next(line.split()[-1] for line in notes.stdout.splitlines() if "Build ID" in line)
    headers = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True, check=True)
    text = next(line.split() for line in headers.stdout.splitlines()
                if "LOAD" in line and " E " in line)
    offset, address, size = (int(text[column], 16) for column in (1, 2, 4))
    return addresses, bytes.fromhex(build_id), offset, address, size


def first_records(path, build_id, offset, size):
    yield record(MMAP, KERNEL_MODE, struct.pack("<iiQQQ", -1, 0, KERNEL, KERNEL_SIZE, KERNEL) +
                 padded("[kernel.kallsyms]_text") + trailer(0, 0))
    for pid in (FIRST_PID + 10 * command for command in range(COMMANDS)):
        name = f"command-{(pid - FIRST_PID) // 10:02}"
        yield record(COMM, 0, struct.pack("<II", pid, pid) + padded(name) + trailer(pid, pid))
        yield record(MMAP2, USER | BUILD_ID_BIT,
                     struct.pack("<iiQQQBBH20sII", pid, pid, BASE, size + 0xfff & ~0xfff, offset,
                                 len(build_id), 0, 0, build_id, 5, 2) +
                     padded(path) + trailer(pid, pid))
        for thread in range(1, THREADS):
            yield record(COMM, 0, struct.pack("<II", pid, pid + thread) +
                         padded(f"{name}-{thread}") + trailer(pid, pid + thread))


def stacks(addresses, at):
    """(the bytes before the time, the bytes behind it) of STACKS samples."""
    rng = random.Random(1)
    for _ in range(STACKS):
        pid = FIRST_PID + 10 * min(int(rng.expovariate(0.2)), COMMANDS - 1)
        thread = rng.randrange(THREADS)
        depth = rng.randint(5, 40)
        # A function calls some few others: stacks share their outer part.
        chain, function = [], rng.randrange(8)
        for _ in range(depth):
            chain.append(addresses[function] - at + BASE + rng.randrange(4))
            function = (function * 7 + 1 + min(int(rng.expovariate(0.7)), 9)) % FUNCTIONS
        chain.reverse()
        chain.insert(0, CONTEXT_USER)
        misc = USER
        if rng.random() < 0.1:
            chain[:0] = [CONTEXT_KERNEL] + [KERNEL + rng.randrange(KERNEL_SIZE) for _ in range(4)]
            misc = KERNEL_MODE
        ip = chain[1]
        front = struct.pack("<QQII", EVENT_ID, ip, pid, pid + thread)
        rest = struct.pack(f"<IIQQ{len(chain)}Q", rng.randrange(CPUS), 0,
                           PERIOD + rng.randrange(1000), len(chain), *chain)
        size = 8 + len(front) + 8 + len(rest)
        yield struct.pack("<IHH", SAMPLE, misc, size) + front, rest


def write_samples(out, parts, size_most):
    rng = random.Random(2)
    time, written, pack = 1_000_000_000, 0, struct.Struct("<Q").pack
    order = [min(int(rng.paretovariate(0.3)) - 1, STACKS - 1) for _ in range(1 << 16)]
    end = record(FINISHED_ROUND, 0, b"")
    while written < size_most:
        chunk = []
        for index in order:
            front, rest = parts[index]
            time += STEP_NS
            chunk += (front, pack(time), rest)
        data = b"".join(chunk) + end
        out.write(data)
        written += len(data)
        order = order[997:] + order[:997]


def text_feature(text):
    data = padded(text, 64)
    return struct.pack("<I", len(data)) + data


def features(attr):
    name = padded("cycles", 64)
    yield 3, text_feature("large.example")
    yield 4, text_feature("6.1.0")
    yield 5, text_feature("6.1")
    yield 6, text_feature("x86_64")
    yield 7, struct.pack("<II", CPUS, CPUS)
    yield 12, (struct.pack("<II", 1, ATTR_SIZE) + attr + struct.pack("<II", 1, len(name)) + name +
               struct.pack("<Q", EVENT_ID))


def write(path, size_most):
    library = os.path.splitext(os.path.abspath(path))[0] + ".so"
    addresses, build_id, offset, address, size = make_library(library)
    attr = struct.pack("<IIQQQQQ", 0, ATTR_SIZE, 0, FREQUENCY, SAMPLE_TYPE, 1 << 2, FLAGS)
    attr += b"\0" * (ATTR_SIZE - len(attr))
    start = HEADER_SIZE + len(attr) + 16 + 8
    with open(path, "wb") as out:
        out.seek(HEADER_SIZE)
        out.write(attr + struct.pack("<QQ", start - 8, 8) + struct.pack("<Q", EVENT_ID))
        for each in first_records(library, build_id, offset, size):
            out.write(each)
        write_samples(out, list(stacks(addresses, address)), size_most)
        end = out.tell()
        parts = list(features(attr))
        at = end + 16 * len(parts)
        for _, data in parts:
            out.write(struct.pack("<QQ", at, len(data)))
            at += len(data)
        for _, data in parts:
            out.write(data)
        bits = sum(1 << number for number, _ in parts)
        out.seek(0)
        out.write(b"PERFILE2" + struct.pack("<12Q", HEADER_SIZE, len(attr) + 16, HEADER_SIZE,
                                            len(attr) + 16, start, end - start, 0, 0, bits, 0, 0,
                                            0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bytes", default="1G")
    parser.add_argument("--out", default=os.path.join(BUILD, "profiles/large.data"))
    args = parser.parse_args()
    size = int(args.bytes.rstrip("KMG")) * UNITS.get(args.bytes[-1], 1)
    os.makedirs(os.path.dirname(os.path.abspath(args.out)), exist_ok=True)
    write(args.out, size)
    print(f"{args.out}: {os.path.getsize(args.out)} bytes")


if __name__ == "__main__":
    sys.exit(main())
