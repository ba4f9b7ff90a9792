// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SYMBOL_DOUBLE_H
#define PMCTOP_TESTS_SYMBOL_DOUBLE_H

#include "core/code/code_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In place of the child process: a file whose last byte is 'x' has a function "x1" at offsets
 * 0x100-0x1ff, "x2" at 0x200-0x2ff and so on, each with that link address.
 */
struct symbol_double {
	struct {
		uint64_t key;
		char tail;
		bool debug; /* it was given with a debug file */
	} files[64];
	size_t n;
	bool nameless;    /* the files have no symbols */
	bool rangeless;   /* the bounds of functions are unknown */
	bool silent;      /* nothing is answered */
	bool refused;     /* all files are refused */
	uint64_t located; /* address of the symbol "_text" of each file */
	int add_error;    /* -errno of adding */
	unsigned adds, finds, queries, demangles;
};

struct code_symbols symbol_double(struct symbol_double *symbols);
/* A new child, without files. */
void symbol_double_restart(struct symbol_double *symbols);

#endif
