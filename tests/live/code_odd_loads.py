# SPDX-License-Identifier: MIT
"""Programs for tests of functions: damaged files, very large ones, and mappings that change.

As in code_loads.py: a case starts a load in a folder of its own and returns it.
"""
import functools
import os
import shutil
import struct
import subprocess

import skip_reason
from code_loads import (
    BUILD, HOTSPOTS, LIBRARY_UNNAMED, NAMED, NOBODY, SPOT_C, Skip, compile_c, copy_library_load,
    run_tool, start, tool)

GIB = 1 << 30
# Lines of 20 bytes, of other addresses than those of the program.
DENSE_LINES = b"".join(b"%x 10 other_%05x\n" % (0x1000 + 16 * i, i) for i in range(1 << 18))
MAPPINGS = 65000

BURN_C = SPOT_C[:SPOT_C.index("int main")]

# The first thread ends, another one burns: /proc/PID/exe and maps of the process are empty.
ENDED_LEADER_C = "#include <pthread.h>\n" + BURN_C + r"""
static void *burn(void *arg)
{
	volatile uint64_t sink = 0;
	for (;;)
		sink += hot_burn(1 << 20);
	return arg;
}
int main(void)
{
	pthread_t thread;
	if (pthread_create(&thread, 0, burn, 0))
		return 1;
	puts("ready");
	fflush(stdout);
	pthread_exit(0);
}
"""

