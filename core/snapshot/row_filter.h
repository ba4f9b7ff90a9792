// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ROW_FILTER_H
#define PMCTOP_ROW_FILTER_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Which tasks someone wants to see. A task passes where each word of a text is part of its pid,
 * tid, user, comm, command line (where rows have them) or cgroup (as the kernel and as people call
 * it), and its user is the one asked for. The case of ASCII letters does not matter.
 */
enum { ROW_FILTER_BYTES = 128 };

struct row_filter_spec {
	char text[ROW_FILTER_BYTES]; /* words with blanks between; "": any */
	bool one_user;               /* only of uid */
	uid_t uid;
};

struct row_filter {
	const struct row_filter_spec *spec;        /* borrowed */
	char text[ROW_FILTER_BYTES];               /* lower case, a NUL behind each word */
	unsigned char words[ROW_FILTER_BYTES / 2]; /* where each begins */
	size_t n_words;
	uint64_t numbers;  /* those that may be part of a pid: a bit each */
	uint64_t *cgroups; /* of each of the snapshot's: the words that it has */
	size_t n_cgroups;
};

/* Whether there is anything to keep out. */
bool row_filter_is_set(const struct row_filter_spec *spec);

/* For rows of this snapshot, and of no other. */
void row_filter_init(const struct row_filter_spec *spec, const struct snapshot *snapshot,
		     struct row_filter *filter);
void row_filter_fini(struct row_filter *filter);

bool row_filter_passes(const struct row_filter *filter, const struct row *row);

#endif
