// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_NAMES_INTERNAL_H
#define PMCTOP_CODE_NAMES_INTERNAL_H

#include "core/base/hash_table.h"
#include "core/code/code_file.h"
#include "core/code/code_names.h"
#include "core/code/function_table.h"
#include "core/code/kernel_maps.h"

/* What the files of code_names share. */

enum {
	MODULE_BYTES = 256, /* of a file name; longer ones are cut */
};

/* An address of a file that has no id yet. It has a reference to the file. */
struct pending {
	struct code_file *file;
	uint64_t offset;
	size_t place;
	uint32_t id;
	bool kernel;
	char *recorded; /* the name that the recording itself has; NULL: none */
	char module[MODULE_BYTES];
};

struct code_names {
	struct code_names_config config;
	struct code_maps *maps;
	struct code_files *files;
	struct kernel_symbols *kernel;
	struct function_table functions;
	uint64_t odd;
	unsigned era;  /* of the ids: grows when all begin anew; from 1 on */
	unsigned pass; /* call of code_names_resolve() */
	bool careful;  /* files that may not answer are left out, and this is noted: */
	bool left_out;

	struct hash_table kernel_ids;
	unsigned kernel_changes;
	uint64_t kernel_ids_ns;
	struct kernel_maps kernel_maps; /* of a recording */
	uint32_t kernel_mapped;         /* records of these so far */
	bool kernel_loaded;             /* its symbols were searched */
	unsigned kernel_pass;           /* the call in which they were searched last */
	bool kernel_image;              /* they are in kernel_maps.image */
	char kernel_note[256];          /* code_names_kernel_note() */

	uint64_t deadline_ns;      /* of the call of code_names_resolve() */
	unsigned undemangled_pass; /* the call in which the parser was too late to demangle */
	char demangled[SYMBOL_NAME_BYTES];

	struct pending *pending;
	size_t n_pending, pending_capacity;
	uint64_t *addresses; /* of a process */
	size_t addresses_capacity;
};

/* code_names.c */

uint64_t names_clock_ns(const struct code_names *names);
/* Functions beyond the limit are "[unknown]", until all ids begin anew. */
uint32_t names_add_function(struct code_names *names, const char *name, const char *module,
			    enum code_kind kind, const char *why);
/* "libfoo.so+0x1234"; bounded: a function begins at the address. */
uint32_t names_add_unnamed(struct code_names *names, const char *module, uint64_t address,
			   bool bounded, const char *why);
/* A name with "+0x123?" behind it. */
uint32_t names_add_unsure(struct code_names *names, const char *name, const char *module);
/* The id of an address or an offset in such a table; 0: none. */
uint32_t names_find_id(const struct code_names *names, const struct hash_table *ids,
		       uint64_t address);
void names_keep_id(const struct code_names *names, struct hash_table *ids, uint64_t address,
		   uint32_t id);
struct hash_table *names_of_process(const struct code_names *names, struct code_process *process);

/* code_names_kernel.c */

#define NO_KERNEL_SYMBOLS "no symbols of this kernel"

/* Removes the ids of the kernel if they may be wrong by now, or are too many. */
void names_check_kernel_ids(struct code_names *names);
/* The id of an address; 0: as names_resolve_in_file(). */
uint32_t names_resolve_kernel(struct code_names *names, uint64_t address, size_t place);

/* code_names_file.c */

/* An address in a file's mapping. */
struct file_address {
	pid_t pid; /* of the process with the file in its /proc */
	const struct code_mapping *mapping;
	uint64_t address;
	uint64_t offset;    /* in the file; of the kernel itself: the address */
	const char *module; /* the name to show */
	bool kernel;        /* of the kernel or a module of it */
	size_t place;       /* index of the place that gets the id */
};

/* Opens the mapping's file unless it is known, and gives it to the parser if that needs it. */
void names_open_file(struct code_names *names, pid_t pid, const struct code_mapping *mapping);
/* The id of an address in the mapping of a file, if it was known before; 0: no. */
uint32_t names_find_in_file(const struct code_names *names, const struct code_mapping *mapping,
			    uint64_t address);
/*
 * Returns the id of an address in a file's mapping; 0: it is not known now, or is pending until
 * names_find_pending().
 */
uint32_t names_resolve_in_file(struct code_names *names, const struct file_address *at);
/* Returns the id of an address without a name in a file: its recorded name, or what stands for it.
 */
uint32_t names_add_nameless(struct code_names *names, const struct file_address *at,
			    const char *why);
/* The name that the recording itself has, until the next call, or NULL. */
const char *names_find_recorded(struct code_names *names, const char *path, uint64_t offset);
/* Finds what is pending, sets ids of places, and drops it. */
void names_find_pending(struct code_names *names, struct code_place *places, uint64_t deadline_ns);

#endif
