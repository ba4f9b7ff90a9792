#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays damaged copies of recordings, as files and as pipes.

    BUILD=build/sanitize tests/profiles/mutate.py [--count N=10000] [--keep DIR] FILE|DIR...

The copies are the same in every run, spread over the files. pmctop may refuse a copy, or show a part
of it. It fails if it dies from a signal, a sanitizer reports, it takes more than 60 s or it needs
more than 1 GB of memory. Failing copies are kept. PMCTOP is another program.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import compare  # noqa: E402

PATIENCE_S = 60
MEMORY_MOST_KB = 1_000_000
SIZE_MOST = 300_000
SANITIZER = 99  # the exit status of its reports
ODD = (0, 1, 7, 8, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 2**63, 2**64 - 1, 2**64 - 8, 1 << 32)


def flip(rng, data):
    for _ in range(rng.choice((1, 1, 4, 32))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def set_word(rng, data):
    form = rng.choice("HIQ")
    size = struct.calcsize(form)
    at = rng.randrange(max(1, len(data) - size)) // size * size
    value = rng.choice(ODD) & (1 << 8 * size) - 1
    data[at:at + size] = struct.pack("<" + form, value)


def set_header(rng, data):
    at = rng.randrange(0, min(len(data) - 8, 256)) & ~7
    data[at:at + 8] = struct.pack("<Q", rng.choice(ODD))


def cut(rng, data):
    del data[rng.randrange(16, len(data)):]


def drop(rng, data):
    at = rng.randrange(len(data))
    del data[at:at + rng.choice((1, 4, 8, 64, 4096))]


def repeat(rng, data):
    at, size = rng.randrange(len(data)), rng.choice((8, 40, 64, 4096))
    data[at:at] = data[at:at + size] * rng.choice((1, 2, 50))


def swap(rng, data):
    one, other = sorted((rng.randrange(len(data)), rng.randrange(len(data))))
    size = min(rng.choice((8, 64, 512)), other - one)
    data[one:one + size], data[other:other + size] = (data[other:other + size],
                                                      data[one:one + size])


MUTATIONS = (flip, flip, set_word, set_word, set_header, cut, drop, repeat, swap)


def mutated(data, seed):
    rng = random.Random(seed)
    copy = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        if len(copy) > 64:
            rng.choice(MUTATIONS)(rng, copy)
    return bytes(copy)


def bound_memory():
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE_S, PATIENCE_S + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def replay(args, data, seed):
    """Why it failed, or an empty text, and the exit status."""
    as_pipe = seed % 3 == 0
    path = os.path.join(args.folder, f"{seed}.data")
    with open(path, "wb") as file:
        file.write(data)
    command = [compare.PMCTOP, "--config", "/dev/null", "--replay", "-" if as_pipe else path, "-b", "--code",
               "--format", ("json", "folded", "csv", "text")[seed % 4], "-d", "1"]
    why, errors = "", tempfile.TemporaryFile()
    with errors, open(path, "rb") as stdin:
        process = subprocess.Popen(command, stdin=stdin if as_pipe else subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=errors,
                                   preexec_fn=bound_memory, env=args.environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    if process.returncode < 0 or process.returncode == SANITIZER or "runtime error:" in text:
        report = [line for line in text.split("\n") if "ERROR:" in line or "runtime error:" in line]
        why = f"status {process.returncode} {(report or [text[-200:]])[0][:200]}"
    elif usage.ru_maxrss > MEMORY_MOST_KB and not args.sanitized:
        why = f"{usage.ru_maxrss} kB"
    if why:
        os.makedirs(args.keep, exist_ok=True)
        os.replace(path, os.path.join(args.keep, f"{seed}{'.pipe' if as_pipe else ''}.data"))
    else:
        os.unlink(path)
    return why, process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="begin with this copy")
    parser.add_argument("--keep", default=os.path.join(compare.BUILD, "profiles/failing"))
    parser.add_argument("path", nargs="+")
    args = parser.parse_args()
    args.environment = {**os.environ, "ASAN_OPTIONS": f"exitcode={SANITIZER}:detect_leaks=0",
                        "UBSAN_OPTIONS": f"exitcode={SANITIZER}:print_stacktrace=1"}
    args.sanitized = b"__asan_" in open(compare.PMCTOP, "rb").read()
    originals = []
    for path in map(compare.first_file, compare.files_of(args.path)):
        with open(path, "rb") as file:
            data = file.read(SIZE_MOST + 1)
        if 64 < len(data) <= SIZE_MOST:
            originals.append((path, data))
    if not originals:
        sys.exit("no recording of at most 300 kB")
    failed, statuses = 0, collections.Counter()

    def one(seed):
        path, data = originals[seed % len(originals)]
        return seed, path, replay(args, mutated(data, seed), seed)

    with tempfile.TemporaryDirectory() as args.folder:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for seed, path, (why, status) in pool.map(one, range(args.first,
                                                                 args.first + args.count)):
                statuses[status] += 1
                if why:
                    failed += 1
                    print(f"{seed} of {os.path.basename(path)}: {why}", flush=True)
    print(f"{args.count} copies of {len(originals)} recordings, {failed} failed; exit statuses:",
          dict(statuses))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
