// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ELF_UNWIND_H
#define PMCTOP_ELF_UNWIND_H

#include "core/code/elf_file.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Bounds of functions from the table for unwinding (.eh_frame_hdr, .eh_frame), which stripped files
 * have too. Formats: Linux Standard Base 5, "Exception Frames". A search takes about 20 reads and
 * no memory.
 */
struct elf_range {
	uint64_t start, end; /* link addresses */
};

/*
 * Finds the last function that begins at the address or before it, and may end before it. False:
 * the table has none.
 */
bool elf_unwind_find(const struct elf_file *file, uint64_t address, struct elf_range *range);

#endif
