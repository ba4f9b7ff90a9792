// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ELF_DEBUG_DATA_H
#define PMCTOP_ELF_DEBUG_DATA_H

#include "core/code/elf_file.h"

#include <stddef.h>
#include <stdint.h>

/*
 * .gnu_debugdata: an ELF file in xz format, with the symbols that .dynsym lacks. An xz file of a
 * few kB may need any amount of memory, so there are two limits: of the dictionary (xz -6 needs 9
 * MiB) and of the result.
 */
enum {
	DEBUG_DATA_DECODER_BYTES = 16 << 20,
	DEBUG_DATA_BYTES = 12 << 20,
};

/*
 * Inflates n bytes from a place of the source. Returns the bytes, which the caller frees, and their
 * number. NULL: not an xz file, broken, or beyond a limit.
 */
uint8_t *elf_debug_data_inflate(const struct elf_source *source, uint64_t offset, uint64_t n,
				size_t *size);

#endif