# The page of the function is mapped many times, and each call is in the next mapping. Neighbours do
# not become one mapping, because all have the same offset in the file.
MANY_MAPPINGS_C = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
__attribute__((noinline, aligned(4096))) uint64_t hot_burn(uint64_t n)
{
	uint64_t x = n;
	while (n-- > 0) {
		x = x * 22695477u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
static int find_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uintptr_t *)base = info->dlpi_addr;
	return 1; /* the first is the program */
}
int main(int argc, char **argv)
{
	volatile uint64_t sink = 0;
	size_t n = (size_t)atol(argv[argc - 1]);
	int fd = open("/proc/self/exe", O_RDONLY);
	uintptr_t base = 0;
	dl_iterate_phdr(find_base, &base);
	off_t offset = (off_t)((uintptr_t)hot_burn - base);
	char *at = mmap(0, n << 12, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (size_t i = 0; i < n; i++)
		if (mmap(at + (i << 12), 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
			 offset) == MAP_FAILED) {
			perror("mmap");
			return 1;
		}
	puts("ready");
	fflush(stdout);
	for (;;)
		for (size_t i = 0; i < n; i++)
			sink += ((uint64_t (*)(uint64_t))(uintptr_t)(at + (i << 12)))(1 << 14);
}
"""

# One library at a time, at the address where the other one was: 3/4 of the time the first one.
CHANGING_C = r"""
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static uint64_t clock_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}
int main(int argc, char **argv)
{
	volatile uint64_t sink = 0;
	puts("ready");
	fflush(stdout);
	uint64_t ns[2] = {0, 0};
	while (argc == 4) {
		int second = ns[0] > 3 * ns[1];
		void *library = dlopen(argv[1 + second], RTLD_NOW | RTLD_LOCAL);
		uint64_t (*burn)(uint64_t) =
			(uint64_t (*)(uint64_t))dlsym(library, second ? "second_burn" : "first_burn");
		uint64_t begin = clock_ns();
		sink += burn((uint64_t)atol(argv[3]));
		ns[second] += clock_ns() - begin;
		dlclose(library);
	}
	return 1;
}
"""


def leader_ended(folder):
    return start(compile_c(folder, "-pthread", source=ENDED_LEADER_C))


def mount_gone(folder):
    why = skip_reason.mounts()
    if why:
        raise Skip(why)
    tool("nsenter")
    path = compile_c(folder)
    load = start("unshare", "--mount", "sh", "-ec",
                 'mkdir "$1/in"; mount -t tmpfs none "$1/in"; cp "$2" "$1/in/spot"; '
                 'exec "$1/in/spot"', "sh", folder, path)
    run_tool("nsenter", "-t", str(load.pid), "-m", "sh", "-ec",
             'rm "$1/in/spot"; umount -l "$1/in"; rmdir "$1/in"', "sh", folder)
    return load


def code_end(path):
    """The end of the page with the last byte of code, in a file of 64 bits."""
    with open(path, "rb") as file:
        elf = file.read()
    table, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    ends = []
    for at in range(table, table + size * count, size):
        kind, flags, offset, _, _, in_file = struct.unpack_from("<IIQQQQ", elf, at)
        if kind == 1 and flags & 1:
            ends.append(offset + in_file)
    return (max(ends) + 4095) & ~4095


def library_truncated_in_place(folder):
    """What is behind the code goes: symbols, sections, data. The code stays mapped."""
    program, library = copy_library_load(folder)
    load = start(program, "library")
    os.truncate(library, code_end(library))
    return load


def many_mappings(folder):
    with open("/proc/sys/vm/max_map_count", encoding="ascii") as file:
        if int(file.read()) < MAPPINGS + 100:
            raise Skip(f"vm.max_map_count is less than {MAPPINGS}")
    return start(compile_c(folder, source=MANY_MAPPINGS_C), str(MAPPINGS))


def changing_maps(steps, folder):
    libraries = []
    for name in ("first", "second"):
        source = BURN_C.replace("hot_burn", f"{name}_burn").replace("22695477u",
                                                                    str(22695477 + len(name)))
        libraries.append(compile_c(folder, "-shared", "-fPIC", name=f"lib{name}.so", source=source))
    return start(compile_c(folder, source=CHANGING_C), *libraries, str(steps))


# Perf maps of a program with code that it has made itself. hotspots writes "START SIZE NAME".

def jit_load(how):
    if not os.path.exists(HOTSPOTS):
        raise Skip("load/hotspots is missing")
    load = start(HOTSPOTS, "jit", **how)
    return load, f"/tmp/perf-{load.pid}.map"


def sparse_perf_map(_folder):
    """A hole of 1 GiB behind the names."""
    load, path = jit_load({})
    os.truncate(path, GIB)
    return load


def names_behind_a_hole(_folder):
    """A hole of 1 GiB before the names: further than is read."""
    load, path = jit_load({})
    with open(path, "r+b") as file:
        names = file.read()
        file.seek(0)
        file.truncate(0)
        file.seek(GIB)
        file.write(b"\n" + names)
    return load


def dense_perf_map(_folder):
    """1 GiB of lines behind the names."""
    if shutil.disk_usage("/tmp").free < 4 * GIB:
        raise Skip("less than 4 GiB are free in /tmp")
    load, path = jit_load({})
    with open(path, "ab") as file:
        while file.tell() < GIB:
            file.write(DENSE_LINES)
    return load


def perf_map_of_another_user(_folder):
    why = skip_reason.other_users()
    if why:
        raise Skip(why)
    load, path = jit_load({"user": NOBODY, "group": NOBODY, "extra_groups": []})
    os.chown(path, NOBODY - 1, NOBODY - 1)
    return load


# Section headers of a file of 64 bits: the loader does not need them.

def section_headers(elf):
    """{name: offset in the file of the header}"""
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    names_at, = struct.unpack_from("<Q", elf, table + names * size + 24)
    found = {}
    for at in range(table, table + size * count, size):
        begin = names_at + struct.unpack_from("<I", elf, at)[0]
        found[elf[begin:elf.index(b"\0", begin)].decode()] = at
    return found


def overlap(elf):
    """The symbols are in the middle of their names."""
    headers = section_headers(elf)
    names, = struct.unpack_from("<Q", elf, headers[".strtab"] + 24)
    struct.pack_into("<Q", elf, headers[".symtab"] + 24, names + 8)


def symbols_outside(elf):
    struct.pack_into("<QQ", elf, section_headers(elf)[".symtab"] + 24, 1 << 40, 1 << 40)


def symbols_wrap_around(elf):
    struct.pack_into("<QQ", elf, section_headers(elf)[".symtab"] + 24, (1 << 64) - 24, 1 << 32)


def names_outside(elf):
    struct.pack_into("<Q", elf, section_headers(elf)[".strtab"] + 32, 1 << 62)


def names_elsewhere(elf):
    struct.pack_into("<I", elf, section_headers(elf)[".symtab"] + 40, 0xfffffff0)


def table_outside(elf):
    struct.pack_into("<Q", elf, 40, 1 << 40)


def damaged(change, folder):
    path = compile_c(folder)
    with open(path, "rb") as file:
        elf = bytearray(file.read())
    if elf[4] != 2 or elf[5] != 1:
        raise Skip("no ELF file of 64 bits, lowest byte first")
    change(elf)
    with open(path, "wb") as file:
        file.write(elf)
    return start(path)


# Separate debug files

def cyclic_links(folder):
    """A stripped program links to a file without symbols that links to itself."""
    tool("objcopy", "strip")
    path = compile_c(folder, "-g", "-Wl,--build-id")
    debug = f"{path}.debug"
    run_tool("strip", path)
    shutil.copy(path, debug)
    for _ in range(2):
        for linked in (debug, path):
            run_tool("objcopy", "--remove-section=.gnu_debuglink", f"--add-gnu-debuglink={debug}",
                     linked)
    return start(path)


def wrong_debug_file(folder, root=""):
    """A stripped program, and a debug file with its name for it but of another build."""
    tool("objcopy", "strip")
    path = compile_c(folder, "-g", "-Wl,--build-id=0x" + 20 * "a1", *(["-static"] if root else []))
    other = compile_c(folder, "-g", "-Wl,--build-id=0x" + 20 * "b2", name="other",
                      *(["-static"] if root else []),
                      source=SPOT_C.replace("hot_burn", "wrong_name"))
    run_tool("objcopy", "--only-keep-debug", other, f"{path}.debug")
    run_tool("strip", path)
    run_tool("objcopy", f"--add-gnu-debuglink={path}.debug", path)
    return path


def wrong_debug_link(folder):
    return start(wrong_debug_file(folder))


def wrong_build_id_file(folder):
    """In a chroot that has a file of another build where that of this build id should be."""
    if os.geteuid() != 0:
        raise Skip("only root changes the root")
    path = wrong_debug_file(folder, root=folder)
    there = os.path.join(folder, "usr/lib/debug/.build-id/a1")
    os.makedirs(there)
    os.rename(f"{path}.debug", os.path.join(there, 19 * "a1" + ".debug"))
    return start("chroot", folder, "/spot")


JIT, UNKNOWN = r"jit_hot|jit_cold", r"\[unknown\]"
PLACE = r"spot\+0x[0-9a-f]+"
NAMED_OR_PLACE = rf"{NAMED}|{PLACE}"

# What is shown of at least 95 % of the time in user mode, and functions whose ratio is known.
ODD_CASES = (
    ("the first thread has ended", leader_ended, NAMED, {}),
    ("the file and its mount are gone", mount_gone, NAMED, {}),
    ("a library that was truncated while it runs", library_truncated_in_place,
     rf"hot_burn|{LIBRARY_UNNAMED}", {}),
    ("65,000 mappings", many_mappings, NAMED, {}),
    ("mappings that change 100 times a second", functools.partial(changing_maps, 1 << 23),
     r"first_burn|second_burn", {"first_burn": 0.75, "second_burn": 0.25}),
    ("mappings that change all the time", functools.partial(changing_maps, 1 << 18), r".*",
     {"first_burn": 0.75, "second_burn": 0.25}),
    ("a perf map of 1 GiB, sparse", sparse_perf_map, JIT, {}),
    ("a perf map of 1 GiB, names behind a hole", names_behind_a_hole, UNKNOWN, {}),
    ("a perf map of 1 GiB, dense", dense_perf_map, JIT, {}),
    ("a perf map of another user", perf_map_of_another_user, UNKNOWN, {}),
    ("sections that overlap", functools.partial(damaged, overlap), NAMED_OR_PLACE, {}),
    ("symbols outside the file", functools.partial(damaged, symbols_outside), NAMED_OR_PLACE, {}),
    ("symbols that wrap around", functools.partial(damaged, symbols_wrap_around),
     NAMED_OR_PLACE, {}),
    ("names of symbols outside the file", functools.partial(damaged, names_outside),
     NAMED_OR_PLACE, {}),
    ("no such section of names", functools.partial(damaged, names_elsewhere), NAMED_OR_PLACE, {}),
    ("a table of sections outside the file", functools.partial(damaged, table_outside),
     NAMED_OR_PLACE, {}),
    ("cyclic debug links", cyclic_links, PLACE, {}),
    ("a debug link to another build", wrong_debug_link, PLACE, {}),
    ("a debug file of another build by build id", wrong_build_id_file, PLACE, {}),
)
