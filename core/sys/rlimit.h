// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RLIMIT_H
#define PMCTOP_RLIMIT_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/* A limit of this process (getrlimit(2)), from /proc/self/limits. */
struct resource_limit {
	bool known;
	uint64_t soft, hard; /* UINT64_MAX: unlimited */
};

/* `name` as in the file: "Max open files". */
struct resource_limit rlimit_read(const struct sys *sys, const char *name);

#endif
