// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_FUNCTION_H
#define PMCTOP_CODE_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

/* A function, or what stands for one: equal if name, module and kind are. */
#define CODE_WHY_COMPILED "no symbols: code that was made while it runs"

enum code_kind {
	CODE_USER,
	CODE_KERNEL,  /* of the kernel, of a module of it, of a BPF program */
	CODE_UNNAMED, /* an address without a function: "libfoo.so+0x1234", "[unknown]" */
	CODE_REST,    /* "[other]": functions beyond a limit, as a sum */
};

struct code_function {
	const char *name; /* hostile bytes; never "" */
	const char
		*module; /* file name without folders, "[kernel]", "" if unknown; hostile bytes */
	enum code_kind kind;
	/*
	 * Of an address whose function has no bounds, as all of a file without names: why it has no
	 * name. Such addresses of a file can be shown as one (core/view/code_together.h). NULL:
	 * others. CODE_WHY_COMPILED: code of a just-in-time compiler without a map.
	 */
	const char *why;
};

/* A key of name and module for a table with that random number (hash_random_odd()). */
uint64_t code_function_key(const struct code_function *function, uint64_t random);
bool code_function_is_same(const struct code_function *a, const struct code_function *b);

#endif
