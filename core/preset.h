// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PRESET_H
#define PMCTOP_PRESET_H

#include <stddef.h>

/* A named list of metric columns: what is counted and shown. */
struct preset {
	const char *name;
	const char *help;
	const char *const *metrics; /* names of core/metric_table.c, NULL-terminated */
};

extern const struct preset preset_table[];
extern const size_t preset_table_n;

/* NULL where there is none of that name. */
const struct preset *preset_find(const char *name);

#endif
