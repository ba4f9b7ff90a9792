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
struct code_file_segment {
	uint64_t address, offset, bytes;
};

struct code_file {
	unsigned refs;
	uint64_t key;    /* of symbol_client.h; 0: it cannot be opened */
	uint64_t size;   /* bytes when it was opened; UINT64_MAX: a debug file without its binary */
	const char *why; /* it cannot be opened (code_names_why()); static */
	uint64_t next_ns; /* key 0: when to try it again */
	/*
	 * A debug file without its binary, in which the code has no offsets. Instead of them the
	 * child gets link addresses. The code begins at this one.
	 */
	bool no_offsets;
	uint64_t code_address, code_align;
	/* Of a kernel: a place is found by its link address, because no offset was recorded. */
	struct code_file_segment *segments;
	unsigned n_segments;

	/* For the owner of the set. */
	struct hash_table ids; /* by offset */
	struct code_ranges ranges;
	unsigned era, pass;
};

struct code_files;

/*
 * A recording has no processes. The file of a mapping is the first of these with its build id:
 *
 *  1. its path below `symfs`, and its file name there;
 *  2. its path on this machine;
 *  3. perf's cache: `build_id_cache`, `symfs` (an unpacked archive of `perf archive`) and
 *     `symfs`/.debug;
 *  4. a debug file that stands for the missing binary, in these caches or in
 *     /usr/lib/debug/.build-id, also below `symfs`.
 *
 * The ELF file of the kernel, CODE_FILE_KERNEL, is searched in caches in the same way, and as
 * vmlinux in the usual folders below `symfs` and of this machine. Its mapping begins at the address
 * of a symbol, and the offset of the mapping is the link address of this symbol.
 *
 * A mapping without a build id has the file of its path below `symfs`, unchecked, or that on this
 * machine if it has its device and inode. A recorded name with ".." is not opened.
 */
struct code_files_config {
	const struct sys *sys;
	bool recording;
	/* Folders of a recording; NULL: none. */
	const char *symfs, *build_id_cache;
};

#define CODE_FILE_KERNEL "[kernel.kallsyms]"

/* What the configuration points to is borrowed. */
struct code_files *code_files_new(const struct code_files_config *config);
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
/*
 * Opens the texts of /proc/kallsyms that may be those of a recording's kernel, by their numbers
 * from 0 on: `symfs`/proc/kallsyms, `symfs`/kallsyms, those with the build id in caches, and that
 * of this machine if it has this kernel. A descriptor, which sys_close() closes, or -errno;
 * -ERANGE: there are no more. *of_user: it is below `symfs`, so the recording
 * needs no build id.
 */
int code_files_open_kallsyms(const struct code_files *files, const struct code_build_id *id,
			     unsigned number, bool *of_user);
void code_files_close(struct code_files *files, struct code_descriptors *opened);
/*
 * Returns the place of an address of a mapping of the file, for symbol_client.h. CODE_FILE_NOWHERE:
 * no segment has it.
 */
#define CODE_FILE_NOWHERE UINT64_MAX
uint64_t code_file_place(const struct code_file *file, const struct code_mapping *mapping,
			 uint64_t address);
/* Drops a reference. */
void code_file_put(struct code_files *files, struct code_file *file);

#endif
