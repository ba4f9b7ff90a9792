// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ELF_PLT_H
#define PMCTOP_ELF_PLT_H

#include "core/code/elf_file.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The procedure linkage table: a few instructions for each function of another file, without
 * symbols of their own. Its entries are in the order of the relocations of .rela.plt (.rel.plt).
 * Known for x86 and Arm, as GNU ld and gold write them, and not for entries of .plt.got.
 */
struct elf_plt {
	uint64_t address; /* link address of the first entry */
	uint64_t entry_bytes, n;
	uint64_t relocations; /* place in the file */
	uint64_t relocation_bytes;
};

/* `plt` is .plt.sec if there is one, else .plt. n is 0 if its layout is not known. */
void elf_plt_init(struct elf_plt *table, const struct elf_file *file, const struct elf_section *plt,
		  const struct elf_section *relocations);
/* Finds the entry with a link address: its start, and its function as a number of .dynsym. */
bool elf_plt_find(const struct elf_plt *table, const struct elf_file *file, uint64_t address,
		  uint64_t *start, uint32_t *symbol);

#endif
