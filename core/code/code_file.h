// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_FILE_H
#define PMCTOP_CODE_FILE_H

#include "core/base/hash_table.h"
#include "core/code/code_maps.h"
#include "core/code/code_ranges.h"
#include "core/code/mapped_file.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What is known of the files of mappings (mapped_file.h), and the functions found in them. Files
 * that are equal are one. Another process opens them (code_lanes.h), here no file is touched.
 */
struct code_file {
	unsigned refs;
	uint64_t key; /* 0: it cannot be opened */
	/* As in struct mapped_file, when it was opened. */
	uint64_t size;
	bool no_offsets, by_segment;
	uint64_t code_address, code_align;
	struct code_file_segment *segments;
	unsigned n_segments;
	const char *why;  /* it cannot be opened (code_names_why()); static */
	uint64_t next_ns; /* key 0: when to try it again */

	/* For the owner of the set. */
	struct hash_table ids; /* by offset */
	struct code_ranges ranges;
	unsigned era, pass;
};

struct code_files;

struct code_files *code_files_new(void);
/* All references must have been dropped. NULL is fine. */
void code_files_free(struct code_files *files);

/* Returns the file with one more reference. */
struct code_file *code_files_keep(struct code_files *files, const struct mapped_file *found);
/* Returns one with a reference that cannot be opened before `next_ns`. `why` is static. */
struct code_file *code_files_keep_unopened(const char *why, uint64_t next_ns);
/* Drops a reference. */
void code_file_put(struct code_files *files, struct code_file *file);

/*
 * Returns why a file cannot be opened, as a static text; NULL: for a reason that will pass. `name`
 * is the name in the mapping.
 */
const char *code_file_why(int error, const char *name, bool recording);

/*
 * Returns the place of an address of a mapping of the file, for symbol_client.h. CODE_FILE_NOWHERE:
 * no segment has it.
 */
#define CODE_FILE_NOWHERE UINT64_MAX
uint64_t code_file_place(const struct code_file *file, const struct code_mapping *mapping,
			 uint64_t address);

#endif
