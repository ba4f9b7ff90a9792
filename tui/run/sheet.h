// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SHEET_H
#define PMCTOP_SHEET_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdio.h>

/* A text that is written first, and printed as a whole or not at all. */
struct sheet {
	FILE *file; /* to be written to */
	char *text;
	size_t size;
};

void sheet_open(struct sheet *sheet);
/* Prints it (core/base/output_file.h) and is gone: 0, or -errno and a sentence. */
int sheet_print(struct sheet *sheet, const char *path, struct error *err);

#endif
