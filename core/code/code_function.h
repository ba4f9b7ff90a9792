// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_FUNCTION_H
#define PMCTOP_CODE_FUNCTION_H

/* A function, or what stands for one: equal if name, module and kind are. */
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
};

#endif
