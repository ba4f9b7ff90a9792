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
	uint64_t due_ns; /* CLOCK_MONOTONIC: when it is shown or rewritten next */
	int columns;     /* of the shown line; 0: none is shown */
};

void copy_progress_begin(struct copy_progress *progress); /* shows nothing yet */
/* `sent` of `n` bytes were copied to `host` (transport_name()). */
void copy_progress_show(struct copy_progress *progress, const char *host, size_t sent, size_t n);
/* Clears the line, if one is shown. */
void copy_progress_remove(const struct copy_progress *progress);

#endif
