// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SIMPLEPERF_SYMBOLS_H
#define PMCTOP_SIMPLEPERF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The symbols that Android's simpleperf puts into a recording: of all files with samples, of the
 * kernel, and of Java code (simpleperf/record_file_format.h, the features FILE and FILE2).
 * Zeroed is empty.
 *
 * Bounded: further symbols than SIMPLEPERF_SYMBOLS_BYTES of memory are ignored.
 */
enum { SIMPLEPERF_SYMBOLS_BYTES = 64 << 20 };

struct simpleperf_file;

struct simpleperf_symbols {
	struct simpleperf_file *files; /* owned */
	size_t n, capacity;
	char *names; /* of all, one after the other; owned */
	size_t names_bytes, names_capacity;
	size_t bytes;    /* of memory, of all */
	size_t n_sorted; /* the first so many files are sorted */
};

void simpleperf_symbols_fini(struct simpleperf_symbols *symbols);

/*
 * Adds one file: n bytes of the feature FILE, without their number, or of FILE2 (`message`). What
 * is invalid is ignored, with all that follows it.
 */
void simpleperf_symbols_add(struct simpleperf_symbols *symbols, const unsigned char *bytes,
			    size_t n, bool message);

/* A mapping with an address in it. */
struct simpleperf_place {
	const char *path; /* name of the mapping; of the kernel "[kernel.kallsyms]" */
	uint64_t start, offset;
	uint64_t address;
};

struct simpleperf_symbol {
	const char *name; /* as in the file: not demangled */
	uint64_t offset;  /* of the address in the function */
};

/*
 * Finds the function with that address. False: there is none. The name is valid until a file is
 * added.
 */
bool simpleperf_symbols_find(struct simpleperf_symbols *symbols,
			     const struct simpleperf_place *place,
			     struct simpleperf_symbol *symbol);

#endif
