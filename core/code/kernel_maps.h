// SPDX-License-Identifier: MIT
#ifndef PMCTOP_KERNEL_MAPS_H
#define PMCTOP_KERNEL_MAPS_H

#include "core/code/code_maps.h"
#include "core/code/kernel_symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where the kernel of a recording and its modules were: records MMAP of pid -1. The kernel's record
 * has the name "[kernel.kallsyms]SYMBOL", and its offset is the address of this symbol. Records of
 * modules have the names
 * "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz" or "[ext4]".
 */
enum {
	KERNEL_MODULES_MAX = 4096, /* further ones are ignored */
	KERNEL_MODULE_BYTES = 64,  /* of "[ext4]"; longer names are cut */
	KERNEL_REFERENCE_BYTES = 64,
};

struct kernel_module {
	struct code_mapping mapping; /* its object is owned by the maps */
	uint64_t recorded_end;       /* end of the mapping, at most the next module's start */
	char name[KERNEL_MODULE_BYTES];
};

/* Zeroed: nothing is known. */
struct kernel_maps {
	struct code_build_id build_id;
	/*
	 * The kernel from its reference on, for code_file.h. The object is NULL before the first
	 * kernel_maps_add() with a reference. The offset is for the owner, 0 at the beginning.
	 */
	struct code_mapping image;
	struct kernel_reference reference; /* name NULL: unknown */
	uint64_t end;                      /* of the kernel's mapping */
	char reference_name[KERNEL_REFERENCE_BYTES];
	struct kernel_module *modules; /* ascending, disjoint */
	size_t n_modules, modules_capacity;
	/* Drops the file of an object; for the owner. */
	void (*drop_file)(void *user, struct code_file *file);
	void *user;
};

void kernel_maps_fini(struct kernel_maps *maps);
/* Adds a mapping. Returns whether it is the kernel's, and differs from the one before. */
bool kernel_maps_add(struct kernel_maps *maps, const struct proc_mapping *mapping,
		     const struct code_build_id *build_id);
/* The module with an address, until the next call of kernel_maps_add(), or NULL. */
const struct kernel_module *kernel_maps_find(const struct kernel_maps *maps, uint64_t address);

#endif
