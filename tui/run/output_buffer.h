// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUTPUT_BUFFER_H
#define PMCTOP_OUTPUT_BUFFER_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdio.h>

/* A text in memory, printed as a whole or not at all. */
struct output_buffer {
	FILE *file; /* stream for the text */
	char *text;
	size_t size;
};

void output_buffer_open(struct output_buffer *buffer);
/*
 * Prints the text to a path (core/base/output_file.h; NULL: standard output) and frees it. Returns
 * 0, or -errno and a sentence.
 */
int output_buffer_print(struct output_buffer *buffer, const char *path, struct error *err);

#endif
