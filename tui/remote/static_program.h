// SPDX-License-Identifier: MIT
#ifndef PMCTOP_STATIC_PROGRAM_H
#define PMCTOP_STATIC_PROGRAM_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The static program that is copied to a host: the file that --static names, or the one for the
 * host's architecture that is installed beside this program.
 */
struct static_program {
	char *bytes; /* owned */
	size_t n;
};

/*
 * `machine` is what `uname -m` prints on the host. `named` (may be NULL) is the file of --static,
 * which may be for any machine that its header has. Returns 0, or -errno and a sentence with the
 * remedy.
 */
int static_program_load(const char *named, const char *machine, struct static_program *program,
			struct error *err);
void static_program_fini(struct static_program *program); /* accepts a zeroed one */

/* Whether these are the first bytes of an ELF program for that machine without an interpreter. */
bool static_program_is_for(const char *bytes, size_t n, const char *machine);

#endif
