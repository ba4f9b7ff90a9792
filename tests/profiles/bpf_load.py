#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a BPF program of 4,000 additions for SECONDS. The kernel compiles it: code with a KSYMBOL
record. Exit status 77: the kernel does not allow it.

    bpf_load.py [SECONDS=1]
"""
import ctypes
import os
import struct
import sys
import time

SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
PROG_LOAD, PROG_TEST_RUN, SOCKET_FILTER = 5, 10, 1
ADDITIONS, TURNS = 4000, 20000
MOVE_0, ADD_1, EXIT = 0xb7, 0x07, 0x95

libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attr):
    buffer = ctypes.create_string_buffer(attr, 128)
    answer = libc.syscall(SYS_BPF, command, buffer, 128)
    if answer < 0:
        print(f"bpf: {os.strerror(ctypes.get_errno())}", file=sys.stderr)
        sys.exit(77)
    return answer


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1
    code = (struct.pack("<BBhi", MOVE_0, 0, 0, 0) +
            ADDITIONS * struct.pack("<BBhi", ADD_1, 0, 0, 1) + struct.pack("<BBhi", EXIT, 0, 0, 0))
    program = ctypes.create_string_buffer(code)
    licence = ctypes.create_string_buffer(b"GPL")
    descriptor = bpf(PROG_LOAD, struct.pack(
        "<IIQQIIQII16s", SOCKET_FILTER, len(code) // 8, ctypes.addressof(program),
        ctypes.addressof(licence), 0, 0, 0, 0, 0, b"additions"))
    packet = ctypes.create_string_buffer(64)
    print("ready", flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        bpf(PROG_TEST_RUN, struct.pack("<IIIIQQII", descriptor, 0, 64, 0,
                                       ctypes.addressof(packet), 0, TURNS, 0))


if __name__ == "__main__":
    main()
