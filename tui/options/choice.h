// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CHOICE_H
#define PMCTOP_CHOICE_H

#include "core/base/error.h"
#include "core/engine/engine.h"

/*
 * Checks of names of columns. To be called when command line and configuration have been read: each
 * may name metrics of the other.
 */

/*
 * Checks that -e are well-formed lists and that -m with a formula are well-formed. Optional columns
 * are not checked. Whether an event or a metric of a name exists is left to the engine. Returns 0,
 * or -EINVAL or -E2BIG, with a sentence.
 */
int choice_check_columns(const struct engine_config *config, struct error *err);

/* Calls fn for each column that -s accepts. A result other than 0 ends the loop and is returned. */
int choice_each_column(const struct engine_config *config,
		       int (*fn)(void *arg, const char *name, const char *help), void *arg);

/* Checks a name for -s. Returns 0, or -EINVAL and a sentence with a similar name. */
int choice_sort(const char *name, const struct engine_config *config, struct error *err);

/* Returns the name of a column by its name in the last release, or NULL if it was not renamed. */
const char *choice_renamed_column(const char *name);

#endif
