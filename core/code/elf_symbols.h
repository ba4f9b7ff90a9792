// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ELF_SYMBOLS_H
#define PMCTOP_ELF_SYMBOLS_H

#include "core/code/elf_file.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A symbol table of an ELF file (.symtab, .dynsym) with its names, read in pieces. Symbols have
 * numbers from 0 on.
 */
struct elf_symbols {
	const struct elf_file *file; /* borrowed */
	uint64_t offset, names_offset, names_bytes;
	uint32_t n;
	uint32_t first; /* for the owner; 0 at the beginning */
};

enum {
	ELF_SYMBOLS_MAX = 32 << 20,   /* a table with more is not used */
	ELF_SYMBOL_NAME_BYTES = 4096, /* longer names are cut */
};

struct elf_symbol {
	uint64_t address, size; /* without the mark of Thumb code */
	uint32_t name;          /* place in the names */
	unsigned type, binding; /* STT_*, STB_* */
	uint32_t section;       /* its number; SHN_UNDEF: unknown */
	bool defined;           /* in this file */
};

/* False: the section is not a table of symbols that can be read, or has too many. */
bool elf_symbols_init(struct elf_symbols *table, const struct elf_file *file,
		      const struct elf_section *section);
/* Calls fn for each symbol. False: fn returned false, or the table cannot be read. */
bool elf_symbols_each(const struct elf_symbols *table,
		      bool (*fn)(void *arg, uint32_t number, const struct elf_symbol *symbol),
		      void *arg);
/* Reads the symbol of a number. False: there is none. */
bool elf_symbols_read(const struct elf_symbols *table, uint32_t number, struct elf_symbol *symbol);
/* Reads a name up to its version ("@GLIBC_2.2.5"). False: it is empty. */
bool elf_symbols_name(const struct elf_symbols *table, uint32_t at,
		      char name[ELF_SYMBOL_NAME_BYTES]);

/* Whether the symbol is of a function: symbol_index.h. */
bool elf_symbol_is_function(const struct elf_symbol *symbol);

#endif
