# SPDX-License-Identifier: MIT
"""Programs whose functions are known: ELF files of any number of functions, written by hand.

A program calls its hot functions in turns for ever, each for the same time. All others never run.
Functions are far apart, so the file has the size of a large program; what is between them is a hole
in the file. Its symbols and their names are real.
"""
import os
import platform
import struct

HOT = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett",
       "kilo", "lima")
BASE = 0x400000
HEADERS_BYTES = 4096
STEPS = 100000  # of the loop in a hot function: less than a millisecond
PF_R_X, SHF_ALLOC_EXECINSTR = 5, 6
PT_LOAD, PT_GNU_STACK = 1, 0x6474E551
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB = 1, 2, 3
EM_X86_64 = 62
# push %rbp; mov %rsp,%rbp; mov $STEPS,%ecx; 1: dec %ecx; jnz 1b; pop %rbp; ret
BURN = b"\x55\x48\x89\xe5\xb9" + struct.pack("<I", STEPS) + b"\xff\xc9\x75\xfc\x5d\xc3"


def can_make():
    return platform.machine() == "x86_64"


def start_code(at, called):
    """xor %ebp,%ebp; 1: call ...; jmp 1b. Callers end here."""
    code = b"\x31\xed"
    begin = len(code)
    for address in called:
        code += b"\xe8" + struct.pack("<i", address - (at + len(code) + 5))
    return code + b"\xe9" + struct.pack("<i", begin - (len(code) + 5))


def layout(functions, apart):
    """[(name, address)], the hot ones spread over the file."""
    names = [f"cold_function_{i:07}_of_the_program" for i in range(functions)]
    for i, name in enumerate(HOT):
        names[(i + 1) * functions // (len(HOT) + 1)] = name
    return [(name, BASE + HEADERS_BYTES + i * apart) for i, name in enumerate(names)]


def symbols(places, start):
    """(.symtab, .strtab)"""
    names, table, at = [b""], [bytes(24)], 1
    for name, address, size in [("_start", start, 256), *((*place, len(BURN)) for place in places)]:
        table.append(struct.pack("<IBBHQQ", at, 0x12, 0, 1, address, size))  # GLOBAL, FUNC, .text
        names.append(name.encode())
        at += len(names[-1]) + 1
    return b"".join(table), b"\0".join(names) + b"\0"


def section(name, kind, flags=0, address=0, offset=0, size=0, link=0, info=0, align=1, each=0):
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, address, offset, size, link, info, align,
                       each)


def write_program(path, functions, apart):
    """Writes the program, in which functions begin `apart` bytes after each other."""
    places = layout(functions, apart)
    start = places[-1][1] + apart
    end = start - BASE + 256
    symtab, strtab = symbols(places, start)
    shstrtab = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    tables = []
    with open(path, "wb") as out:
        out.seek(HEADERS_BYTES)
        for name, address in places:
            if name in HOT:
                out.seek(address - BASE)
                out.write(BURN)
        out.seek(start - BASE)
        out.write(start_code(start, [address for name, address in places if name in HOT]))
        at = (end + 4095) & ~4095
        out.seek(at)
        for data in symtab, strtab, shstrtab:
            tables.append((out.tell(), len(data)))
            out.write(data.ljust((len(data) + 7) & ~7, b"\0"))
        sections = out.tell()
        text = HEADERS_BYTES
        out.write(section(0, 0))
        out.write(section(1, SHT_PROGBITS, SHF_ALLOC_EXECINSTR, BASE + text, text, end - text,
                          align=16))
        out.write(section(7, SHT_SYMTAB, 0, 0, *tables[0], link=3, info=1, align=8, each=24))
        out.write(section(15, SHT_STRTAB, 0, 0, *tables[1]))
        out.write(section(23, SHT_STRTAB, 0, 0, *tables[2]))
        out.seek(0)
        out.write(b"\x7fELF\2\1\1".ljust(16, b"\0"))
        out.write(struct.pack("<HHIQQQIHHHHHH", 2, EM_X86_64, 1, start, 64, sections, 0, 64, 56, 2,
                              64, 5, 4))
        out.write(struct.pack("<IIQQQQQQ", PT_LOAD, PF_R_X, 0, BASE, BASE, end, end, 4096))
        out.write(struct.pack("<IIQQQQQQ", PT_GNU_STACK, 6, 0, 0, 0, 0, 0, 16))
    os.chmod(path, 0o755)
