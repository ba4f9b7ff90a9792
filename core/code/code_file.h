// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_FILE_H
#define PMCTOP_CODE_FILE_H

#include "core/base/hash_table.h"
#include "core/code/code_maps.h"
#include "core/code/code_ranges.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Files of mappings. Which file a mapping has is decided by the kernel's own links (/proc/PID/exe,
 * /proc/PID/map_files) where they may be used. A file that is found by its path below
 * /proc/PID/root must be the mapped one:
 *
 *  - it has the build id of the mapping's record, or
 *  - it has the mapping's device and inode, or
 *  - its inode alone is that of the mapping, because btrfs and overlayfs have another device for
 *    stat(2) than for mappings, and the kernel (PROCMAP_QUERY) reports no other build id, or
 *  - the kernel reports its build id for the mapping (overlayfs with other inodes, a file that was
 *    replaced by an equal one).
 *
 * Equal files are one: those of one owner with one build id, or of one device, inode, time and
 * size.
 */
struct code_file {
	unsigned refs;
	uint64_t key;     /* of symbol_client.h; 0: it cannot be opened */
	uint64_t size;    /* bytes when it was opened */
	const char *why;  /* it cannot be opened (code_names_why()); static */
	uint64_t next_ns; /* key 0: when to try it again */

	/* For the owner of the set. */
	struct hash_table ids; /* by offset */
	struct code_ranges ranges;
	unsigned era, pass;
};

struct code_files;

/* `sys` is borrowed. A `recording` has no processes: its files are searched on this machine. */
struct code_files *code_files_new(const struct sys *sys, bool recording);
/* All references must have been dropped. */
void code_files_free(struct code_files *files);

struct code_descriptors {
	int binary, debug; /* -1: none */
};

/*
 * Opens the file of a mapping. Returns it with one more reference, or NULL: it cannot be opened
 * now, but may be later (too many open files). `opened` has descriptors of it and of its separate
 * debug file, which the caller closes with code_files_close(); none for key 0.
 */
struct code_file *code_files_open(struct code_files *files, pid_t pid,
				  const struct code_mapping *mapping,
				  struct code_descriptors *opened);
void code_files_close(struct code_files *files, struct code_descriptors *opened);
/* Drops a reference. */
void code_file_put(struct code_files *files, struct code_file *file);

#endif
