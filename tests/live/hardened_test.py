#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the compiler and the linker left in pmctop against those who would abuse a mistake of ours.

    hardened_test.py [PROGRAM=$BUILD/pmctop]

Reads the program that was built, by readelf. Prints TAP; exit status 77: skipped.
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import check, finish, skip  # noqa: E402

PMCTOP = (sys.argv[1] if sys.argv[1:]
          else os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "pmctop"))
# Where a call through a pointer may land: endbr64, and of arm64 "bti c" and paciasp.
LANDINGS = {"X86-64": (b"\xf3\x0f\x1e\xfa",), "AArch64": (b"\x5f\x24\x03\xd5", b"\x3f\x23\x03\xd5")}


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments, PMCTOP], capture_output=True, text=True,
                          check=True, env={**os.environ, "LC_ALL": "C"}).stdout


def segments():
    """(type, flags) of each program header."""
    return [(found[1], found[2].replace(" ", ""))
            for found in re.finditer(r"^  ([A-Z_]+) +(?:0x\w+ +){5}([RWE ]{3}) +0x", readelf("-l"), re.M)]


def main():
    if not shutil.which("readelf"):
        print("no readelf here")
        return 77
    head, dynamic, symbols = readelf("-h"), readelf("-d"), readelf("--syms", "--dyn-syms")
    headers = segments()
    code = [flags for kind, flags in headers if kind == "LOAD" and "E" in flags]
    check("it is loaded wherever the kernel likes: position independent",
          re.search(r"Type: +DYN ", head) and re.search(r"FLAGS_1.* PIE", dynamic), (head, dynamic))
    check("what the loader has written is read-only from then on, all of it",
          "GNU_RELRO" in [kind for kind, _ in headers]
          and re.search(r"\(FLAGS(_1)?\).*NOW", dynamic), (headers, dynamic))
    check("the stack is not executable",
          [flags for kind, flags in headers if kind == "GNU_STACK"] == ["RW"], headers)
    check("code has pages of its own, and nothing that is writable is executable",
          code == ["RE"] and not any("W" in f and "E" in f for _, f in headers), headers)
    check("libraries come from where the system has them, nowhere else",
          not re.search(r"\((RPATH|RUNPATH)\)", dynamic), dynamic)
    check("frames with arrays are guarded", "__stack_chk_fail" in symbols, symbols)
    machine = re.search(r"Machine:.*?(X86-64|AArch64)", head)
    if machine:
        with open(PMCTOP, "rb") as file:
            program = file.read()
        landings = sum(program.count(landing) for landing in LANDINGS[machine[1]])
        # Functions that nobody takes the address of need none.
        check("calls through pointers land where functions begin", landings > 300, landings)
    else:
        skip("calls through pointers land where functions begin", "no such thing on this machine")
    if re.search("__[at]san_init", symbols):
        skip("libc is told how long the memory is that it writes to", "a sanitizer looks instead")
    else:
        told = set(re.findall(r"\b__\w+_chk\b", symbols))
        check("libc is told how long the memory is that it writes to",
              {"__memcpy_chk", "__read_chk", "__snprintf_chk"} & told and len(told) > 3, told)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
