#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The compiler's and linker's protections in the built program, read by readelf.

    hardened_test.py [PROGRAM=$BUILD/pmctop]

Prints TAP. Exit status 77: skipped.
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
# The first instruction at the target of an indirect call: endbr64; on arm64 "bti c" or paciasp.
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
        print("no readelf")
        return 77
    head, dynamic, symbols = readelf("-h"), readelf("-d"), readelf("--syms", "--dyn-syms")
    headers = segments()
    code = [flags for kind, flags in headers if kind == "LOAD" and "E" in flags]
    check("the program is position independent",
          re.search(r"Type: +DYN ", head) and re.search(r"FLAGS_1.* PIE", dynamic), (head, dynamic))
    check("all relocated data is read-only",
          "GNU_RELRO" in [kind for kind, _ in headers]
          and re.search(r"\(FLAGS(_1)?\).*NOW", dynamic), (headers, dynamic))
    check("the stack is not executable",
          [flags for kind, flags in headers if kind == "GNU_STACK"] == ["RW"], headers)
    check("code has pages of its own, and no page is writable and executable",
          code == ["RE"] and not any("W" in f and "E" in f for _, f in headers), headers)
    check("libraries are loaded from the system's directories only",
          not re.search(r"\((RPATH|RUNPATH)\)", dynamic), dynamic)
    check("stack frames with arrays have a guard", "__stack_chk_fail" in symbols, symbols)
    machine = re.search(r"Machine:.*?(X86-64|AArch64)", head)
    if machine:
        with open(PMCTOP, "rb") as file:
            program = file.read()
        landings = sum(program.count(landing) for landing in LANDINGS[machine[1]])
        # Only functions whose address is used have one.
        check("targets of indirect calls are marked", landings > 300, landings)
    else:
        skip("targets of indirect calls are marked", "not on this machine")
    if re.search("__[at]san_init", symbols):
        skip("libc checks the sizes of buffers", "a sanitizer checks them")
    else:
        checked = set(re.findall(r"\b__\w+_chk\b", symbols))
        check("libc checks the sizes of buffers",
              {"__memcpy_chk", "__read_chk", "__snprintf_chk"} & checked and len(checked) > 3, checked)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
