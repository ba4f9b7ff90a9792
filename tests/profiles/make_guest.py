#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes recordings of hardware counters in the emulated arm64 machine, into
build/profiles/guest/KERNEL/: *.data, symfs/ (kallsyms and the recorded programs) and .debug/ (the
build-id cache of perf).

    tests/profiles/make_guest.py [KERNEL...]

KERNEL is "machine", the kernel of this machine's apt sources, or a suite of Debian (sid). Needs
`make guest`, with GUEST_SUITE for a suite.
"""
import base64
import glob
import gzip
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))


def boot(kernel):
    """The lines that guest.sh prints."""
    command = [os.path.join(ROOT, "tests/guest/boot.sh"), "--image", os.path.join(BUILD, "guest"),
               "--timeout", "1500", "--perf", "--load", os.path.join(BUILD, "arm64/load"),
               "--load", os.path.join(BUILD, "arm64/dynamic/load"),
               os.path.join(HERE, "guest.sh")]
    suite = {} if kernel == "machine" else {"GUEST_SUITE": kernel}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=False, env={**os.environ, **suite})
    if done.returncode:
        print(f"{kernel}: boot.sh: status {done.returncode}: {done.stderr[-400:]}",
              file=sys.stderr)
    return done.stdout.splitlines()


def save(out, name, lines):
    data = gzip.decompress(base64.b64decode("".join(lines)))
    with open(os.path.join(out, name), "wb") as file:
        file.write(data)


def unpack(out, lines):
    """Writes the parts, and returns the number of recordings."""
    name, part, made = "", [], 0
    for line in [*lines, "== end"]:
        if line.startswith("## "):
            print(line[3:], file=sys.stderr)
        elif not line.startswith("== "):
            part.append(line.strip())
        else:
            if name and part:
                save(out, name, part)
                made += name.endswith(".data")
            name, part = line[3:].strip(), []
    return made


def make(kernel):
    out = os.path.join(BUILD, "profiles/guest", kernel)
    shutil.rmtree(out, ignore_errors=True)
    symbols = os.path.join(out, "symfs/bin")
    os.makedirs(symbols)
    made = unpack(out, boot(kernel))
    for folder in ("arm64/load", "arm64/dynamic/load"):
        for path in glob.glob(os.path.join(BUILD, folder, "*")):
            shutil.copy(path, symbols)
    kallsyms = os.path.join(out, "kallsyms")
    if os.path.exists(kallsyms):
        os.rename(kallsyms, os.path.join(out, "symfs/kallsyms"))
    archive = os.path.join(out, "debug.tar")
    if os.path.exists(archive):
        subprocess.run(["tar", "-C", out, "-xf", archive], check=False)
        os.unlink(archive)
    print(f"{kernel}: {made} recordings in {os.path.relpath(out)}")
    return made


def main():
    return 0 if all([make(kernel) for kernel in sys.argv[1:] or ["machine"]]) else 1


if __name__ == "__main__":
    sys.exit(main())
