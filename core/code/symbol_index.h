// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SYMBOL_INDEX_H
#define PMCTOP_SYMBOL_INDEX_H

#include "core/code/elf_file.h"
#include "core/code/elf_symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The functions of an ELF file by address: 8 bytes each, the rest is read from the file when a
 * function is found. 1,000,000 functions take 8 MB and some tens of ms.
 *
 * Sources, the first that has functions: .symtab of the binary, .symtab of its debug file,
 * .gnu_debugdata together with .dynsym and .gopclntab, .dynsym with .gopclntab. Entries of the
 * procedure linkage table are "write@plt". Functions without a name have the bounds that
 * .eh_frame_hdr states.
 *
 * Functions are symbols of the types FUNC, GNU_IFUNC and NOTYPE in executable segments. Local
 * NOTYPE symbols of size 0 are left out: labels, and the mapping symbols of Arm and RISC-V ("$x").
 * A symbol without a size ends at the next one, at the end of its section, and where a function
 * begins or ends that .eh_frame_hdr has. If none of these is behind a place, or the only table is
 * .dynsym, which has not all functions, and .eh_frame_hdr does not have the place, the symbol is
 * not sure, unless the next one is near: functions without a name may be behind it. Of those around
 * a place the nearest with a size is chosen. Of several at one address the choice is by the first
 * of these that differs: it reaches the place, is a function, is not local, has fewer underscores
 * in front, is not weak, is shorter, is the first in order.
 */
struct symbol_index;

enum {
	SYMBOL_INDEX_FUNCTIONS = 4 << 20, /* of a file; a table with more is not used */
};

/*
 * The descriptors or bytes stay the caller's, and must outlive the index. `debug` NULL: none; one
 * of another machine is ignored. A file without symbols has an index too. 0 or -ENOEXEC.
 */
int symbol_index_new(const struct elf_source *binary, const struct elf_source *debug,
		     struct symbol_index **index);
void symbol_index_free(struct symbol_index *index); /* NULL is fine */

struct symbol_place {
	uint64_t address; /* of the function if bounded, else of the place; link address */
	bool bounded;
	/* If the function may have ended before the place: the bytes between both. Else 0. */
	uint64_t unsure;
	/*
	 * Offsets in the file from start to end, the place among them, have the same function. It
	 * may have more, such as behind another function inside of it. Both 0: unknown.
	 */
	uint64_t start, end;
	bool plt;                         /* the name is the called function's */
	char name[ELF_SYMBOL_NAME_BYTES]; /* as in the file; "": none */
};

/* Finds the function of a place in the binary. False: no address belongs to the place. */
bool symbol_index_find(const struct symbol_index *index, uint64_t offset,
		       struct symbol_place *place);

/*
 * Finds a symbol of any kind by its name, and its link address. All names before it are read: some
 * 100 ms for the 200,000 of a kernel. False: none.
 */
bool symbol_index_locate(const struct symbol_index *index, const char *name, uint64_t *address);

/* Whether any place can have a name. */
bool symbol_index_has_names(const struct symbol_index *index);

/* Its memory in bytes, and how many functions it has. */
size_t symbol_index_bytes(const struct symbol_index *index);
size_t symbol_index_functions(const struct symbol_index *index);

#endif
