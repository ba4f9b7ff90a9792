// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COPY_PROGRESS_H
#define PMCTOP_COPY_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/*
 * A line on standard error about a copy that takes longer than a second. It is rewritten in place,
 * and there is none if standard error is no terminal.
 */
struct copy_progress {
	uint64_t due_ns; /* time of the next one */
	int columns;     /* of the one that is shown; 0: none */
};

void copy_progress_begin(struct copy_progress *progress);
/* `sent` of `n` bytes were copied. `host` is the name for messages. */
void copy_progress_show(struct copy_progress *progress, const char *host, size_t sent, size_t n);
void copy_progress_remove(const struct copy_progress *progress);

#endif
