// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ROW_FILTER_H
#define PMCTOP_ROW_FILTER_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The filter of the user. A task passes if each word of a text is part of its pid, tid, user, comm,
 * command line (if rows have it: row_filter_lines()) or cgroup (its path, or its name on the
 * screen), and if it runs as the given user. The case of ASCII letters does not matter.
 */
enum { ROW_FILTER_BYTES = 128 };

struct row_filter_spec {
	char text[ROW_FILTER_BYTES]; /* words with blanks between; "": all tasks */
	bool one_user;               /* only tasks of uid */
	uid_t uid;
};

struct row_filter {
	const struct row_filter_spec *spec;        /* borrowed */
	char text[ROW_FILTER_BYTES];               /* lower case, a NUL after each word */
	unsigned char words[ROW_FILTER_BYTES / 2]; /* offsets in text */
	size_t n_words;
	uint64_t numbers;  /* words that may be part of a pid: a bit each */
	uint64_t *cgroups; /* of each cgroup of the snapshot: the words in it, a bit each */
	size_t n_cgroups;
};

/* Returns whether the filter can keep a task out. */
bool row_filter_is_set(const struct row_filter_spec *spec);

/* What a snapshot needs for this text: command lines, unless it has no words. */
enum command_lines row_filter_lines(const char *text);

/* For rows of this snapshot alone. spec is borrowed. */
void row_filter_init(const struct row_filter_spec *spec, const struct snapshot *snapshot,
		     struct row_filter *filter);
void row_filter_fini(struct row_filter *filter);

bool row_filter_passes(const struct row_filter *filter, const struct row *row);

#endif
