// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CHOICE_H
#define PMCTOP_CHOICE_H

#include "core/base/error.h"
#include "core/engine/engine.h"

/*
 * What names of columns mean, once the command line and the configuration are both
 * read: each may name what the other one made.
 */

/*
 * Whether -e and -m can mean anything: lists are well formed, and each metric is a known one or a
 * formula. Optional ones need not. 0, or -EINVAL, -E2BIG and a sentence. Which events there are the
 * engine knows.
 */
int choice_check_columns(const struct engine_config *config, struct error *err);

/* Calls fn for everything that -s takes; fn != 0 ends it and is returned. */
int choice_each_column(const struct engine_config *config,
		       int (*fn)(void *arg, const char *name, const char *help), void *arg);

/* Whether -s takes the name: 0, or -EINVAL and a sentence with what is near. */
int choice_sort(const char *name, const struct engine_config *config, struct error *err);

/* Returns the name of a column by its name in the last release, or NULL if it was not renamed. */
const char *choice_renamed_column(const char *name);

#endif
