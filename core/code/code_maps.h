// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_MAPS_H
#define PMCTOP_CODE_MAPS_H

#include "core/base/hash_table.h"
#include "core/code/code_build_id.h"
#include "core/sys/proc_maps.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The executable mappings of processes: which file, and which place in it, an address belongs to.
 *
 * A live process is read from /proc at its first sample: single mappings by PROCMAP_QUERY, or the
 * whole of /proc/PID/maps before Linux 6.11. Records (COMM of an exec, FORK, EXIT, MMAP2) keep it
 * current. What the kernel does not report (munmap) is found again after CODE_MAPS_AGE_NS. In a
 * recording all mappings come from records.
 *
 * Samples are resolved later than they were made. A mapping that a record has replaced meanwhile is
 * kept as a past one, until code_maps_drop_past().
 *
 * Bounded: beyond CODE_MAPS_PROCESSES or CODE_MAPS_MAPPINGS the process that was used longest ago
 * is dropped.
 */
enum {
	CODE_MAPS_PROCESSES = 8192,
	CODE_MAPS_MAPPINGS = 1 << 17,    /* of all processes */
	CODE_MAPS_OF_PROCESS = 1 << 16,  /* further mappings of a process are ignored */
	CODE_MAPS_PAST = 4096,           /* past mappings of a process, the newest ones */
	CODE_MAPS_FILE_BYTES = 64 << 20, /* of a file that are read */
};
#define CODE_MAPS_AGE_NS (10 * NS_PER_S)

struct code_file;

/* The file of some mappings of a process, or what stands for one. Shared, counted. */
struct code_object {
	unsigned refs;
	dev_t dev;
	uint64_t inode;                /* 0: no file */
	struct code_build_id build_id; /* of a record */
	/* For the owner of the maps, which sets it; ended by `drop_file`. NULL: not searched. */
	struct code_file *file;
	char name[]; /* as in struct proc_mapping */
};

struct code_mapping {
	uint64_t start, end;
	uint64_t offset; /* of start in the file */
	struct code_object *object;
	bool past; /* another one may be there now */
};

/* What a range belonged to before a record replaced it. */
struct code_past {
	struct code_mapping mapping; /* object NULL: unknown */
	uint64_t until_ns;
};

struct code_process {
	pid_t pid;
	/* /proc has the mappings and files of this thread: pid, until the main thread ends. */
	pid_t reader;
	uint64_t start_ticks;          /* 0: unknown */
	struct code_mapping *mappings; /* ascending, disjoint */
	size_t n, capacity;
	/* For the owner of the maps: by address. Emptied when a mapping has changed. */
	struct hash_table ids;
	void *jit;       /* for the owner of the maps; ended by `end_process` */
	unsigned era;    /* for the owner of the maps; 0 at the beginning */
	uint32_t change; /* grows with each record of a mapping; differs between processes */

	/* Private to code_maps.c. */
	bool complete; /* all mappings are there, unless the kernel did not report a change */
	bool ended;
	bool recorded; /* all mappings came from records since an exec */
	uint64_t read_ns, cost_ns;
	struct code_mapping *old; /* set aside until the mappings are read again */
	size_t n_old;
	struct code_past *past; /* in the order of time */
	size_t n_past, past_capacity;
	uint64_t past_lost_ns;        /* the last end of those beyond the limit; 0: none */
	uint64_t past_low, past_high; /* the addresses of all are in this range */
	struct code_process *newer, *older;
};

struct code_maps_config {
	const struct sys *sys; /* NULL: a recording */
	/* The last reference to an object with a file has gone. */
	void (*drop_file)(void *user, struct code_file *file);
	/* A process has ended, was dropped or is another one. */
	void (*end_process)(void *user, struct code_process *process);
	void *user;
	size_t processes_max, mappings_max; /* 0: the limits above; for tests */
};

struct code_maps;

struct code_maps *code_maps_new(const struct code_maps_config *config);
void code_maps_free(struct code_maps *maps);

/*
 * Returns the process, valid until the next call with `maps`. A live one is added if /proc has it,
 * and its mappings are dropped if they are old or the pid is of a later process. NULL: unknown.
 */
struct code_process *code_maps_process(struct code_maps *maps, pid_t pid);
/* Returns the process as it was at its last use, or NULL. No system call. */
struct code_process *code_maps_find(const struct code_maps *maps, pid_t pid);
/* Reads mappings of a live process that these addresses need. 0, or -errno of /proc/PID/maps. */
int code_maps_read(struct code_maps *maps, struct code_process *process, const uint64_t *addresses,
		   size_t n);
/* Returns the mapping with the address, or NULL. */
const struct code_mapping *code_process_find(const struct code_process *process, uint64_t address);

/*
 * Returns the number of the past mapping that an address had at that time; 0: the present one. It
 * is valid until the next call that changes the process.
 */
uint32_t code_maps_past(const struct code_maps *maps, pid_t pid, uint64_t address,
			uint64_t time_ns);
/* Returns the mapping with that number, or NULL: unknown. */
const struct code_mapping *code_process_past(const struct code_process *process, uint32_t past);

/*
 * Records, with their times. A mapping that is not executable only replaces others. An executable
 * one, or an exec, adds a live process that was never sampled: before /proc is read it may end, or
 * map another file there.
 */
void code_maps_mmap(struct code_maps *maps, pid_t pid, const struct proc_mapping *mapping,
		    const struct code_build_id *build_id, uint64_t time_ns);
void code_maps_exec(struct code_maps *maps, pid_t pid, uint64_t time_ns);
void code_maps_fork(struct code_maps *maps, pid_t parent, pid_t child);
void code_maps_exit(struct code_maps *maps, pid_t pid);
/*
 * Drops past mappings, and processes that have exited. They are kept until this call, because
 * earlier samples may wait to be resolved.
 */
void code_maps_drop_past(struct code_maps *maps);

/* What is held now, past mappings too. */
size_t code_maps_processes(const struct code_maps *maps);
size_t code_maps_mappings(const struct code_maps *maps);

#endif
