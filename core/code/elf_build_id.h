// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ELF_BUILD_ID_H
#define PMCTOP_ELF_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads the build id of an ELF file, from its notes (NT_GNU_BUILD_ID). A hostile file costs at most
 * about 400 reads of at most 4 kB, and no memory. Returns its length, at most ELF_BUILD_ID_BYTES,
 * or -errno: -ENOENT without one, -ENOEXEC for what is no ELF file.
 */
enum { ELF_BUILD_ID_BYTES = 64 };
int elf_build_id(int fd, uint8_t id[ELF_BUILD_ID_BYTES]);

/* The same of notes alone, in the byte order of this machine, as /sys/kernel/notes has them. */
int elf_notes_build_id(const void *notes, size_t n, uint8_t id[ELF_BUILD_ID_BYTES]);

/*
 * Reads the file name of the separate debug file (.gnu_debuglink), which has no '/'. 0 or -errno:
 * -ENOENT without one. The same limits.
 */
enum { ELF_DEBUG_LINK_BYTES = 256 };
int elf_debug_link(int fd, char name[ELF_DEBUG_LINK_BYTES]);

#endif
