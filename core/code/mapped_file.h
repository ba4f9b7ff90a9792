// SPDX-License-Identifier: MIT
#ifndef PMCTOP_MAPPED_FILE_H
#define PMCTOP_MAPPED_FILE_H

#include "core/code/code_maps.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The search for the file of a mapping. Its mount may hang, so it runs in a process of its own
 * (opener_worker.h).
 *
 * Which file a mapping has is decided by the kernel's own links (/proc/PID/exe,
 * /proc/PID/map_files) where they may be used. A file that is found by its path below
 * /proc/PID/root must be the mapped one:
 *
 *  - it has the build id of the mapping's record, or
 *  - it has the mapping's device and inode, or
 *  - only its inode is the mapping's, because btrfs and overlayfs have another device for
 *    stat(2) than for mappings, and the kernel (PROCMAP_QUERY) reports no other build id, or
 *  - the kernel reports its build id for the mapping (overlayfs with other inodes, a file that was
 *    replaced by an equal one).
 *
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

#define CODE_FILE_KERNEL "[kernel.kallsyms]"

enum {
	MAPPED_FILE_PATH_BYTES = 4096 + 256, /* a name of a mapping, and what is around it */
	MAPPED_FILE_SEGMENTS = 32,
};

/* Where a search is: on different mounts. Each may hang. */
enum mapped_file_stage {
	MAPPED_FILE_SELF,       /* the file of a live mapping */
	MAPPED_FILE_DEBUG_HERE, /* debug files of this machine */
	MAPPED_FILE_THERE, /* other files below the root of the process: debug files, perf maps */
	MAPPED_FILE_HERE,  /* the path of a recorded mapping on this machine */
	MAPPED_FILE_SYMFS,
	MAPPED_FILE_CACHE, /* perf's */
	MAPPED_FILE_STAGES,
};

struct mapped_files_config {
	const struct sys *sys;
	bool recording;
	uint64_t random; /* in the keys */
	/* Folders of a recording; NULL: none. */
	const char *symfs, *build_id_cache;
	/* Called before the search enters another stage. NULL: nothing is. */
	void (*enter)(void *ctx, enum mapped_file_stage stage);
	void *ctx;
};

struct mapped_files;

/* What the configuration points to is borrowed. The caller frees the result with free(). */
struct mapped_files *mapped_files_new(const struct mapped_files_config *config);

struct code_file_segment {
	uint64_t address, offset, bytes;
};

/* What was found out about a file. No padding is sent uninitialised: it is zeroed first. */
struct mapped_file {
	/*
	 * Equal files have one key: files of one owner with one build id, or of one device, inode,
	 * time and size. It is odd.
	 */
	uint64_t key;
	uint64_t size; /* bytes; UINT64_MAX: a debug file without its binary */
	/*
	 * A debug file without its binary, in which the code has no offsets. Instead of them the
	 * parser gets link addresses. The code begins at this one.
	 */
	bool no_offsets;
	uint64_t code_address, code_align;
	/* Of a kernel: a place is found by its link address, because no offset was recorded. */
	bool by_segment;
	struct code_file_segment segments[MAPPED_FILE_SEGMENTS];
	unsigned n_segments;
};

struct mapped_file_descriptors {
	int binary, debug; /* -1: none */
};

/*
 * Opens the file of a mapping, and its separate debug file, without the stages in `skipped` (bits:
 * 1 << stage). 0 or -errno; -ESTALE: there is another file. The caller closes what is in *opened
 * with mapped_files_close().
 */
int mapped_files_open(struct mapped_files *files, pid_t pid, const struct code_mapping *mapping,
		      unsigned skipped, struct mapped_file *found,
		      struct mapped_file_descriptors *opened);
void mapped_files_close(struct mapped_files *files, struct mapped_file_descriptors *opened);

/*
 * The texts that may be /proc/kallsyms of a recorded kernel, by their numbers from 0 on:
 * `symfs`/proc/kallsyms, `symfs`/kallsyms, and texts with the build id in caches.
 */
enum { MAPPED_FILE_TEXTS_OF_USER = 2, MAPPED_FILE_TEXTS = 5 };
/* Opens one. A descriptor, which sys_close() closes, or -errno. */
int mapped_files_open_kallsyms(struct mapped_files *files, const struct code_build_id *id,
			       unsigned number, unsigned skipped);
/* Opens `symfs`/tmp/perf-PID.map. The same. */
int mapped_files_open_recorded_map(struct mapped_files *files, pid_t pid, unsigned skipped);

#endif
