// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ELF_GO_H
#define PMCTOP_ELF_GO_H

#include "core/code/elf_file.h"
#include "core/code/elf_symbols.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The functions of a Go program from .gopclntab, which its runtime needs, so that stripped ones
 * have it too. Layouts of Go 1.2, 1.16, 1.18 and 1.20: src/debug/gosym/pclntab.go of Go, and
 * struct pcHeader of src/runtime/symtab.go; all of 1.18 on have the place of runtime.text there,
 * Go 1.26 only in struct moduledata. It is read in pieces, as a table of symbols.
 */
struct elf_go_sections {
	struct elf_section table;       /* .gopclntab; size 0: none, as in the others */
	struct elf_section read_only;   /* .data.rel.ro, which has it after an external linker */
	struct elf_section module;      /* .go.module: struct moduledata */
	struct elf_section relocations; /* .rela.dyn */
	bool is_go;                     /* there is a section that only Go makes */
};

/* Notes a section if it is one of these. */
void elf_go_note(struct elf_go_sections *sections, const struct elf_section *section);

/* Zeroed: a table without functions. */
struct elf_go_table {
	const struct elf_file *file; /* borrowed */
	uint64_t end;                /* place behind the section with the table */
	uint64_t functions;          /* place of the pairs of address and place of the data */
	uint64_t data;               /* to which places of data are relative */
	uint64_t names;              /* place of the names */
	uint64_t text;               /* to which addresses are relative */
	unsigned word_bytes;         /* of an address or a place in the pairs */
	uint32_t n;
	uint32_t first; /* for the owner; 0 at the beginning */
};

/* False: there is none that can be read. Reads at most ELF_GO_SEARCH_BYTES. */
enum { ELF_GO_SEARCH_BYTES = 256 << 20 };
bool elf_go_init(struct elf_go_table *table, const struct elf_file *file,
		 const struct elf_go_sections *sections);
/* As in elf_symbols.h. A function reaches to the next one. */
bool elf_go_each(const struct elf_go_table *table,
		 bool (*fn)(void *arg, uint32_t number, const struct elf_symbol *symbol),
		 void *arg);
bool elf_go_read(const struct elf_go_table *table, uint32_t number, struct elf_symbol *symbol);
bool elf_go_name(const struct elf_go_table *table, uint32_t number,
		 char name[ELF_SYMBOL_NAME_BYTES]);

#endif
