// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROC_MAPS_H
#define PMCTOP_PROC_MAPS_H

#include "core/sys/sys.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>

/*
 * A line of /proc/PID/maps (proc_pid_maps(5)), and the query of one mapping by its address (Linux
 * 6.11, include/uapi/linux/fs.h; declared here because older headers do not have it).
 */
struct proc_mapping {
	uint64_t start, end; /* end is behind the last byte */
	uint64_t offset;     /* of start in the file, in bytes */
	dev_t dev;
	uint64_t inode; /* 0: no file */
	bool executable;
	/*
	 * "/usr/bin/cat", "[vdso]" or "". Any bytes but NUL. A file that has no name any more ends
	 * with " (deleted)", as other names may do. NUL-terminated by the parser; borrowed.
	 */
	const char *name;
};

/*
 * Parses a line without its newline, and replaces the escape of a newline ("\012") in its name. 0
 * or -EBADMSG. `mapping->name` points into the line.
 */
int proc_mapping_parse(char *line, struct proc_mapping *mapping);

struct procmap_query {
	uint64_t size;        /* of this struct */
	uint64_t query_flags; /* 0: the mapping that has the address */
	uint64_t query_addr;
	uint64_t vma_start, vma_end;
	uint64_t vma_flags; /* PROCMAP_QUERY_EXECUTABLE */
	uint64_t vma_page_size;
	uint64_t vma_offset;
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	uint32_t vma_name_size; /* in: bytes at vma_name_addr; out: of the name, with NUL, or 0 */
	uint32_t build_id_size; /* 0: not wanted */
	uint64_t vma_name_addr;
	uint64_t build_id_addr;
};
static_assert(sizeof(struct procmap_query) == 104, "the kernel's struct procmap_query");

#define PROCMAP_QUERY            _IOWR('f', 17, struct procmap_query)
#define PROCMAP_QUERY_EXECUTABLE 4u

/* Opens /proc/PID/maps. A descriptor or -errno: -EACCES without the right to trace the process. */
int proc_maps_open(const struct sys *sys, pid_t pid);

/*
 * Reads at most `most` bytes of the file, in pieces, and calls fn for each mapping until it is not
 * 0. The mappings are ascending and disjoint, also if the process changes them meanwhile. A line
 * that cannot be parsed is skipped. 0 or -errno.
 */
int proc_maps_each(const struct sys *sys, int fd, size_t most,
		   int (*fn)(void *arg, const struct proc_mapping *mapping), void *arg);

/*
 * Queries the mapping with that address. 0, or -errno: -ENOENT without one, -ENOTTY before Linux
 * 6.11. `name` has room for PROC_MAPS_NAME bytes; mapping->name points there.
 */
enum { PROC_MAPS_NAME = 4096 };
int proc_maps_query(const struct sys *sys, int fd, uint64_t address, char *name,
		    struct proc_mapping *mapping);

/*
 * The build id of the file of the mapping with that address, as the kernel reads it from memory,
 * also if the file was deleted. Returns its length, at most PROC_MAPS_BUILD_ID, or -errno: -ENOENT
 * without one.
 */
enum { PROC_MAPS_BUILD_ID = 20 };
int proc_maps_build_id(const struct sys *sys, int fd, uint64_t address,
		       uint8_t id[PROC_MAPS_BUILD_ID]);

#endif
