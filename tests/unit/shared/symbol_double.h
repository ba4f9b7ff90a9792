// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SYMBOL_DOUBLE_H
#define PMCTOP_TESTS_SYMBOL_DOUBLE_H

#include "core/code/code_names.h"
#include "core/code/mapped_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In place of the helper processes. Files are opened here, with the caller's sys. A file whose last
 * byte is 'x' has a function "x1" at offsets 0x100-0x1ff, "x2" at 0x200-0x2ff and so on, each with
 * that link address.
 */
struct symbol_double {
	struct {
		uint64_t key;
		char tail;
		bool debug; /* it was given with a debug file */
	} files[64];
	size_t n;
	bool nameless;    /* the files have no symbols */
	bool gaps;        /* they have some, but not at the places that are asked for */
	bool unsure;      /* the names have no size */
	bool rangeless;   /* the bounds of functions are unknown */
	bool silent;      /* nothing is answered */
	bool refused;     /* all files are refused */
	uint64_t located; /* address of the symbol "_text" of each file */
	int open_error;   /* -errno of opening */
	const char *hung; /* a file that does not answer: the child ends when it is opened */
	int text_error;   /* -errno of reading a text */
	bool not_given;   /* files that are opened do not reach the child */
	unsigned opens, adds, finds, queries, demangles;
	struct mapped_files *mapped; /* NULL: none yet */
};

/* `config` configures the search for files. Call it once, and symbol_double_fini() at the end. */
struct code_helpers symbol_double(struct symbol_double *symbols,
				  const struct mapped_files_config *config);
void symbol_double_fini(struct symbol_double *symbols);
/* A new child, without files. */
void symbol_double_restart(struct symbol_double *symbols);

#endif
